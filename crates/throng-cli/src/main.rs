//! throng on the command line: makes tables of personal records safe to publish.

mod aligned;
mod args;
mod bars;
mod commands;
mod console;
mod exit;
mod grid;
mod interrupt;
mod progress;
mod report;
mod runtime;

use std::process::ExitCode;

use clap::Parser;

use args::Args;
use console::Console;

fn main() -> ExitCode {
    interrupt::fail_in_order();
    let args = Args::parse();
    let console = Console::new(args.quiet);
    let result = args.command.run(&console).and_then(|exit| console.finish().map(|()| exit));
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            console.note(format_args!("error: {error}"));
            exit::code_of(&error)
        }
    }
}
