//! One view of a database for a whole run.
//!
//! A transaction that only reads is kept open, and all connections that follow take its snapshot: however many there
//! are, and whatever others write meanwhile, all see the same rows.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::Builder;

use tokio::sync::oneshot;
use tokio_postgres::Client;

use super::connect::connect;
use super::{fault, no_thread, start_runtime};
use crate::address::Server;
use crate::error::{EngineError, Result};
use crate::tables::Held;

/// The views of databases that a run holds: who asks for the same server gets the same one.
#[derive(Default)]
pub(super) struct Snapshots(Mutex<Vec<Weak<DatabaseSnapshot>>>);

/// It keeps none of them.
impl Held for Snapshots {}

/// What runs in it can change nothing, and it is never committed.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Statements mean the same on every server, values are written in the same way in every scan, and nobody is told what
/// functions say of rows.
const SETTINGS: &str = "
    SET LOCAL standard_conforming_strings = on;
    SET LOCAL client_min_messages = error;
    SET LOCAL idle_in_transaction_session_timeout = 0;
    SET LOCAL DateStyle = 'ISO, YMD';
    SET LOCAL IntervalStyle = 'postgres';
    SET LOCAL TimeZone = 'UTC';
    SET LOCAL extra_float_digits = 1;
    SET LOCAL bytea_output = 'hex'";
/// Rows come in the order in which they are stored: several workers, scans that begin where another one is, and indexes
/// would bring them in another.
const IN_ORDER: &str = "
    SET LOCAL synchronize_seqscans = off;
    SET LOCAL max_parallel_workers_per_gather = 0;
    SET LOCAL enable_indexscan = off;
    SET LOCAL enable_indexonlyscan = off;
    SET LOCAL enable_bitmapscan = off";
/// Counting in few batches needs more memory than what most servers allow a statement that might be one of many, and
/// compiling it takes longer than it saves. Who has set more keeps it.
const COUNTING: &str = "
    SELECT set_config(name, 'off', true) FROM pg_settings WHERE name = 'jit';
    SELECT set_config(name, '65536', true) FROM pg_settings WHERE name = 'work_mem' AND setting::int8 < 65536";

/// A view of a database, as long as it is kept.
#[derive(Debug)]
pub(crate) struct DatabaseSnapshot {
    server: Server,
    identity: Identity,
    snapshot: String,
    /// The tables that were read, however they are called, and by whatever views and functions.
    tables_read: Mutex<BTreeSet<u32>>,
    /// Ends the transaction when it is dropped.
    _keep: oneshot::Sender<()>,
}

/// What tells one database from all others: that of the server (which its standbys share), and its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity(i64, u32);

impl Identity {
    /// The identity of the database of a connection.
    pub(super) async fn ask(client: &Client, path: &Path) -> Result<Identity> {
        let statement = "SELECT s.system_identifier, d.oid FROM pg_control_system() s, pg_database d
                         WHERE d.datname = current_database()";
        let row =
            client.query_one(statement, &[]).await.map_err(|error| fault::of_statement(path, &error))?;
        Ok(Identity(row.get(0), row.get(1)))
    }
}

impl Snapshots {
    /// The view that is held of a database, or else a new one.
    pub(super) fn snapshot(&self, server: &Server, path: &Path) -> Result<Arc<DatabaseSnapshot>> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|session| session.strong_count() > 0);
        let known = held.iter().filter_map(Weak::upgrade).find(|session| session.server == *server);
        if let Some(session) = known {
            return Ok(session);
        }
        let session = Arc::new(DatabaseSnapshot::begin(server, path)?);
        held.push(Arc::downgrade(&session));
        Ok(session)
    }

    /// Whether a view that is held has read a table of a database.
    pub(super) fn have_read(&self, identity: &Identity, table: u32) -> bool {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().filter_map(Weak::upgrade).filter(|session| session.identity == *identity).any(|session| {
            session.tables_read.lock().unwrap_or_else(PoisonError::into_inner).contains(&table)
        })
    }
}

impl DatabaseSnapshot {
    fn begin(server: &Server, path: &Path) -> Result<DatabaseSnapshot> {
        let (tell, hear) = mpsc::channel();
        let (keep, mut dropped) = oneshot::channel::<()>();
        let (of_thread, path) = (server.clone(), path.to_owned());
        let work = async move {
            match begin(&of_thread, &path).await {
                Ok((client, begun)) => {
                    let _ = tell.send(Ok(begun));
                    let _ = (&mut dropped).await;
                    drop(client);
                }
                Err(error) => drop(tell.send(Err(error))),
            }
        };
        let runtime = start_runtime()?;
        let thread = Builder::new().name("database".to_owned()).spawn(move || runtime.block_on(work));
        thread.map_err(no_thread)?;
        let ended = |_| EngineError::Data("the database's thread stopped unexpectedly".into());
        let (identity, snapshot) = hear.recv().map_err(ended)??;
        let tables_read = Mutex::default();
        Ok(DatabaseSnapshot { server: server.clone(), identity, snapshot, tables_read, _keep: keep })
    }

    /// The database that it looks at.
    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Keeps in mind which tables a connection of this session has read: those that it has locked.
    pub(super) async fn note_read(&self, client: &Client, path: &Path) -> Result<()> {
        let tables = tables_locked(client, path).await?;
        self.tables_read.lock().unwrap_or_else(PoisonError::into_inner).extend(tables);
        Ok(())
    }

    /// A connection that sees what this session does; must be called in a runtime. Rows come `in_order`, or are
    /// counted, however that is fastest.
    pub(super) async fn connect(&self, path: &Path, in_order: bool) -> Result<Client> {
        let client = connect(&self.server).await?;
        let order = if in_order { IN_ORDER } else { COUNTING };
        let snapshot = format!("{BEGIN}; SET TRANSACTION SNAPSHOT '{}'; {SETTINGS}; {order}", self.snapshot);
        client.batch_execute(&snapshot).await.map_err(|error| fault::of_statement(path, &error))?;
        Ok(client)
    }
}

/// The tables that the transaction of a connection has a lock on, as every table that it looks at.
pub(super) async fn tables_locked(client: &Client, path: &Path) -> Result<Vec<u32>> {
    let statement = "SELECT relation FROM pg_catalog.pg_locks
                     WHERE locktype = 'relation' AND pid = pg_catalog.pg_backend_pid()";
    let rows = client.query(statement, &[]).await.map_err(|error| fault::of_statement(path, &error))?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

async fn begin(server: &Server, path: &Path) -> Result<(Client, (Identity, String))> {
    let client = connect(server).await?;
    let failed = |error| fault::of_statement(path, &error);
    client.batch_execute(&format!("{BEGIN}; {SETTINGS}")).await.map_err(failed)?;
    let identity = Identity::ask(&client, path).await?;
    let row = client.query_one("SELECT pg_export_snapshot()", &[]).await.map_err(failed)?;
    Ok((client, (identity, row.get(0))))
}

/// The statements that make a scan of another transaction as one of a session.
pub(super) fn settings() -> String {
    format!("{SETTINGS}; {IN_ORDER}")
}
