//! The nodes of a cluster.

use std::env;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_flight::flight_service_server::FlightServiceServer;
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::error::BallistaError;
use ballista_core::extension::SessionConfigExt;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpcServer;
use ballista_core::utils::{create_grpc_server, default_session_builder};
use ballista_core::{ConfigProducer, RuntimeProducer, error};
use ballista_executor::ArrowFlightServerProvider;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_executor::flight_service::BallistaFlightService;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::{create_scheduler, start_server};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use tonic::transport::Server;

use super::client::refuse_silent;
use super::codec::Codec;
use super::tls::{self, Tls};
use crate::plans::{keep_to_parts, runtime};
use throng_engine::job::ClusterAddress;
use throng_engine::job::TlsFiles;
use throng_tables::error::{EngineError, Result};
use throng_tables::output::sink::private::PrivateDirectory;

/// An executor polls every five seconds at least; one that is silent for so long is given up.
const EXECUTOR_TIMEOUT_SECONDS: u64 = 20;
/// How long an executor waits for its scheduler to listen.
const SCHEDULER_PATIENCE: Duration = Duration::from_secs(30);
/// How often silent executors are looked for.
const LOOK_SECONDS: u64 = 2;
/// Bytes of a message at most.
const MESSAGE_BYTES: u32 = 256 << 20;

/// How a scheduler is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedulerSettings {
    /// Where it listens.
    pub bind: SocketAddr,
    /// By what it knows those who ask; whoever reaches it, if none is given.
    pub tls: Option<TlsFiles>,
}

/// How an executor is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutorSettings {
    /// Its scheduler.
    pub scheduler: ClusterAddress,
    /// Where it listens for those who fetch what it counted.
    pub bind: SocketAddr,
    /// The name by which they reach it, if that is another.
    pub external_host: Option<String>,
    /// Parts that it works on at a time.
    pub cores: usize,
    /// Where it makes a folder of its own for what it counted, until that is fetched; among the temporary files if none is
    /// given.
    pub work_dir: Option<PathBuf>,
    /// By what it knows the others, and they it.
    pub tls: Option<TlsFiles>,
}

/// Runs a scheduler until the process ends. Files that the process makes from then on are its owner's alone.
///
/// # Errors
/// If it cannot listen.
pub async fn run_scheduler(settings: &SchedulerSettings) -> Result<()> {
    keep_files_private();
    let tls = settings.tls.as_ref().map(tls::read).transpose()?;
    let config = SchedulerConfig {
        bind_host: settings.bind.ip().to_string(),
        bind_port: settings.bind.port(),
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        override_physical_codec: Some(Arc::new(Codec::default())),
        override_config_producer: Some(session_configs(tls.as_ref())),
        override_session_builder: Some(Arc::new(session_state)),
        override_create_grpc_client_endpoint: tls.as_ref().map(Tls::endpoints),
        use_tls: tls.is_some(),
        executor_timeout_seconds: EXECUTOR_TIMEOUT_SECONDS,
        expire_dead_executor_interval_seconds: LOOK_SECONDS,
        no_executors_grace_period_seconds: EXECUTOR_TIMEOUT_SECONDS,
        grpc_server_max_decoding_message_size: MESSAGE_BYTES,
        grpc_server_max_encoding_message_size: MESSAGE_BYTES,
        grpc_client_max_message_size: MESSAGE_BYTES,
        ..SchedulerConfig::default()
    };
    let failed =
        |what: String| EngineError::Data(format!("the scheduler at {} {what}", settings.bind).into());
    let cluster = BallistaCluster::new_from_config(&config).await;
    let cluster = cluster.map_err(|error| failed(format!("cannot start: {error}")))?;
    let served = match tls {
        None => start_server(cluster, settings.bind, Arc::new(config)).await,
        Some(tls) => serve(cluster, settings.bind, config, &tls).await,
    };
    served.map_err(|error| failed(format!("failed: {error}")))
}

/// Serves those who have a certificate.
async fn serve(
    cluster: BallistaCluster,
    bind: SocketAddr,
    config: SchedulerConfig,
    tls: &Tls,
) -> error::Result<()> {
    let scheduler = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, Arc::new(config)).await?;
    let service = SchedulerGrpcServer::new(scheduler)
        .max_decoding_message_size(MESSAGE_BYTES as usize)
        .max_encoding_message_size(MESSAGE_BYTES as usize);
    let mut server = Server::builder().tls_config(tls.server()).map_err(BallistaError::TonicError)?;
    server.add_service(service).serve(bind).await.map_err(BallistaError::TonicError)
}

