//! The nodes of a cluster.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::extension::SessionConfigExt;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use datafusion::prelude::SessionConfig;

use super::address::ClusterAddress;
use super::codec::Codec;
use crate::error::{EngineError, Result};

/// An executor polls every five seconds at least; one that is silent for so long is given up.
const EXECUTOR_TIMEOUT_SECONDS: u64 = 20;
/// How often silent executors are looked for.
const LOOK_SECONDS: u64 = 2;
/// Bytes of a message at most.
const MESSAGE_BYTES: u32 = 256 << 20;

/// How a scheduler is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedulerSettings {
    /// Where it listens.
    pub bind: SocketAddr,
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
    /// Where it puts what it counted until that is fetched; a folder of its own if none is given.
    pub work_dir: Option<PathBuf>,
}

/// Runs a scheduler until the process ends.
///
/// # Errors
/// If it cannot listen.
pub async fn run_scheduler(settings: &SchedulerSettings) -> Result<()> {
    let config = SchedulerConfig {
        bind_host: settings.bind.ip().to_string(),
        bind_port: settings.bind.port(),
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        override_physical_codec: Some(Arc::new(Codec::default())),
        override_config_producer: Some(Arc::new(session_config)),
        executor_timeout_seconds: EXECUTOR_TIMEOUT_SECONDS,
        expire_dead_executor_interval_seconds: LOOK_SECONDS,
        no_executors_grace_period_seconds: EXECUTOR_TIMEOUT_SECONDS,
        grpc_server_max_decoding_message_size: MESSAGE_BYTES,
        grpc_server_max_encoding_message_size: MESSAGE_BYTES,
        grpc_client_max_message_size: MESSAGE_BYTES,
        ..SchedulerConfig::default()
    };
    let failed = |what: String| EngineError::Data(format!("the scheduler at {} {what}", settings.bind).into());
    let cluster = BallistaCluster::new_from_config(&config).await;
    let cluster = cluster.map_err(|error| failed(format!("cannot start: {error}")))?;
    let served = start_server(cluster, settings.bind, Arc::new(config)).await;
    served.map_err(|error| failed(format!("failed: {error}")))
}

/// Runs an executor until it is told to end.
///
/// # Errors
/// If it cannot listen, or not reach its scheduler.
pub async fn run_executor(settings: &ExecutorSettings) -> Result<()> {
    let failed =
        |what: String| EngineError::Data(format!("the executor at {} {what}", settings.bind).into());
    // What is counted shows values of tables, so nobody else may look into it; it goes with the process.
    let own = match &settings.work_dir {
        Some(_) => None,
        None => Some(tempfile::tempdir().map_err(|cause| failed(format!("has no folder to work in: {cause}")))?),
    };
    let work_dir = settings.work_dir.as_deref().or(own.as_ref().map(tempfile::TempDir::path));
    let config = ExecutorProcessConfig {
        bind_host: settings.bind.ip().to_string(),
        external_host: settings.external_host.clone(),
        port: settings.bind.port(),
        scheduler_host: settings.scheduler.host.clone(),
        scheduler_port: settings.scheduler.port,
        scheduler_connect_timeout_seconds: 30,
        vcores: settings.cores,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: work_dir.map(|path| path.to_string_lossy().into_owned()),
        override_physical_codec: Some(Arc::new(Codec::default())),
        override_config_producer: Some(Arc::new(session_config)),
        grpc_max_decoding_message_size: MESSAGE_BYTES,
        grpc_max_encoding_message_size: MESSAGE_BYTES,
        ..ExecutorProcessConfig::default()
    };
    let ended = start_executor_process(Arc::new(config)).await;
    ended.map_err(|error| failed(format!("failed: {error}")))
}

fn session_config() -> SessionConfig {
    SessionConfig::new_with_ballista().with_ballista_grpc_client_max_message_size(MESSAGE_BYTES as usize)
}
