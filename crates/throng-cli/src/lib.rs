//! throng on the command line: makes tables of personal records safe to publish.

mod aligned;
mod args;
mod bars;
mod called;
mod commands;
mod console;
mod exit;
mod failure;
mod grid;
mod interrupt;
mod log;
mod progress;
mod report;
mod runtime;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use throng_engine::tables::Tables;

use args::Args;
use args::environment::{misspelled, with_variables};
use console::Console;

/// Runs the command with the arguments of the process.
pub fn main() -> ExitCode {
    main_with(env::args_os().collect())
}

/// The same with arguments of its own, the first of which is what the command was called by: where another program is the
/// process, as Python is.
pub fn main_with(arguments: Vec<OsString>) -> ExitCode {
    let arguments = called::by(arguments);
    interrupt::fail_in_order();
    #[cfg(feature = "postgres")]
    throng_engine::postgres::ask_passwords_by(ask_password);
    let json = failure::is_asked(arguments.iter().cloned());
    let command = with_variables(Args::command(), arguments);
    let args = match command
        .clone()
        .try_get_matches_from(arguments)
        .and_then(|mut found| Args::from_arg_matches_mut(&mut found))
    {
        Ok(args) => args,
        Err(error) if json && error.use_stderr() => {
            Console::new(true).usage(&error);
            return ExitCode::from(exit::USAGE);
        }
        Err(error) => error.exit(),
    };
    let tables = tables();
    let mut console = Console::new(args.quiet).with_tables(&tables);
    for (name, meant) in misspelled(&command, env::vars_os().filter_map(|(name, _)| name.into_string().ok()))
    {
        console.note(format_args!("warning: {name} means nothing here; did you mean {meant}?"));
    }
    let result = console
        .log_to(args.log.as_deref(), args.log_level)
        .and_then(|()| args.command.run(&console))
        .and_then(|exit| console.finish().map(|()| exit));
    // Threads that still read what nobody wants any more do not keep it.
    tables.close();
    #[cfg(feature = "postgres")]
    for warning in throng_engine::postgres::take_warnings() {
        console.note(format_args!("warning: {warning}"));
    }
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            console.error(&error, json);
            exit::code_of(&error)
        }
    }
}

/// With what this build opens tables.
fn tables() -> Tables {
    let tables = Tables::default();
    #[cfg(any(feature = "s3", feature = "cluster"))]
    let tables = throng_cluster::plans_for(&tables);
    tables
}

/// Asks for a password, if somebody sits at a terminal.
#[cfg(feature = "postgres")]
fn ask_password(what: &str) -> Option<String> {
    use std::io::IsTerminal;
    std::io::stderr().is_terminal().then(|| rpassword::prompt_password(what).ok()).flatten()
}
