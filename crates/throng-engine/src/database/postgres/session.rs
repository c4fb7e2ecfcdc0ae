//! One view of a database for a whole run.
//!
//! A transaction that only reads is kept open, and all connections that follow take its snapshot: however many there
//! are, and whatever others write meanwhile, all see the same rows.

use std::path::Path;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::Builder;

use tokio::sync::oneshot;
use tokio_postgres::Client;

use super::connect::connect;
use super::{fault, no_thread, start_runtime};
use crate::database::address::Server;
use crate::error::{EngineError, Result};

/// Sessions that somebody holds: who asks for the same server gets the same one.
static HELD: Mutex<Vec<Weak<Session>>> = Mutex::new(Vec::new());

const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Rows come in the order in which they are stored, and are written in the same way, in every scan: several workers,
/// scans that begin where another one is, and indexes would bring them in another.
const SETTINGS: &str = "
    SET LOCAL idle_in_transaction_session_timeout = 0;
    SET LOCAL DateStyle = 'ISO, YMD';
    SET LOCAL IntervalStyle = 'postgres';
    SET LOCAL TimeZone = 'UTC';
    SET LOCAL extra_float_digits = 1;
    SET LOCAL bytea_output = 'hex'";
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
pub(crate) struct Session {
    server: Server,
    snapshot: String,
    /// Ends the transaction when it is dropped.
    _keep: oneshot::Sender<()>,
}

impl Session {
    /// The view that is held of a database, or else a new one.
    pub(super) fn of(server: &Server, path: &Path) -> Result<Arc<Session>> {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|session| session.strong_count() > 0);
        let known = held.iter().filter_map(Weak::upgrade).find(|session| session.server == *server);
        if let Some(session) = known {
            return Ok(session);
        }
        let session = Arc::new(Session::begin(server, path)?);
        held.push(Arc::downgrade(&session));
        Ok(session)
    }

    fn begin(server: &Server, path: &Path) -> Result<Session> {
        let (tell, hear) = mpsc::channel();
        let (keep, mut dropped) = oneshot::channel::<()>();
        let (of_thread, path) = (server.clone(), path.to_owned());
        let work = async move {
            match begin(&of_thread, &path).await {
                Ok((client, snapshot)) => {
                    let _ = tell.send(Ok(snapshot));
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
        let snapshot = hear.recv().map_err(ended)??;
        Ok(Session { server: server.clone(), snapshot, _keep: keep })
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

async fn begin(server: &Server, path: &Path) -> Result<(Client, String)> {
    let client = connect(server).await?;
    let failed = |error| fault::of_statement(path, &error);
    client.batch_execute(&format!("{BEGIN}; {SETTINGS}")).await.map_err(failed)?;
    let row = client.query_one("SELECT pg_export_snapshot()", &[]).await.map_err(failed)?;
    Ok((client, row.get(0)))
}

/// The statements that make a scan of another transaction as one of a session.
pub(super) fn settings() -> String {
    format!("{SETTINGS}; {IN_ORDER}")
}
