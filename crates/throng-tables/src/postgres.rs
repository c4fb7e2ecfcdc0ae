//! PostgreSQL.
//!
//! Everything that talks to a server runs on threads with a runtime of their own: sources are opened by whoever
//! needs one, be it in a runtime or not.
//!
//! Other users of a database may have functions and operators of the same names as the server's, for types that fit
//! better. So those of ours that take any type, or others than they are given, are named with their schema (or what they
//! are given is cast).

mod connect;
mod fault;
mod passwords;
mod place;
mod query;
mod replaceable;
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

use crate::address::DatabaseAddress;
use crate::backend::{Database, NewTable, Remote, RemoteSink};
use crate::error::{EngineError, Result};
use crate::tables::Tables;
pub use connect::take_warnings;
pub use passwords::ask_passwords_by;
use session::Snapshots;
use table::PostgresTable;

/// Servers of PostgreSQL.
pub(crate) struct Postgres;

impl Database for Postgres {
    fn open(&self, path: &Path, tables: &Tables) -> Result<(Vec<String>, Arc<dyn Remote>)> {
        let address = address_of(path)?;
        let session = tables.held::<Snapshots>().snapshot(&address.server, path)?;
        let table = PostgresTable::find(&address, path, session)?;
        let columns = table.columns().map(str::to_owned).collect();
        Ok((columns, Arc::new(table)))
    }

    fn refuse_bad_target(&self, path: &Path, replace: bool, input: &Path, tables: &Tables) -> Result<()> {
        target::refuse_bad_target(&address_of(path)?, path, replace, input, tables)
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        target::exists(&address_of(path)?, path)
    }

    fn create(&self, path: &Path, table: NewTable) -> Result<Box<dyn RemoteSink>> {
        sink::create(&address_of(path)?, path, table)
    }
}

fn address_of(path: &Path) -> Result<DatabaseAddress> {
    DatabaseAddress::parse(&path.to_string_lossy())
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
