//! The only place that prints: results on standard output, everything else on standard error.

use std::cell::RefCell;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};

use throng_engine::error::{EngineError, Result};

use crate::progress::Bars;

/// Where a command's words go.
pub(crate) struct Console {
    quiet: bool,
    /// The first failure of standard output; nothing is written there after it.
    failure: RefCell<Option<io::Error>>,
}

impl Console {
    /// The console of a process; a quiet one shows no progress.
    pub(crate) fn new(quiet: bool) -> Console {
        Console { quiet, failure: RefCell::new(None) }
    }

    /// Writes a result and a line break to standard output.
    ///
    /// A failure is kept for [`finish`](Self::finish); a reader that has gone away is none.
    pub(crate) fn out(&self, text: impl Display) {
        let mut failure = self.failure.borrow_mut();
        if failure.is_none() {
            let mut stdout = io::stdout().lock();
            *failure = writeln!(stdout, "{text}").and_then(|()| stdout.flush()).err();
        }
    }

    /// Writes a line for people to standard error: a warning, an error, where a file went.
    pub(crate) fn note(&self, text: impl Display) {
        // There is nobody left to tell.
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Progress for a run: bars if somebody watches, and Ctrl-C stops it.
    pub(crate) fn progress(&self) -> Bars {
        Bars::new(!self.quiet && io::stderr().is_terminal())
    }

    /// Fails if not everything could be written, unless the reader did not want more.
    pub(crate) fn finish(&self) -> Result<()> {
        match self.failure.take() {
            Some(cause) if cause.kind() != ErrorKind::BrokenPipe => {
                Err(EngineError::Io { path: "standard output".into(), action: "cannot write", cause })
            }
            _ => Ok(()),
        }
    }
}
