//! `throng completions`: what a shell needs to complete commands and flags.

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use throng_engine::error::{EngineError, Result};

use crate::args::Args;
use crate::console::Console;
use crate::exit::Exit;

const EXAMPLES: &str = "Examples:
  throng completions bash > ~/.local/share/bash-completion/completions/throng
  throng completions zsh > ~/.zfunc/_throng
  throng completions fish > ~/.config/fish/completions/throng.fish";

/// Prints a script that completes commands and flags in a shell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(args: CompletionsArgs, console: &Console) -> Result<Exit> {
    let mut script = Vec::new();
    generate(args.shell, &mut Args::command(), "throng", &mut script);
    let script = String::from_utf8(script);
    let script = script.map_err(|_| EngineError::Data("the script is not text".into()))?;
    console.data(script.trim_end());
    Ok(Exit::Done)
}
