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
use crate::error::{EngineError, Result};
use crate::input::source::Batches;
use crate::lake::explain;

/// How long a scheduler may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of a message at most; a plan that names ten thousand files takes some megabytes.
const MESSAGE_BYTES: usize = 256 << 20;

/// A cluster that plans can be given to.
pub(crate) struct Client {
    address: ClusterAddress,
    config: SessionConfig,
}

impl Client {
    /// Finds out whether a cluster can be asked.
    ///
    /// # Errors
    /// If nobody answers, or there is no executor, or it is of another version of Ballista.
    pub(crate) fn connect(address: ClusterAddress) -> Result<Client> {
        let config =
            SessionConfig::new_with_ballista().with_ballista_grpc_client_max_message_size(MESSAGE_BYTES);
        let client = Client { address, config };
        client.refuse_unready()?;
        Ok(client)
    }

    /// What all parts of a plan give, in no order.
    pub(crate) fn run(&self, plan: Arc<dyn ExecutionPlan>, doing: &'static str) -> Batches {
        let (config, socket) = (self.config.clone(), self.address.socket());
        let url = format!("http://{socket}");
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
    let mut last = std::io::Error::other("the name is not known");
    for address in socket.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(mut stream) => {
                stream.set_read_timeout(Some(PATIENCE))?;
                stream.write_all(
                    format!("GET /readyz HTTP/1.1\r\nHost: {socket}\r\nConnection: close\r\n\r\n").as_bytes(),
                )?;
                let mut answer = Vec::new();
                stream.take(64 << 10).read_to_end(&mut answer)?;
                return Ok(String::from_utf8_lossy(&answer).into_owned());
            }
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
    if has(&["tcp connect error", "transport error", "ConnectError", "error trying to connect", "h2 protocol error"])
    {
        return EngineError::Data(
            format!("{doing}: the connection to the cluster at {socket} is lost, or one of its nodes is gone; nothing was released")
                .into(),
        );
    }
    if has(&["PhysicalExtensionCodec is not provided", "unsupported physical extension"]) {
        return EngineError::Data(
            format!("the cluster at {socket} lacks throng's operators; start its nodes with 'throng cluster'").into(),
        );
    }
    explain(text, doing)
}
