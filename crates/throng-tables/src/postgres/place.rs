//! A table that takes the place of another: with the same owner, privileges and comments on columns.

use std::path::Path;

use tokio_postgres::Client;

use super::session::{Identity, Snapshots};
use super::target::{ExistingTable, find_named, refuse_read};
use super::{fault, quote, replaceable};
use crate::error::{EngineError, Result};
use crate::tables::Tables;

/// Statements after which a table ($2) has the owner of another ($1), its privileges, also those on columns that both
/// have ($3), and no others, and its comments on these columns.
const STATEMENTS: &str = "
    WITH old AS (SELECT * FROM pg_class WHERE oid = to_regclass($1)),
    new AS (SELECT * FROM pg_class WHERE oid = to_regclass($2)),
    granted AS (
        SELECT c.oid, c.relowner, a.grantee, a.privilege_type AS privilege, a.is_grantable, '' AS of_column
        FROM pg_class c, aclexplode(c.relacl) a
        UNION ALL
        SELECT c.oid, c.relowner, a.grantee, a.privilege_type, a.is_grantable, pg_catalog.format(' (%I)', f.attname)
        FROM pg_class c JOIN pg_attribute f ON f.attrelid = c.oid, aclexplode(f.attacl) a
        WHERE f.attname = ANY ($3) AND NOT f.attisdropped
    ), named AS (
        SELECT g.*, CASE WHEN g.grantee = 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(r.rolname) END AS who
        FROM granted g LEFT JOIN pg_roles r ON r.oid = g.grantee
        WHERE g.grantee <> g.relowner AND (g.grantee = 0 OR r.oid IS NOT NULL)
    )
    SELECT statement FROM (
        SELECT 1 AS place, pg_catalog.format('ALTER TABLE %s OWNER TO %I', $2::text, pg_get_userbyid(old.relowner)) AS statement
        FROM old, new WHERE old.relowner <> new.relowner
        UNION ALL
        SELECT DISTINCT 2, pg_catalog.format('REVOKE ALL ON TABLE %s FROM %s', $2::text, who)
        FROM named JOIN new USING (oid), old WHERE grantee <> old.relowner
        UNION ALL
        SELECT 3, pg_catalog.format('GRANT %s%s ON TABLE %s TO %s%s', privilege, of_column, $2::text, who,
                         CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM named JOIN old USING (oid)
        UNION ALL
        SELECT 4, pg_catalog.format('COMMENT ON COLUMN %s.%I IS %L', $2::text, f.attname, d.description)
        FROM old JOIN pg_attribute f ON f.attrelid = old.oid
        JOIN pg_description d ON d.classoid = 'pg_class'::regclass AND d.objoid = old.oid AND d.objsubid = f.attnum
        WHERE f.attname = ANY ($3) AND NOT f.attisdropped
    ) AS statements ORDER BY place, statement";

/// Puts the table `new` in the place of the table `old`, in the transaction that made it. Nobody changes the old one from
/// here on, so what it is now is what it is when it goes.
///
/// # Errors
/// If the old table is not the one that was found, may not be replaced any longer or was read, or the server refuses.
pub(super) async fn take(
    client: &Client,
    path: &Path,
    old: &ExistingTable,
    new: &str,
    columns: &[&str],
    tables: &Tables,
) -> Result<()> {
    let failed = |error| fault::of_statement(path, &error);
    let place = old.relation();
    let lock = format!("LOCK TABLE ONLY {place} IN ACCESS EXCLUSIVE MODE");
    client.execute(&lock, &[]).await.map_err(failed)?;
    if find_named(client, path, &place).await?.as_ref() != Some(old) {
        let problem = ("another table has taken the place of the one to be replaced", "try again");
        return Err(EngineError::bad(problem).in_file(path));
    }
    replaceable::refuse(client, path, old).await?;
    if tables.held::<Snapshots>().have_read(&Identity::ask(client, path).await?, old.oid) {
        return Err(refuse_read(path));
    }
    let rows = client.query(STATEMENTS, &[&place, &new, &columns]).await.map_err(failed)?;
    let statements = rows.iter().map(|row| row.get(0));
    let last = [format!("DROP TABLE {place}"), format!("ALTER TABLE {new} RENAME TO {}", quote(&old.name))];
    for statement in statements.chain(last) {
        client.execute(&statement, &[]).await.map_err(failed)?;
    }
    Ok(())
}
