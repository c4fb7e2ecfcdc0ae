//! A log for operators: phases, times, counts, warnings and errors, never a cell.
//!
//! What is logged is what runs tell their progress and what is printed for people, so a library for it would only
//! have to be told the same once more.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use jiff::Timestamp;

use throng_engine::error::{EngineError, Result};

/// How often counts that grow are logged.
const PACE: Duration = Duration::from_secs(1);

/// How much is logged; each level has all before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum LogLevel {
    /// What ended the run
    Error,
    /// What a reader of a release should know
    Warn,
    /// Phases, how long they took, rows, and what was chosen
    Info,
    /// How far each phase has come, once a second
    Debug,
}

/// A file that lines are appended to.
pub(crate) struct Log {
    path: PathBuf,
    level: LogLevel,
    state: Mutex<State>,
}

struct State {
    file: File,
    phase: Option<(&'static str, Instant)>,
    /// The last line about something that grows.
    counted: Option<Instant>,
}

impl Log {
    /// Appends to a file, which is made if need be: then only its owner can read it.
    ///
    /// # Errors
    /// If it cannot be written, or is there and no log: a table would be damaged.
    pub(crate) fn open(path: &Path, level: LogLevel) -> Result<Log> {
        if is_other_file(path) {
            let problem = (
                "this file already exists and is not a throng log",
                "give the name of a new file or of another log",
            );
            return Err(EngineError::bad(problem).in_file(path));
        }
        let mut options = File::options();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|cause| EngineError::Io {
            path: path.to_owned(),
            action: "cannot write the log",
            cause,
        })?;
        Ok(Log {
            path: path.to_owned(),
            level,
            state: Mutex::new(State { file, phase: None, counted: None }),
        })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a line, unless its level is beyond that of the log.
    pub(crate) fn write(&self, level: LogLevel, text: impl Display) {
        self.change(|state| state.write(self.level, level, &text));
    }

    /// A phase begins, and the one before it ends.
    pub(crate) fn phase(&self, name: &'static str) {
        self.change(|state| {
            state.end_phase(self.level);
            state.phase = Some((name, Instant::now()));
            state.counted = None;
            state.write(self.level, LogLevel::Info, &format_args!("{name} begins"));
        });
    }

    /// Something has grown; said once a second.
    pub(crate) fn count(&self, number: u64, of: &str) {
        if self.level < LogLevel::Debug {
            return;
        }
        self.change(|state| {
            if state.counted.is_none_or(|last| last.elapsed() >= PACE) {
                state.counted = Some(Instant::now());
                state.write(self.level, LogLevel::Debug, &format_args!("{number} {of}"));
            }
        });
    }

    /// The run is over.
    pub(crate) fn end(&self) {
        self.change(|state| state.end_phase(self.level));
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Whether a file has something in it that no log begins with.
fn is_other_file(path: &Path) -> bool {
    // To read from a pipe or a terminal would wait for others, or take what is theirs.
    if !fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0) {
        return false;
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut start));
    // What cannot be read is left to who writes it.
    read.is_ok() && !is_line(&String::from_utf8_lossy(&start))
}

/// Whether a line is one of a log: a time and a level.
fn is_line(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let is_time = words.next().is_some_and(|word| word.parse::<Timestamp>().is_ok());
    is_time && words.next().is_some_and(|word| LogLevel::from_str(word, true).is_ok())
}

impl State {
    fn write(&mut self, most: LogLevel, level: LogLevel, text: &impl Display) {
        if level > most {
            return;
        }
        let name = level.to_possible_value().map_or_else(String::new, |name| name.get_name().to_uppercase());
        let text = text.to_string();
        for line in text.lines() {
            // A run does not fail for want of a log.
            let _ = writeln!(self.file, "{:.3} {name:5} {line}", Timestamp::now());
        }
    }

    fn end_phase(&mut self, most: LogLevel) {
        if let Some((name, begun)) = self.phase.take() {
            let seconds = begun.elapsed().as_secs_f64();
            self.write(most, LogLevel::Info, &format_args!("{name} took {seconds:.3} s"));
        }
    }
}
