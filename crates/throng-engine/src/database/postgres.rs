//! PostgreSQL.
//!
//! Everything that talks to a server runs on threads with a runtime of their own: sources are opened by whoever
//! needs one, be it in a runtime or not.

mod connect;
mod fault;
mod passwords;
mod privileges;
mod rows;
mod session;
mod sink;
mod table;
mod target;
mod tls;
mod types;
mod values;

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::thread::Builder as ThreadBuilder;

use tokio::runtime::{Builder, Runtime};

use super::Address;
use crate::error::{EngineError, Result};
use crate::input::source::Source;
pub use passwords::ask_passwords_by;
use session::Session;
pub(super) use sink::create;
use table::Table;
pub(super) use target::{exists, refuse_bad_target};

/// See [`super::open`].
pub(super) fn open(address: &Address, path: &Path) -> Result<Source> {
    let session = Session::of(&address.server, path)?;
    let table = Table::find(address, path, session)?;
    let columns = table.columns().map(str::to_owned).collect();
    Source::of_remote(path, columns, Arc::new(table))
}

/// See [`super::hold`].
pub(super) fn hold(address: &Address, path: &Path) -> Result<Arc<Session>> {
    Session::of(&address.server, path)
}

/// Does some work on a thread of its own, and waits for it.
fn wait_for<T: Send + 'static>(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    let work = move || start_runtime()?.block_on(work);
    let thread = ThreadBuilder::new().name("database".to_owned()).spawn(work).map_err(no_thread)?;
    thread
        .join()
        .unwrap_or_else(|_| Err(EngineError::Data("the database's thread stopped unexpectedly".into())))
}

/// A runtime for one connection.
fn start_runtime() -> Result<Runtime> {
    Builder::new_current_thread().enable_all().build().map_err(no_thread)
}

fn no_thread(cause: std::io::Error) -> EngineError {
    EngineError::Data(format!("cannot start a thread for the database: {cause}").into())
}

/// A name as SQL has it.
fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A table as SQL has it.
fn qualified(schema: Option<&str>, name: &str) -> String {
    schema.map(|schema| format!("{}.", quote(schema))).unwrap_or_default() + &quote(name)
}
