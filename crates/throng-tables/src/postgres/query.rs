//! What a job asks a server for: one statement, which only reads.
//!
//! It goes to the server by the extended protocol, which takes one statement at a time, in a transaction that only reads
//! and is never committed. A query is prepared by itself before it stands between parentheses: a whole statement closes
//! the parentheses, quotes and comments that it opens, and no others, so nothing in it can end those around it.

use std::path::Path;

use throng::wording::quoted;
use tokio_postgres::{Client, Statement};

use super::{fault, qualified};
use crate::address::DatabaseObject;
use crate::error::{EngineError, Result};
use crate::wording::guess;

/// What the server knows of the size of a table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StoredSize {
    pub(super) rows: Option<u64>,
    pub(super) bytes: u64,
}

/// Has the server look at a table or a query, without running it.
///
/// # Errors
/// If there is no such table, or the query is not one that only reads.
pub(super) async fn look_at(
    client: &Client,
    path: &Path,
    subject: &DatabaseObject,
) -> Result<(Statement, StoredSize)> {
    let failed = |error| fault::of_statement(path, &error);
    let (stored, statement) = match subject {
        DatabaseObject::Table { schema, name } => {
            let stored = find(client, path, schema.as_deref(), name).await?;
            (stored, format!("SELECT * FROM {}", qualified(schema.as_deref(), name)))
        }
        DatabaseObject::Query(query) => {
            client.prepare(query).await.map_err(failed)?;
            (StoredSize::default(), format!("SELECT * FROM {}", as_table(query)))
        }
    };
    let prepared = client.prepare(&statement).await.map_err(|error| match subject {
        DatabaseObject::Table { .. } => failed(error),
        DatabaseObject::Query(_) => no_table(path, &failed(error)),
    })?;
    if prepared.columns().is_empty() || !prepared.params().is_empty() {
        return Err(EngineError::bad(("the query gives no columns", "it must be a SELECT")).in_file(path));
    }
    Ok((prepared, stored))
}

/// A query, after [`look_at`], as what others select from. Its last line may be a comment.
pub(super) fn as_table(query: &str) -> String {
    format!("({query}\n) AS throng")
}

/// A statement, but none that could stand in the place of a table.
fn no_table(path: &Path, why: &EngineError) -> EngineError {
    let problem = format!(
        "a query must be a single SELECT, VALUES, TABLE or WITH … SELECT that changes nothing: {}",
        why.message()
    );
    EngineError::bad(problem).in_file(path)
}

const TABLES: &str = "
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')";

/// Finds a table.
///
/// # Errors
/// If there is none; with the name that is nearest.
async fn find(client: &Client, path: &Path, schema: Option<&str>, name: &str) -> Result<StoredSize> {
    let failed = |error| fault::of_statement(path, &error);
    let statement = format!(
        "SELECT c.reltuples::float8, pg_table_size(c.oid) {TABLES} AND c.relname = $1 AND
         CASE WHEN $2::text IS NULL THEN pg_table_is_visible(c.oid) ELSE n.nspname = $2 END"
    );
    let found = client.query_opt(&statement, &[&name, &schema]).await.map_err(failed)?;
    if let Some(found) = found {
        let (rows, bytes): (f64, i64) = (found.get(0), found.get(1));
        let rows = (rows > 0.0).then_some(rows as u64);
        return Ok(StoredSize { rows, bytes: u64::try_from(bytes).unwrap_or(0) });
    }
    let statement = format!(
        "SELECT CASE WHEN $1 THEN n.nspname::text || '.' || c.relname::text ELSE c.relname::text END {TABLES} AND
         NOT starts_with(n.nspname::text, 'pg_') AND n.nspname <> 'information_schema' AND ($1 OR pg_table_is_visible(c.oid)) ORDER BY 1"
    );
    let rows = client.query(&statement, &[&schema.is_some()]).await.map_err(failed)?;
    let all: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let asked = schema.map(|schema| format!("{schema}.{name}")).unwrap_or_else(|| name.to_owned());
    let near = guess(&asked, all.iter().map(String::as_str));
    Err(EngineError::not_found(path, format!("the database has no table {}{near}", quoted(&asked))))
}
