//! What the command line says.

mod dialect;
pub(crate) mod environment;
mod number;
mod output;
mod settings;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use throng_engine::error::Result;

pub(crate) use dialect::DialectArgs;
pub(crate) use number::{read_at_least, read_k, read_mean, read_preference, read_seed, read_threads};
pub(crate) use output::{KeyArgs, OutputArgs};
pub(crate) use settings::{EvolutionArgs, SettingArgs, flag, users};

#[cfg(feature = "cluster")]
use crate::commands::cluster;
use crate::commands::{
    algorithms, anonymize, apply, attack, check, compare, completions, demo, evaluate, frontier, hierarchy,
    init, man, policies, profile, report, serve, sql,
};
use crate::console::Console;
use crate::exit::Exit;
use crate::log::LogLevel;

/// Makes tables of personal records safe to publish: every record hides in a crowd of at least k.
#[derive(Debug, Parser)]
#[command(name = "throng", version = version(), after_help = "Start with: throng demo", max_term_width = 100)]
pub(crate) struct Args {
    /// Prints only errors, and the JSON or CSV that you asked for
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    /// Appends a log of the run to a file: phases, times and counts, never a cell
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) log: Option<PathBuf>,

    /// How much to log
    #[arg(long, value_name = "LEVEL", global = true, default_value = "info", hide_possible_values = true)]
    pub(crate) log_level: LogLevel,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commit that the program was built from, if it was built in a clone.
pub(crate) const COMMIT: Option<&str> = option_env!("BUILD_COMMIT");

/// The version, with the commit if that is known.
fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    COMMIT.map_or_else(|| version.to_owned(), |commit| format!("{version} ({commit})"))
}

/// One verb, one file in `commands/`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(alias = "anonymise")]
    Anonymize(Box<anonymize::AnonymizeArgs>),
    Apply(Box<apply::ApplyArgs>),
    Sql(Box<sql::SqlArgs>),
    Init(init::InitArgs),
    Profile(profile::ProfileArgs),
    Check(check::CheckArgs),
    Attack(attack::AttackArgs),
    Evaluate(evaluate::EvaluateArgs),
    Report(report::ReportArgs),
    Frontier(frontier::FrontierArgs),
    Compare(compare::CompareArgs),
    Algorithms(algorithms::AlgorithmsArgs),
    Policies(policies::PoliciesArgs),
    Hierarchy(hierarchy::HierarchyArgs),
    Demo(demo::DemoArgs),
    Serve(serve::ServeArgs),
    #[cfg(feature = "cluster")]
    Cluster(cluster::ClusterArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

impl Command {
    /// Does what was asked.
    pub(crate) fn run(self, console: &Console) -> Result<Exit> {
        match self {
            Command::Anonymize(args) => anonymize::run(*args, console),
            Command::Apply(args) => apply::run(*args, console),
            Command::Sql(args) => sql::run(*args, console),
            Command::Init(args) => init::run(args, console),
            Command::Profile(args) => profile::run(args, console),
            Command::Check(args) => check::run(args, console),
            Command::Attack(args) => attack::run(args, console),
            Command::Evaluate(args) => evaluate::run(args, console),
            Command::Report(args) => report::run(args, console),
            Command::Frontier(args) => frontier::run(args, console),
            Command::Compare(args) => compare::run(args, console),
            Command::Algorithms(args) => algorithms::run(args, console),
            Command::Policies(args) => policies::run(args, console),
            Command::Hierarchy(args) => hierarchy::run(args, console),
            Command::Demo(args) => demo::run(args, console),
            Command::Serve(args) => serve::run(args, console),
            #[cfg(feature = "cluster")]
            Command::Cluster(args) => cluster::run(args, console),
            Command::Completions(args) => completions::run(args, console),
            Command::Man(args) => man::run(args, console),
        }
    }
}
