//! The table that a release goes into.

use std::path::Path;

use throng::wording::quoted;
use tokio_postgres::Client;

use super::connect::connect;
use super::query::look_at;
use super::session::{DatabaseSnapshot, Identity, Snapshots, tables_locked};
use super::{fault, qualified, replaceable, wait_for};
use crate::address::Address;
use crate::address::DatabaseAddress;
use crate::error::{EngineError, Result};
use crate::tables::Tables;
use crate::wording::guess;

/// Something of this name that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExistingTable {
    pub(super) oid: u32,
    pub(super) schema: String,
    pub(super) name: String,
}

impl ExistingTable {
    /// Its name as SQL has it.
    pub(super) fn relation(&self) -> String {
        qualified(Some(&self.schema), &self.name)
    }
}

/// See [`crate::address::exists`].
pub(super) fn exists(address: &DatabaseAddress, path: &Path) -> Result<bool> {
    let (address, path) = (address.clone(), path.to_owned());
    wait_for(async move {
        let client = connect(&address.server).await?;
        Ok(find(&client, &address, &path).await?.is_some())
    })
}

/// See [`crate::backend::Database::refuse_bad_target`].
pub(super) fn refuse_bad_target(
    address: &DatabaseAddress,
    path: &Path,
    replace: bool,
    input: &Path,
    tables: &Tables,
) -> Result<()> {
    address.table()?;
    let (address, path, input) = (address.clone(), path.to_owned(), input.to_owned());
    let session = match Address::from_path(&*input) {
        Address::Postgres(_) => {
            let source = DatabaseAddress::parse(&input.to_string_lossy())?;
            Some((tables.held::<Snapshots>().snapshot(&source.server, &input)?, source))
        }
        _ => None,
    };
    wait_for(async move {
        let client = connect(&address.server).await?;
        let mut schema = schema_of(&client, &address, &path).await?;
        if let Some(found) = find(&client, &address, &path).await? {
            if let Some((session, source)) = &session
                && *session.identity() == Identity::ask(&client, &path).await?
                && reads(session, source, &input, &found).await?
            {
                return Err(refuse_read(&path));
            }
            if !replace {
                return Err(refuse_found(&address, &path)?);
            }
            replaceable::refuse(&client, &path, &found).await?;
            schema = found.schema;
        }
        refuse_schema(&client, &schema, &path).await
    })
}

/// Whether a source reads a table: whatever the server looks at for it is locked.
async fn reads(
    session: &DatabaseSnapshot,
    source: &DatabaseAddress,
    path: &Path,
    table: &ExistingTable,
) -> Result<bool> {
    let reader = session.connect(path, true).await?;
    look_at(&reader, path, &source.subject).await?;
    Ok(tables_locked(&reader, path).await?.contains(&table.oid))
}

/// The release may not take the place of what it is made of.
pub(super) fn refuse_read(path: &Path) -> EngineError {
    EngineError::bad(("this is the input table", "the release needs a table of its own")).in_file(path)
}

fn refuse_found(address: &DatabaseAddress, path: &Path) -> Result<EngineError> {
    let (schema, name) = address.table()?;
    let name = quoted(schema.map(|schema| format!("{schema}.{name}")).unwrap_or(name.to_owned()));
    Ok(EngineError::bad((
        format!("the table {name} already exists"),
        "name another one, or replace it with --replace (in a job: replace = true beside path in the \
         output)",
    ))
    .in_file(path))
}

/// Finds the table of an address.
pub(super) async fn find(
    client: &Client,
    address: &DatabaseAddress,
    path: &Path,
) -> Result<Option<ExistingTable>> {
    let (schema, name) = address.table()?;
    find_named(client, path, &qualified(schema, name)).await
}

/// Finds a table by its name in SQL.
pub(super) async fn find_named(
    client: &Client,
    path: &Path,
    relation: &str,
) -> Result<Option<ExistingTable>> {
    let statement = "SELECT c.oid, n.nspname::text, c.relname::text
                     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass($1)";
    let row = client.query_opt(statement, &[&relation]).await;
    let row = row.map_err(|error| fault::of_statement(path, &error))?;
    Ok(row.map(|row| ExistingTable { oid: row.get(0), schema: row.get(1), name: row.get(2) }))
}

/// The schema in which a new table is made: the one of the address, or the first that the server would take.
pub(super) async fn schema_of(client: &Client, address: &DatabaseAddress, path: &Path) -> Result<String> {
    if let (Some(schema), _) = address.table()? {
        return Ok(schema.to_owned());
    }
    let current = client.query_one("SELECT current_schema()::text", &[]).await;
    let current: Option<String> = current.map_err(|error| fault::of_statement(path, &error))?.get(0);
    Ok(current.unwrap_or_default())
}

/// Refuses a schema that is not there, or in which nothing may be made.
async fn refuse_schema(client: &Client, schema: &str, path: &Path) -> Result<()> {
    let statement = "SELECT nspname::text, has_schema_privilege(oid, 'CREATE') FROM pg_namespace
                     WHERE NOT starts_with(nspname::text, 'pg_') AND nspname <> 'information_schema' ORDER BY 1";
    let rows = client.query(statement, &[]).await.map_err(|error| fault::of_statement(path, &error))?;
    let all: Vec<(String, bool)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let problem = match all.iter().find(|(name, _)| *name == schema) {
        Some((_, true)) => return Ok(()),
        Some((_, false)) => format!("this user may not create a table in the schema {}", quoted(schema)),
        None => {
            let near = guess(schema, all.iter().map(|(name, _)| name.as_str()));
            format!("the database has no schema {}{near}", quoted(schema))
        }
    };
    Err(EngineError::bad(problem).in_file(path))
}
