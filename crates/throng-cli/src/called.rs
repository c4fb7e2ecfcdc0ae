//! By which arguments the command was called: those of the process, or of a program that it is a part of.

use std::env;
use std::ffi::OsString;
use std::sync::OnceLock;

static ARGUMENTS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Notes the arguments of this process; the first that are noted stay.
pub(crate) fn by(arguments: Vec<OsString>) -> &'static [OsString] {
    ARGUMENTS.get_or_init(|| arguments)
}

/// All arguments, the first of which is the name of the command.
pub(crate) fn arguments() -> &'static [OsString] {
    by(env::args_os().collect())
}