/// Runs an executor until it is told to end. Files that the process makes from then on are its owner's alone, and what
/// executors that were killed have left in its folder is removed.
///
/// # Errors
/// If it cannot listen, or not reach its scheduler.
pub async fn run_executor(settings: &ExecutorSettings) -> Result<()> {
    keep_files_private();
    let tls = settings.tls.as_ref().map(tls::read).transpose()?;
    await_scheduler(&settings.scheduler).await?;
    let failed = |what: String| EngineError::Data(format!("the executor at {} {what}", settings.bind).into());
    // What is counted shows values of tables, so nobody else may look into it; it goes with the process, or, if that is
    // killed, when the next one is started.
    let own = PrivateDirectory::within(&settings.work_dir.clone().unwrap_or_else(env::temp_dir));
    let own = own.map_err(|cause| failed(format!("has no folder to work in: {cause}")))?;
    let config = ExecutorProcessConfig {
        bind_host: settings.bind.ip().to_string(),
        external_host: settings.external_host.clone(),
        port: settings.bind.port(),
        scheduler_host: settings.scheduler.host.clone(),
        scheduler_port: settings.scheduler.port,
        scheduler_connect_timeout_seconds: 30,
        vcores: settings.cores,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(own.path().to_string_lossy().into_owned()),
        override_physical_codec: Some(Arc::new(Codec::default())),
        override_config_producer: Some(session_configs(tls.as_ref())),
        override_runtime_producer: Some(runtimes(own.path())),
        override_create_grpc_client_endpoint: tls.as_ref().map(Tls::endpoints),
        override_arrow_flight_service: tls.map(flight_service),
        grpc_max_decoding_message_size: MESSAGE_BYTES,
        grpc_max_encoding_message_size: MESSAGE_BYTES,
        ..ExecutorProcessConfig::default()
    };
    let ended = start_executor_process(Arc::new(config)).await;
    ended.map_err(|error| failed(format!("failed: {error}")))
}

/// From now on only the owner can read what the process writes, be it written by Ballista. Parts of a release get the
/// permissions that the client asked for.
fn keep_files_private() {
    #[cfg(target_os = "linux")]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

/// Refuses a place where somebody else listens already: of executors, Ballista would end without a word.
///
/// # Errors
/// If nobody can listen there.
pub fn refuse_taken(bind: SocketAddr) -> Result<()> {
    let failed = |cause| EngineError::Data(format!("cannot listen on {bind}: {cause}").into());
    TcpListener::bind(bind).map(drop).map_err(failed)
}

/// Waits for a scheduler that is just being started; Ballista would wait for ever.
async fn await_scheduler(scheduler: &ClusterAddress) -> Result<()> {
    let (socket, started) = (scheduler.socket(), Instant::now());
    loop {
        let Err(error) = tokio::task::block_in_place(|| refuse_silent(&socket)) else { return Ok(()) };
        if started.elapsed() > SCHEDULER_PATIENCE {
            return Err(error);
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// What others fetch results from, if they have a certificate.
fn flight_service(tls: Tls) -> Arc<ArrowFlightServerProvider> {
    Arc::new(move |work_dir, address, mut shutdown, config| {
        let tls = tls.server();
        tokio::spawn(async move {
            let service = FlightServiceServer::new(BallistaFlightService::new(work_dir))
                .max_decoding_message_size(MESSAGE_BYTES as usize)
                .max_encoding_message_size(MESSAGE_BYTES as usize);
            let mut server =
                create_grpc_server(&config).tls_config(tls).map_err(BallistaError::TonicError)?;
            let served = server.add_service(service).serve_with_shutdown(address, shutdown.recv()).await;
            served.map_err(BallistaError::TonicError)
        })
    })
}

/// What plans of an executor run in: it puts what it has no memory for where it works.
fn runtimes(work_dir: &Path) -> RuntimeProducer {
    let work_dir = work_dir.to_owned();
    Arc::new(move |_| runtime(RuntimeEnvBuilder::new().with_temp_file_path(work_dir.clone())))
}

/// A session of a scheduler, which reads plans before it hands them on.
fn session_state(config: SessionConfig) -> datafusion::common::Result<SessionState> {
    let state = default_session_builder(config)?;
    Ok(SessionStateBuilder::new_from_existing(state)
        .with_runtime_env(runtime(RuntimeEnvBuilder::new())?)
        .build())
}

/// Sessions that ask as the node does.
fn session_configs(tls: Option<&Tls>) -> ConfigProducer {
    let tls = tls.cloned();
    Arc::new(move || session_config(tls.as_ref()))
}

/// A session of somebody who asks.
pub(super) fn session_config(tls: Option<&Tls>) -> SessionConfig {
    let config = keep_to_parts(SessionConfig::new_with_ballista());
    let config = config.with_ballista_grpc_client_max_message_size(MESSAGE_BYTES as usize);
    match tls {
        None => config,
        Some(tls) => config
            .with_ballista_use_tls(true)
            .with_ballista_override_create_grpc_client_endpoint(tls.endpoints()),
    }
}
