//! What the process tells its caller.

use std::io::ErrorKind;
use std::process::ExitCode;

use throng_engine::error::EngineError;

/// The exit code of a command line that cannot be used.
pub(crate) const USAGE: u8 = 2;
/// The exit code of a machine that failed.
pub(crate) const MACHINE: u8 = 3;

/// How a command that did not fail ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All that was asked for was done: 0.
    Done,
    /// There is no admissible release: 1.
    NoRelease,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        match exit {
            Exit::Done => ExitCode::SUCCESS,
            Exit::NoRelease => ExitCode::from(1),
        }
    }
}

/// 2 for what the user can mend, 3 for what the machine did, 130 for an interruption.
pub(crate) fn code_of(error: &EngineError) -> ExitCode {
    ExitCode::from(number_of(error))
}

/// The same as a number.
pub(crate) fn number_of(error: &EngineError) -> u8 {
    match error {
        EngineError::BadInput(_) | EngineError::NotFound(_) => 2,
        EngineError::Io { cause, .. } if is_wrong_path(cause.kind()) => 2,
        EngineError::Io { .. }
        | EngineError::Data(_)
        | EngineError::Lost(_)
        | EngineError::Unverified(_)
        | EngineError::Memory(_) => MACHINE,
        EngineError::Interrupted => 130,
    }
}

fn is_wrong_path(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::IsADirectory | ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn the_machine_is_not_blamed_for_a_wrong_path() {
        let io = |kind: ErrorKind| EngineError::Io {
            path: "a.csv".into(),
            action: "cannot read",
            cause: io::Error::from(kind),
        };
        assert_eq!(number_of(&io(ErrorKind::NotFound)), 2);
        assert_eq!(number_of(&io(ErrorKind::IsADirectory)), 2);
        assert_eq!(number_of(&io(ErrorKind::StorageFull)), 3);
        assert_eq!(number_of(&io(ErrorKind::PermissionDenied)), 3);
        assert_eq!(number_of(&EngineError::bad("k is 0")), 2);
        assert_eq!(number_of(&EngineError::Unverified("a class of 1".into())), 3);
        assert_eq!(number_of(&EngineError::Interrupted), 130);
    }
}
