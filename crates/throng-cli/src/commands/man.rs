//! `throng man`: manual pages.

use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use throng_engine::error::{EngineError, Result};
use throng_engine::output::sink::{Made, write_text};

use crate::args::Args;
use crate::console::Console;
use crate::exit::Exit;

const EXAMPLES: &str = "Examples:
  throng man | man -l -                              (the page of throng itself)
  throng man --dir ~/.local/share/man/man1           (a page for each command)";

/// Prints the manual page, or writes one for each command
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// Writes throng.1, throng-anonymize.1, … to this directory, and creates it if necessary
    #[arg(long, value_name = "DIRECTORY")]
    dir: Option<PathBuf>,
}

/// Prints or writes the pages.
pub(crate) fn run(args: ManArgs, console: &Console) -> Result<Exit> {
    let mut throng = Args::command().disable_help_subcommand(true);
    throng.build();
    let Some(directory) = &args.dir else {
        console.data(page(throng)?.trim_end());
        return Ok(Exit::Done);
    };
    std::fs::create_dir_all(directory).map_err(|cause| EngineError::Io {
        path: directory.clone(),
        action: "cannot make the directory",
        cause,
    })?;
    let commands: Vec<Command> = throng.get_subcommands().filter(|one| !one.is_hide_set()).cloned().collect();
    write(throng, "throng", directory)?;
    for command in commands {
        let name = format!("throng-{}", command.get_name());
        write(command.name(name.clone()), &name, directory)?;
    }
    Ok(Exit::Done)
}

fn write(command: Command, name: &str, directory: &Path) -> Result<()> {
    write_text(&directory.join(format!("{name}.1")), Made::Manual, &page(command)?)
}

fn page(command: Command) -> Result<String> {
    let mut page = Vec::new();
    let made = Man::new(command).render(&mut page);
    made.map_err(|error| EngineError::Data(format!("the page cannot be made: {error}").into()))?;
    String::from_utf8(page).map_err(|_| EngineError::Data("the page is not text".into()))
}
