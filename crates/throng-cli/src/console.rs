//! The only place that prints: results on standard output, everything else on standard error.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use throng_engine::error::{EngineError, Result};
use throng_engine::tables::Tables;

use crate::called;
use crate::failure;
use crate::log::{Log, LogLevel};
use crate::progress::ProgressBars;

/// Where a command's words go.
pub(crate) struct Console {
    quiet: bool,
    /// Whether standard output is taken by a release.
    taken: Cell<bool>,
    log: Option<Arc<Log>>,
    /// The first failure of standard output; nothing is written there after it.
    failure: RefCell<Option<io::Error>>,
    /// With what the command opens its tables.
    tables: Tables,
}

impl Console {
    /// The console of a process; a quiet one shows nothing but errors, and what machines read.
    pub(crate) fn new(quiet: bool) -> Console {
        Console {
            quiet,
            taken: Cell::new(false),
            log: None,
            failure: RefCell::new(None),
            tables: Tables::default(),
        }
    }

    /// The same console of a command that opens its tables with these.
    pub(crate) fn with_tables(self, tables: &Tables) -> Console {
        Console { tables: tables.clone(), ..self }
    }

    /// With what the command opens its tables.
    pub(crate) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Also logs from now on what happens, if there is a file for it.
    pub(crate) fn log_to(&mut self, file: Option<&Path>, level: LogLevel) -> Result<()> {
        if let Some(file) = file {
            let log = Log::open(file, level)?;
            let command = called::arguments()
                .get(1)
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            log.write(LogLevel::Info, format_args!("throng {} {command}", env!("CARGO_PKG_VERSION")));
            self.log = Some(Arc::new(log));
        }
        Ok(())
    }

    /// Where the log is, if there is one.
    pub(crate) fn log_file(&self) -> Option<&Path> {
        self.log.as_ref().map(|log| log.path())
    }

    /// Writes a line to the log, if there is one.
    pub(crate) fn log(&self, level: LogLevel, text: impl Display) {
        if let Some(log) = &self.log {
            log.write(level, text);
        }
    }

    /// From now on results go to standard error: a release goes to standard output.
    pub(crate) fn leave_standard_output(&self) {
        self.taken.set(true);
    }

    /// Writes a result for people, unless they want to be left in quiet.
    pub(crate) fn out(&self, text: impl Display) {
        if !self.quiet {
            self.data(text);
        }
    }

    /// Writes a result that machines read, and a line break, to standard output.
    ///
    /// A failure is kept for [`finish`](Self::finish); a reader that has gone away is none.
    pub(crate) fn data(&self, text: impl Display) {
        if self.taken.get() {
            return self.complain(text);
        }
        let mut failure = self.failure.borrow_mut();
        if failure.is_none() {
            let mut stdout = io::stdout().lock();
            *failure = writeln!(stdout, "{text}").and_then(|()| stdout.flush()).err();
        }
    }

    /// Writes a line for people to standard error: a warning, where a file went.
    pub(crate) fn note(&self, text: impl Display) {
        self.log(LogLevel::Warn, &text);
        if !self.quiet {
            self.complain(text);
        }
    }

    /// Writes an error to standard error, as text or as one JSON object.
    pub(crate) fn error(&self, error: &EngineError, as_json: bool) {
        self.log(LogLevel::Error, error);
        match as_json {
            true => self.complain(failure::object(error)),
            false => self.complain(format_args!("error: {error}")),
        }
    }

    /// Writes what is wrong with a command line to standard error, as one JSON object.
    pub(crate) fn usage(&self, error: &clap::Error) {
        self.complain(failure::usage(error));
    }

    fn complain(&self, text: impl Display) {
        // There is nobody left to tell.
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Progress for a run: bars if somebody watches, and Ctrl-C stops it.
    pub(crate) fn progress(&self) -> ProgressBars {
        ProgressBars::new(!self.quiet && io::stderr().is_terminal(), self.log.clone())
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
