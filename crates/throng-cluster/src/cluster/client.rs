//! Who asks a cluster.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use ballista_core::execution_plans::execute_physical_plan;
use ballista_core::extension::SessionConfigExt;
use datafusion::common::DataFusionError;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::PhysicalPlanNode;
use futures::{StreamExt, TryStreamExt, stream};

use super::codec::Codec;
use super::nodes::session_config;
use super::tls;
use crate::plans::{Nodes, explain};
use throng_engine::job::ClusterAddress;
use throng_engine::job::TlsFiles;
use throng_tables::error::{EngineError, Result};
use throng_tables::input::source::Batches;

/// How long a scheduler may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(5);

/// A cluster that plans can be given to.
pub(super) struct Client {
    address: ClusterAddress,
    config: SessionConfig,
    is_secure: bool,
}

impl Client {
    /// Finds out whether a cluster can be asked.
    ///
    /// # Errors
    /// If nobody answers, or there is no executor, or it is of another version of Ballista.
    pub(super) fn connect(address: ClusterAddress, tls: Option<&TlsFiles>) -> Result<Client> {
        let tls = tls.map(tls::read).transpose()?;
        let (config, is_secure) = (session_config(tls.as_ref()), tls.is_some());
        let client = Client { address, config, is_secure };
        refuse_unready(&client.address.socket(), is_secure)?;
        Ok(client)
    }
}

/// See [`Client::connect`].
pub(crate) fn ask_nodes(address: &ClusterAddress, tls: Option<&TlsFiles>) -> Result<Arc<dyn Nodes>> {
    Ok(Arc::new(Client::connect(address.clone(), tls)?))
}

impl Nodes for Client {
    fn run(&self, plan: Arc<dyn ExecutionPlan>, doing: &'static str) -> Batches {
        let (config, socket, is_secure) = (self.config.clone(), self.address.socket(), self.is_secure);
        let run = async move {
            ready(socket.clone(), is_secure, doing).await?;
            let url = format!("{}://{socket}", if is_secure { "https" } else { "http" });
            let failed = move |error: DataFusionError| explain_cluster(&error.to_string(), doing, &socket);
            let (ballista, codec, session) = (config.ballista_config(), Codec::default(), uuid());
            let given =
                execute_physical_plan::<PhysicalPlanNode>(url, &ballista, plan, &codec, session, config)
                    .await;
            Ok::<_, EngineError>(given.map_err(&failed)?.map_err(failed))
        };
        stream::once(run).try_flatten().boxed()
    }
}

/// Refuses a cluster whose executors are gone: it would wait for others, for ever.
async fn ready(socket: String, is_secure: bool, doing: &'static str) -> Result<()> {
    let at = socket.clone();
    let asked = tokio::task::spawn_blocking(move || refuse_unready(&socket, is_secure)).await;
    match asked {
        Ok(Err(EngineError::Lost(_))) => Err(lost(doing, &at)),
        Ok(answer) => answer,
        Err(_) => Err(EngineError::Data("a thread for requests stopped unexpectedly".into())),
    }
}

/// Refuses a cluster that would do nothing, if it says so.
fn refuse_unready(socket: &str, is_secure: bool) -> Result<()> {
    if is_secure {
        // Who has no certificate is told nothing; so is who has one of another authority, when a plan is sent.
        return refuse_silent(socket);
    }
    let answer = ask(socket).map_err(|cause| unreachable(socket, &cause))?;
    let version = major(ballista_core::BALLISTA_VERSION);
    if !answer.to_lowercase().contains(&format!("server: ballista/{version}.")) {
        let why = format!(
            "the program that answers at {socket} is not a Ballista {version} scheduler; start one with \
             'throng cluster scheduler'"
        );
        return Err(EngineError::Data(why.into()));
    }
    match answer.split_whitespace().nth(1) {
        Some("200") => Ok(()),
        _ => Err(EngineError::Data(
            format!(
                "the cluster at {socket} has no executor; start one with 'throng cluster executor --scheduler {socket}'"
            )
            .into(),
        )),
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
    let mut last = std::io::Error::other("the name is unknown");
    for address in socket.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(cause) => last = cause,
        }
    }
    Err(last)
}

/// Refuses a scheduler that nobody listens as.
pub(super) fn refuse_silent(socket: &str) -> Result<()> {
    connect(socket).map(drop).map_err(|cause| unreachable(socket, &cause))
}

fn unreachable(socket: &str, cause: &std::io::Error) -> EngineError {
    EngineError::Lost(
        format!("the scheduler at {socket} cannot be reached ({cause}); is 'throng cluster scheduler' running there?")
            .into(),
    )
}

fn lost(doing: &str, socket: &str) -> EngineError {
    EngineError::Lost(
        format!("{doing}: the connection to the cluster at {socket} is lost, or one of its nodes is gone; nothing was released")
            .into(),
    )
}

/// What Ballista says of a part that failed where it was worked on, before why.
const OF_A_PART: &str = "Job failed due to stage";
/// What it says when it waited in vain for an executor.
const NO_EXECUTOR: &str = "all executors were lost";
/// What others say of a cluster that knows no operator of ours.
const NO_OPERATOR: [&str; 2] =
    ["Could not deserialize BallistaPhysicalPlanNode", "PhysicalExtensionCodec is not provided"];
/// What they say of a node that does not answer any more, or has lost what it counted.
const NO_NODE: [&str; 11] = [
    "tcp connect error",
    "transport error",
    "ConnectError",
    "error trying to connect",
    "h2 protocol error",
    "Connection refused",
    "Connection reset",
    "connection closed",
    "roken pipe",
    "Stream closed without job",
    "fetch partition error",
];

/// What of an error of the cluster may be shown.
fn explain_cluster(text: &str, doing: &str, socket: &str) -> EngineError {
    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    if has(&NO_OPERATOR) {
        let why = "lacks throng's operators; start its nodes with 'throng cluster'";
        return EngineError::Data(format!("the cluster at {socket} {why}").into());
    }
    if has(&[NO_EXECUTOR]) {
        let why = "has no executor any more; nothing was released";
        return EngineError::Data(format!("{doing}: the cluster at {socket} {why}").into());
    }
    // A part may have connections of its own, such as to an object store.
    if has(&NO_NODE) && !has(&[OF_A_PART]) {
        return lost(doing, socket);
    }
    explain(text, doing)
}
