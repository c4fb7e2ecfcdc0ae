//! A table or the result of a query, as an input.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use futures::StreamExt;
use throng::wording::quoted;
use tokio::sync::mpsc::Sender;

use super::query::{StoredSize, as_table, look_at};
use super::rows::{Form, RowDecoder};
use super::session::DatabaseSnapshot;
use super::types::{ColumnType, TypeUse, describe};
use super::{fault, qualified, quote, start_runtime, wait_for};
use crate::address::DatabaseAddress;
use crate::address::DatabaseObject;
use crate::backend::Remote;
use crate::error::{EngineError, Result};
use crate::input::source::{Batches, pass_on};

/// A table, and the session that sees it.
#[derive(Debug)]
pub(super) struct PostgresTable {
    path: PathBuf,
    session: Arc<DatabaseSnapshot>,
    subject: DatabaseObject,
    columns: Vec<(String, ColumnType)>,
    stored: StoredSize,
}

impl PostgresTable {
    /// Looks at the table of an address.
    ///
    /// # Errors
    /// If there is no such table, or the query is none.
    pub(super) fn find(
        address: &DatabaseAddress,
        path: &Path,
        session: Arc<DatabaseSnapshot>,
    ) -> Result<PostgresTable> {
        let (subject, path) = (address.subject.clone(), path.to_owned());
        wait_for(async move {
            let client = session.connect(&path, true).await?;
            let (statement, stored) = look_at(&client, &path, &subject).await?;
            let oids: Vec<u32> = statement.columns().iter().map(|column| column.type_().oid()).collect();
            let modifiers: Vec<i32> =
                statement.columns().iter().map(|column| column.type_modifier()).collect();
            let types = describe(&client, &path, &oids, &modifiers).await?;
            let names = statement.columns().iter().map(|column| column.name().to_owned());
            Ok(PostgresTable { columns: names.zip(types).collect(), path, session, subject, stored })
        })
    }

    /// The names of its columns.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// Refuses columns without text.
    fn chosen(&self, columns: &[usize]) -> Result<Vec<(&str, &ColumnType)>> {
        let chosen = columns.iter().map(|&column| {
            let (name, of) = &self.columns[column];
            if of.kind != TypeUse::Textless {
                return Ok((name.as_str(), of));
            }
            let problem = (
                format!("column {} has type {}, which has no text form", quoted(name), of.declared),
                "leave it out, or convert it to text, with ?query=SELECT … in the address",
            );
            Err(EngineError::bad(problem).in_file(&self.path).about_column(name))
        });
        chosen.collect()
    }

    /// What rows are selected from, and what must stand before that.
    fn relation(&self, fixed: bool) -> (String, String) {
        match &self.subject {
            DatabaseObject::Table { schema, name } => (String::new(), qualified(schema.as_deref(), name)),
            // A query is planned by itself then, whichever of its columns are asked for, so that the order of its rows
            // is the same.
            DatabaseObject::Query(query) if fixed => {
                (format!("WITH throng AS MATERIALIZED ({query}\n) "), "throng".to_owned())
            }
            DatabaseObject::Query(query) => (String::new(), as_table(query)),
        }
    }

    fn read(&self, select: &str, columns: &[(&str, Form)], counted: bool) -> Batches {
        let copy = format!("COPY ({select}) TO STDOUT (FORMAT binary)");
        let decoder = RowDecoder::new(columns, counted);
        let (session, path) = (Arc::clone(&self.session), self.path.clone());
        pass_on(move |sender| {
            let work = read(session, path.clone(), copy, decoder, !counted, sender.clone());
            let done = start_runtime().and_then(|runtime| runtime.block_on(work));
            if let Err(error) = done {
                let _ = sender.blocking_send(Err(error));
            }
        })
    }
}

impl Remote for PostgresTable {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn scan(&self, columns: &[usize]) -> Result<Batches> {
        let chosen = self.chosen(columns)?;
        let (with, relation) = self.relation(true);
        let cells: Vec<String> = chosen.iter().map(|(name, of)| of.text_of(&quote(name))).collect();
        let select = format!("{with}SELECT {} FROM {relation}", cells.join(", "));
        let columns: Vec<(&str, Form)> = chosen.iter().map(|(name, _)| (*name, Form::Text)).collect();
        Ok(self.read(&select, &columns, false))
    }

    fn count(&self, columns: &[usize]) -> Result<Batches> {
        let chosen = self.chosen(columns)?;
        let (with, relation) = self.relation(false);
        let keys: Vec<String> = chosen.iter().map(|(name, of)| of.grouped(&quote(name))).collect();
        let named: Vec<String> = keys.iter().enumerate().map(|(at, key)| format!("{key} AS c{at}")).collect();
        let groups = chosen.iter().enumerate().map(|(at, (_, of))| of.of_group(&format!("c{at}")));
        let (cells, forms): (Vec<String>, Vec<Form>) = groups.unzip();
        let places: Vec<String> = (1..=keys.len()).map(|place| place.to_string()).collect();
        let select = format!(
            "{with}SELECT {}, n FROM (SELECT {}, count(*) AS n FROM {relation} GROUP BY {}) AS groups",
            cells.join(", "),
            named.join(", "),
            places.join(", ")
        );
        let columns: Vec<(&str, Form)> = chosen.iter().map(|(name, _)| *name).zip(forms).collect();
        Ok(self.read(&select, &columns, true))
    }

    fn type_of(&self, column: usize) -> Option<&str> {
        self.columns.get(column).map(|(_, of)| of.declared.as_str())
    }

    fn text_of(&self, column: usize, cell: &str) -> Option<String> {
        self.columns.get(column).map(|(_, of)| of.plain_text_of(cell))
    }

    fn expected_rows(&self) -> Option<u64> {
        self.stored.rows
    }

    fn stored_bytes(&self) -> u64 {
        self.stored.bytes
    }
}

/// Sends the batches of a COPY, until there are no more or nobody listens.
async fn read(
    session: Arc<DatabaseSnapshot>,
    path: PathBuf,
    copy: String,
    mut decoder: RowDecoder,
    in_order: bool,
    sender: Sender<Result<RecordBatch>>,
) -> Result<()> {
    let failed = |error| fault::of_rows(&path, &error);
    let client = session.connect(&path, in_order).await?;
    let rows = client.copy_out(&copy).await.map_err(failed)?;
    futures::pin_mut!(rows);
    while let Some(bytes) = rows.next().await {
        let batch = decoder.add(&bytes.map_err(failed)?).map_err(|error| error.in_file(&path))?;
        if let Some(batch) = batch
            && sender.send(Ok(batch)).await.is_err()
        {
            return Ok(());
        }
    }
    session.note_read(&client, &path).await?;
    if let Some(batch) = decoder.finish().map_err(|error| error.in_file(&path))? {
        let _ = sender.send(Ok(batch)).await;
    }
    Ok(())
}
