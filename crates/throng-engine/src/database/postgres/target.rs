//! The table that a release goes into.

use std::path::Path;

use throng::wording::{quoted, quoted_list};
use tokio_postgres::Client;

use super::connect::connect;
use super::session::Session;
use super::{fault, qualified, wait_for};
use crate::database::address::Subject;
use crate::database::{Address, is_address};
use crate::error::{EngineError, Result};
use crate::wording::guess;

/// A table that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    oid: u32,
    /// Whether it is a table that can be dropped, and no view.
    is_plain: bool,
}

/// See [`crate::database::exists`].
pub(in super::super) fn exists(address: &Address, path: &Path) -> Result<bool> {
    let (address, path) = (address.clone(), path.to_owned());
    wait_for(async move {
        let client = connect(&address.server).await?;
        Ok(find(&client, &address, &path).await?.is_some())
    })
}

/// See [`crate::database::refuse_bad_target`].
pub(in super::super) fn refuse_bad_target(
    address: &Address,
    path: &Path,
    replace: bool,
    input: &Path,
) -> Result<()> {
    address.table()?;
    let (address, path, input) = (address.clone(), path.to_owned(), input.to_owned());
    let session = match is_address(&input) {
        true => {
            let source = Address::parse(&input.to_string_lossy())?;
            Some((Session::of(&source.server, &input)?, source))
        }
        false => None,
    };
    wait_for(async move {
        let client = connect(&address.server).await?;
        let found = find(&client, &address, &path).await?;
        if let (Some(found), Some((session, source))) = (found, &session) {
            let reader = session.connect(&input, true).await?;
            let same_database = identity(&client, &path).await? == identity(&reader, &input).await?;
            if same_database && reads(&reader, source, &input, found).await? {
                let problem = "this is the table that is read; the release needs a table of its own";
                return Err(EngineError::bad(problem).in_file(&path));
            }
        }
        refuse_found(found, &address, &path, replace)?;
        if let Some(found) = found {
            refuse_needed(&client, &path, found).await?;
        }
        refuse_schema(&client, &address, &path).await
    })
}

fn refuse_found(found: Option<Found>, address: &Address, path: &Path, replace: bool) -> Result<()> {
    let (schema, name) = address.table()?;
    let name = quoted(schema.map(|schema| format!("{schema}.{name}")).unwrap_or(name.to_owned()));
    match found {
        Some(_) if !replace => Err(EngineError::bad(format!(
            "there is a table {name} already; name another one, or have it replaced with --replace (in a job: \
             replace = true beside path in the output)"
        ))
        .in_file(path)),
        Some(found) if !found.is_plain => {
            Err(EngineError::bad(format!("{name} is no table that could be replaced")).in_file(path))
        }
        _ => Ok(()),
    }
}

/// Views over a table, and tables whose keys refer to it.
const DEPENDENTS: &str = "
    SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid <> $1 AND (
        c.oid IN (SELECT r.ev_class FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
                  WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = $1)
        OR c.oid IN (SELECT k.conrelid FROM pg_constraint k WHERE k.contype = 'f' AND k.confrelid = $1))
    ORDER BY 1";

/// Refuses a table that others need: it could not be dropped, and they must not see another one unasked.
async fn refuse_needed(client: &Client, path: &Path, found: Found) -> Result<()> {
    let rows = client.query(DEPENDENTS, &[&found.oid]).await;
    let rows = rows.map_err(|error| fault::of_statement(path, &error))?;
    let names: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    if names.is_empty() {
        return Ok(());
    }
    let problem = format!(
        "the table cannot be replaced: {} depend{} on it; drop what depends on it and make it again afterwards, or name \
         another table",
        quoted_list(&names),
        if names.len() == 1 { "s" } else { "" }
    );
    Err(EngineError::bad(problem).in_file(path))
}

/// Finds the table of an address.
pub(super) async fn find(client: &Client, address: &Address, path: &Path) -> Result<Option<Found>> {
    let (schema, name) = address.table()?;
    let statement = "SELECT c.oid, c.relkind IN ('r', 'p') FROM pg_class c WHERE c.oid = to_regclass($1)";
    let row = client.query_opt(statement, &[&qualified(schema, name)]).await;
    let row = row.map_err(|error| fault::of_statement(path, &error))?;
    Ok(row.map(|row| Found { oid: row.get(0), is_plain: row.get(1) }))
}

/// What tells one database from all others.
async fn identity(client: &Client, path: &Path) -> Result<(String, u32)> {
    let statement =
        "SELECT pg_postmaster_start_time()::timestamptz AT TIME ZONE 'UTC' || '', oid FROM pg_database
                     WHERE datname = current_database()";
    let row = client.query_one(statement, &[]).await.map_err(|error| fault::of_statement(path, &error))?;
    Ok((row.get(0), row.get(1)))
}

/// Whether a source is this table, or a query that reads it.
async fn reads(client: &Client, source: &Address, path: &Path, target: Found) -> Result<bool> {
    let failed = |error| fault::of_statement(path, &error);
    let query = match &source.subject {
        Subject::Table { .. } => return Ok(find(client, source, path).await? == Some(target)),
        Subject::Query(query) => query,
    };
    let names = "SELECT c.relname::text, n.nspname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE c.oid = $1";
    let row = client.query_one(names, &[&target.oid]).await.map_err(failed)?;
    let (name, schema): (String, String) = (row.get(0), row.get(1));
    let plan =
        client.simple_query(&format!("EXPLAIN (VERBOSE, FORMAT JSON) {query}")).await.map_err(failed)?;
    let plan: String = plan
        .iter()
        .filter_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        })
        .collect();
    let plan: serde_json::Value = serde_json::from_str(&plan).unwrap_or_default();
    Ok(scans(&plan, &schema, &name))
}

/// Whether a plan scans a table anywhere.
fn scans(plan: &serde_json::Value, schema: &str, name: &str) -> bool {
    match plan {
        serde_json::Value::Array(all) => all.iter().any(|one| scans(one, schema, name)),
        serde_json::Value::Object(parts) => {
            let is = |key: &str, value: &str| parts.get(key).and_then(|part| part.as_str()) == Some(value);
            is("Relation Name", name) && is("Schema", schema)
                || parts.iter().any(|(_, one)| scans(one, schema, name))
        }
        _ => false,
    }
}

/// Refuses a schema that is not there, or in which nothing may be made.
async fn refuse_schema(client: &Client, address: &Address, path: &Path) -> Result<()> {
    let failed = |error| fault::of_statement(path, &error);
    let (schema, _) = address.table()?;
    let statement = "SELECT nspname::text, has_schema_privilege(oid, 'CREATE') FROM pg_namespace
                     WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' ORDER BY 1";
    let rows = client.query(statement, &[]).await.map_err(failed)?;
    let all: Vec<(String, bool)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let current = client.query_one("SELECT current_schema()::text", &[]).await.map_err(failed)?;
    let schema = schema.map(str::to_owned).or_else(|| current.get(0)).unwrap_or_default();
    let problem = match all.iter().find(|(name, _)| *name == schema) {
        Some((_, true)) => return Ok(()),
        Some((_, false)) => format!("no table may be made in the schema {}", quoted(&schema)),
        None => {
            let near = guess(&schema, all.iter().map(|(name, _)| name.as_str()));
            format!("the database has no schema {}{near}", quoted(&schema))
        }
    };
    Err(EngineError::bad(problem).in_file(path))
}
