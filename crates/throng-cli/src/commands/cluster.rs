//! `throng cluster`: the nodes that count and write for others.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Subcommand, value_parser};

use throng_cluster::{ExecutorSettings, SchedulerSettings, refuse_taken, run_executor, run_scheduler};
use throng_engine::error::Result;
use throng_engine::job::ClusterAddress;
use throng_engine::job::TlsFiles;

use crate::console::Console;
use crate::exit::Exit;
use crate::runtime;

const NETWORK: &str =
    "Without certificates, nodes trust anyone who can reach them: run them on a network of their own.";

/// Starts a node of a cluster that counts tables and writes releases
#[derive(Debug, clap::Args)]
#[command(after_help = NETWORK)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    node: ClusterNode,
}

#[derive(Debug, Subcommand)]
enum ClusterNode {
    Scheduler(SchedulerArgs),
    Executor(ExecutorArgs),
}

/// Starts the scheduler, which gives parts of tables to executors
#[derive(Debug, clap::Args)]
struct SchedulerArgs {
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50050")]
    bind: SocketAddr,

    #[command(flatten)]
    tls: TlsArgs,
}

/// Starts an executor, which reads, counts and writes
#[derive(Debug, clap::Args)]
struct ExecutorArgs {
    /// The scheduler: df://HOST:PORT or HOST:PORT
    #[arg(long, value_name = "ADDRESS", default_value = "df://localhost:50050", value_parser = read_scheduler)]
    scheduler: ClusterAddress,

    /// The address to listen on for others that fetch its counts
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50051")]
    bind: SocketAddr,

    /// The name under which others can reach it, if that is not the address it listens on
    #[arg(long, value_name = "HOST")]
    external_host: Option<String>,

    /// How many parts to work on at a time; one per core by default
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u16).range(1..))]
    cores: Option<u16>,

    /// Where to keep counts until they are fetched; by default in its own directory among the temporary
    /// files
    #[arg(long, value_name = "DIRECTORY")]
    work_dir: Option<PathBuf>,

    #[command(flatten)]
    tls: TlsArgs,
}

#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Certificates in PEM form (without them, anyone who can reach a node can use it)"
)]
struct TlsArgs {
    /// The certificate of the authority that signed the certificates of all nodes and clients
    #[arg(long, value_name = "FILE", requires_all = ["tls_cert", "tls_key"])]
    tls_ca: Option<PathBuf>,

    /// The certificate of this node, which names its host
    #[arg(long, value_name = "FILE", requires = "tls_ca")]
    tls_cert: Option<PathBuf>,

    /// The key of this certificate
    #[arg(long, value_name = "FILE", requires = "tls_ca")]
    tls_key: Option<PathBuf>,
}

impl TlsArgs {
    fn files(self) -> Option<TlsFiles> {
        Some(TlsFiles { ca: self.tls_ca?, cert: self.tls_cert?, key: self.tls_key? })
    }
}

fn read_scheduler(text: &str) -> std::result::Result<ClusterAddress, String> {
    let whole = if text.contains("://") { text.to_owned() } else { format!("df://{text}") };
    ClusterAddress::parse(&whole).map_err(|error| error.to_string())
}

/// Runs a node until it is told to end.
pub(crate) fn run(args: ClusterArgs, console: &Console) -> Result<Exit> {
    match args.node {
        ClusterNode::Scheduler(args) => {
            refuse_taken(args.bind)?;
            console.out(format_args!("scheduler at df://{}", args.bind));
            runtime::run(None, run_scheduler(&SchedulerSettings { bind: args.bind, tls: args.tls.files() }))?;
        }
        ClusterNode::Executor(args) => {
            let cores = args.cores.map(usize::from);
            let cores = cores.or_else(|| std::thread::available_parallelism().ok().map(usize::from));
            let cores = cores.unwrap_or(1);
            refuse_taken(args.bind)?;
            console.out(format_args!("executor at {}, working on {cores} parts at a time", args.bind));
            let settings = ExecutorSettings {
                scheduler: args.scheduler,
                bind: args.bind,
                external_host: args.external_host,
                cores,
                work_dir: args.work_dir,
                tls: args.tls.files(),
            };
            runtime::run(Some(cores), run_executor(&settings))?;
        }
    }
    Ok(Exit::Done)
}
