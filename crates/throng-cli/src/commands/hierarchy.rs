//! `throng hierarchy`: looks at hierarchy files, and makes them.

mod build;
mod show;

use clap::Subcommand;

use throng_engine::error::Result;

use crate::console::Console;
use crate::exit::Exit;

/// Checks and shows a hierarchy file, or builds one from a column
#[derive(Debug, clap::Args)]
pub(crate) struct HierarchyArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Show(show::ShowArgs),
    Build(Box<build::BuildArgs>),
}

/// Shows or builds.
pub(crate) fn run(args: HierarchyArgs, console: &Console) -> Result<Exit> {
    match args.verb {
        Verb::Show(args) => show::run(&args, console),
        Verb::Build(args) => build::run(&args, console),
    }
}
