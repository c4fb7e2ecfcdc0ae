//! Who asks a cluster.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use ballista_core::execution_plans::execute_physical_plan;
use ballista_core::extension::SessionConfigExt;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::PhysicalPlanNode;
use futures::{StreamExt, TryStreamExt, stream};

use super::address::ClusterAddress;
use super::codec::Codec;
use super::nodes::session_config;
use super::tls;
use crate::error::{EngineError, Result};
use crate::input::source::Batches;
use crate::job::TlsFiles;
use crate::lake::explain;

/// How long a scheduler may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(5);

/// A cluster that plans can be given to.
pub(crate) struct Client {
    address: ClusterAddress,
    config: SessionConfig,
    is_secure: bool,
}

impl Client {
    /// Finds out whether a cluster can be asked.
    ///
    /// # Errors
    /// If nobody answers, or there is no executor, or it is of another version of Ballista.
    pub(crate) fn connect(address: ClusterAddress, tls: Option<&TlsFiles>) -> Result<Client> {
        let tls = tls.map(tls::read).transpose()?;
        let (config, is_secure) = (session_config(tls.as_ref()), tls.is_some());
        let client = Client { address, config, is_secure };
        client.refuse_unready()?;
        Ok(client)
    }

    /// What all parts of a plan give, in no order.
    pub(crate) fn run(&self, plan: Arc<dyn ExecutionPlan>, doing: &'static str) -> Batches {
        let (config, socket) = (self.config.clone(), self.address.socket());
        let url = format!("{}://{socket}", if self.is_secure { "https" } else { "http" });
        let run = async move {
            let ballista = config.ballista_config();
            let session = uuid();
            let codec = Codec::default();
            execute_physical_plan::<PhysicalPlanNode>(url, &ballista, plan, &codec, session, config).await
        };
        let failed = move |text: String| explain_cluster(&text, doing, &socket);
        stream::once(run).try_flatten().map_err(move |error| failed(error.to_string())).boxed()
    }

    fn refuse_unready(&self) -> Result<()> {
        let socket = self.address.socket();
        if self.is_secure {
            // Who has no certificate is told nothing; so is who has one of another authority, when a plan is sent.
            return connect(&socket).map(drop).map_err(|cause| unreachable(&socket, &cause.to_string()));
        }
        let answer = ask(&socket).map_err(|cause| unreachable(&socket, &cause.to_string()))?;
        let ours = format!("server: ballista/{}.", major(ballista_core::BALLISTA_VERSION));
        let status = answer.split_whitespace().nth(1).unwrap_or_default();
        if !answer.to_lowercase().contains(&ours) {
            return Err(EngineError::Data(
                format!(
                    "what answers at {socket} is no scheduler of Ballista {}; start one with 'throng cluster scheduler'",
                    major(ballista_core::BALLISTA_VERSION)
                )
                .into(),
            ));
        }
        match status {
            "200" => Ok(()),
            _ => Err(EngineError::Data(
                format!(
                    "the cluster at {socket} has no executor; start one with 'throng cluster executor --scheduler {socket}'"
                )
                .into(),
            )),
        }
    }
}

/// A name of a session that nobody else has.
fn uuid() -> String {
    let mut bytes = [0; 16];
    // Without randomness, two sessions at a time would share a name, which they may.
    getrandom::fill(&mut bytes).ok();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn major(version: &str) -> &str {
    version.split('.').next().unwrap_or(version)
}

/// What a scheduler says when it is asked whether it is ready.
fn ask(socket: &str) -> std::io::Result<String> {
    let mut stream = connect(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {socket}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.take(64 << 10).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn connect(socket: &str) -> std::io::Result<TcpStream> {
    let mut last = std::io::Error::other("the name is not known");
    for address in socket.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(cause) => last = cause,
        }
    }
    Err(last)
}

fn unreachable(socket: &str, cause: &str) -> EngineError {
    EngineError::Data(
        format!("the scheduler at {socket} cannot be reached ({cause}); is 'throng cluster scheduler' running there?")
            .into(),
    )
}

/// What of an error of the cluster may be shown.
fn explain_cluster(text: &str, doing: &'static str, socket: &str) -> EngineError {
    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    if has(&[
        "tcp connect error",
        "transport error",
        "ConnectError",
        "error trying to connect",
        "h2 protocol error",
    ]) {
        return EngineError::Data(
            format!("{doing}: the connection to the cluster at {socket} is lost, or one of its nodes is gone; nothing was released")
                .into(),
        );
    }
    if has(&["PhysicalExtensionCodec is not provided", "unsupported physical extension"]) {
        return EngineError::Data(
            format!(
                "the cluster at {socket} lacks throng's operators; start its nodes with 'throng cluster'"
            )
            .into(),
        );
    }
    explain(text, doing)
}
