//! Clusters of Ballista whose nodes are not ours.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use futures::TryStreamExt;
use tempfile::TempDir;

use super::client::Client;
use super::{SchedulerSettings, run_scheduler};
use crate::plans::on_cluster;
use throng_engine::job::{ClusterAddress, EngineSpec};
use throng_tables::error::EngineError;
use throng_tables::input::dialect::DialectOverrides;
use throng_tables::input::source::Source;

/// How long a node may take to come up, and a cluster to say that it cannot count.
const PATIENCE: Duration = Duration::from_secs(60);

fn free_address() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}

/// A scheduler that knows Ballista's operators alone.
async fn run_plain_scheduler(bind: SocketAddr) {
    let config = SchedulerConfig {
        bind_host: bind.ip().to_string(),
        bind_port: bind.port(),
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        ..SchedulerConfig::default()
    };
    let cluster = BallistaCluster::new_from_config(&config).await.unwrap();
    start_server(cluster, bind, Arc::new(config)).await.unwrap();
}

/// An executor that knows Ballista's operators alone.
async fn run_plain_executor(scheduler: SocketAddr, work_dir: String) {
    let bind = free_address();
    let config = ExecutorProcessConfig {
        bind_host: bind.ip().to_string(),
        port: bind.port(),
        scheduler_host: scheduler.ip().to_string(),
        scheduler_port: scheduler.port(),
        scheduler_connect_timeout_seconds: 30,
        vcores: 1,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(work_dir),
        ..ExecutorProcessConfig::default()
    };
    start_executor_process(Arc::new(config)).await.unwrap();
}

async fn wait_for(scheduler: SocketAddr, dir: &TempDir) {
    while TcpStream::connect(scheduler).is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::spawn(run_plain_executor(scheduler, dir.path().display().to_string()));
    let address = || ClusterAddress::parse(&format!("df://{scheduler}")).unwrap();
    while Client::connect(address(), None).is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// What a cluster says that is to count a small table.
async fn count(scheduler: SocketAddr, dir: &TempDir) -> EngineError {
    tokio::time::timeout(PATIENCE, wait_for(scheduler, dir)).await.unwrap();
    let table = dir.path().join("table.csv");
    std::fs::write(&table, "age\n31\n33\n").unwrap();
    let spec = EngineSpec { cluster: Some(format!("df://{scheduler}")), tls: None };
    let source = on_cluster(Source::open(&table, &DialectOverrides::default()).unwrap(), &spec).unwrap();
    let counted = source.remote().unwrap().count(&[0]).unwrap().try_collect::<Vec<_>>();
    tokio::time::timeout(PATIENCE, counted).await.expect("it ends soon").unwrap_err()
}

fn is_of_operators(error: &EngineError) {
    let is_said = error.to_string().contains("lacks throng's operators");
    assert!(is_said && matches!(error, EngineError::Data(_)), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plain_scheduler_is_told_from_ours() {
    let (dir, scheduler) = (tempfile::tempdir().unwrap(), free_address());
    tokio::spawn(run_plain_scheduler(scheduler));
    is_of_operators(&count(scheduler, &dir).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plain_executor_is_told_from_ours() {
    let (dir, scheduler) = (tempfile::tempdir().unwrap(), free_address());
    let settings = SchedulerSettings { bind: scheduler, tls: None };
    tokio::spawn(async move { run_scheduler(&settings).await.unwrap() });
    is_of_operators(&count(scheduler, &dir).await);
}
