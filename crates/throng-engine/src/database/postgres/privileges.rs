//! Who may do what with a table that takes the place of another.

use std::path::Path;

use tokio_postgres::Client;

use super::fault;
use crate::error::Result;

/// Statements after which a table ($2) has the privileges of another ($1), also those on columns that both have ($3),
/// and no others.
const STATEMENTS: &str = "
    WITH granted AS (
        SELECT c.oid, c.relowner, a.grantee, a.privilege_type AS privilege, a.is_grantable, '' AS of_column
        FROM pg_class c, aclexplode(c.relacl) a
        UNION ALL
        SELECT c.oid, c.relowner, a.grantee, a.privilege_type, a.is_grantable, format(' (%I)', f.attname)
        FROM pg_class c JOIN pg_attribute f ON f.attrelid = c.oid, aclexplode(f.attacl) a
        WHERE f.attname = ANY ($3) AND NOT f.attisdropped
    ), named AS (
        SELECT g.*, CASE WHEN g.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END AS who
        FROM granted g LEFT JOIN pg_roles r ON r.oid = g.grantee
        WHERE g.grantee <> g.relowner AND (g.grantee = 0 OR r.oid IS NOT NULL)
    )
    SELECT statement FROM (
        SELECT DISTINCT 1 AS place, format('REVOKE ALL ON TABLE %s FROM %s', $2::text, who) AS statement
        FROM named WHERE oid = to_regclass($2)
        UNION ALL
        SELECT 2, format('GRANT %s%s ON TABLE %s TO %s%s', privilege, of_column, $2::text, who,
                         CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM named WHERE oid = to_regclass($1)
    ) AS statements ORDER BY place, statement";

/// Gives the table `new` the privileges of the table `old`, in whose place it will be.
///
/// # Errors
/// If the server refuses.
pub(super) async fn copy(client: &Client, path: &Path, old: &str, new: &str, columns: &[&str]) -> Result<()> {
    let failed = |error| fault::of_statement(path, &error);
    let rows = client.query(STATEMENTS, &[&old, &new, &columns]).await.map_err(failed)?;
    let statements: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    client.batch_execute(&statements.join(";\n")).await.map_err(failed)
}
