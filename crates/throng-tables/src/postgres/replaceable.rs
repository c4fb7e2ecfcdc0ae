//! Which tables may be replaced: those that stand alone, and lose nothing by it that protects their rows or acts on them.

use std::path::Path;

use throng::wording::quoted_list;
use tokio_postgres::Client;

use super::fault;
use super::target::ExistingTable;
use crate::error::{EngineError, Result};

/// How many names of a kind are said.
const MOST_NAMES: usize = 5;

/// Why a table ($1) may not be replaced: in each row a reason, and the name of what is concerned.
const REASONS: &str = "
    WITH given AS (SELECT * FROM pg_class WHERE oid = $1),
    names AS (SELECT c.oid, n.nspname::text || '.' || c.relname::text AS name
              FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace),
    dependents AS (
        SELECT d.*, CASE d.classid
            WHEN 'pg_rewrite'::regclass THEN (SELECT ev_class FROM pg_rewrite WHERE oid = d.objid)
            WHEN 'pg_constraint'::regclass THEN (SELECT conrelid FROM pg_constraint WHERE oid = d.objid)
            WHEN 'pg_policy'::regclass THEN (SELECT polrelid FROM pg_policy WHERE oid = d.objid)
            WHEN 'pg_trigger'::regclass THEN (SELECT tgrelid FROM pg_trigger WHERE oid = d.objid)
            WHEN 'pg_publication_rel'::regclass THEN $1
            WHEN 'pg_class'::regclass THEN d.objid
            END AS of_table
        FROM pg_depend d
        WHERE d.deptype = 'n' AND (
            d.refclassid = 'pg_class'::regclass AND d.refobjid = $1
            OR d.refclassid = 'pg_type'::regclass AND d.refobjid IN (
                SELECT pg_catalog.unnest(ARRAY[t.oid, t.typarray]) FROM pg_type t WHERE t.typrelid = $1))
    )
    SELECT reason, coalesce(name, '') FROM (
        SELECT 1 AS place, 'kind ' || relkind::text AS reason, '' AS name FROM given WHERE relkind <> 'r'
        UNION ALL
        SELECT 2, 'parent', names.name FROM pg_inherits i JOIN names ON names.oid = i.inhparent WHERE i.inhrelid = $1
        UNION ALL
        SELECT 3, 'child', names.name FROM pg_inherits i JOIN names ON names.oid = i.inhrelid WHERE i.inhparent = $1
        UNION ALL
        SELECT DISTINCT 4, 'dependent', coalesce(names.name, pg_describe_object(d.classid, d.objid, 0))
        FROM dependents d LEFT JOIN names ON names.oid = d.of_table
        WHERE d.of_table IS DISTINCT FROM $1
        AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = $1 AND i.inhrelid = d.of_table)
        UNION ALL
        SELECT 5, 'row security', '' FROM given
        WHERE relrowsecurity OR relforcerowsecurity OR EXISTS (SELECT FROM pg_policy WHERE polrelid = $1)
        UNION ALL
        SELECT 6, 'trigger', tgname FROM pg_trigger WHERE tgrelid = $1 AND NOT tgisinternal
        UNION ALL
        SELECT 7, 'rule', rulename FROM pg_rewrite WHERE ev_class = $1 AND rulename <> '_RETURN'
        UNION ALL
        SELECT 8, 'publication', p.pubname FROM pg_publication_rel r JOIN pg_publication p ON p.oid = r.prpubid
        WHERE r.prrelid = $1
        UNION ALL
        SELECT 9, 'subscription', s.subname FROM pg_subscription_rel r JOIN pg_subscription s ON s.oid = r.srsubid
        WHERE r.srrelid = $1
        UNION ALL
        SELECT DISTINCT 10, 'label', provider FROM pg_seclabel WHERE classoid = 'pg_class'::regclass AND objoid = $1
        UNION ALL
        SELECT 11, 'extension', e.extname FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
        WHERE d.classid = 'pg_class'::regclass AND d.objid = $1 AND d.deptype = 'e'
        AND d.refclassid = 'pg_extension'::regclass
        UNION ALL
        SELECT 12, 'owner', pg_get_userbyid(relowner) FROM given
        WHERE NOT pg_has_role(relowner, 'MEMBER')
    ) AS reasons ORDER BY place, name";

/// Refuses a table that may not be replaced, with all reasons.
///
/// # Errors
/// If there is one, or the server refuses.
pub(super) async fn refuse(client: &Client, path: &Path, found: &ExistingTable) -> Result<()> {
    let rows = client.query(REASONS, &[&found.oid]).await;
    let rows = rows.map_err(|error| fault::of_statement(path, &error))?;
    let all: Vec<(String, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    if all.is_empty() {
        return Ok(());
    }
    let why: Vec<String> = all
        .chunk_by(|one, next| one.0 == next.0)
        .map(|same| clause(&same[0].0, &same.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>()))
        .collect();
    let problem = (
        format!("the table cannot be replaced: {}", why.join("; ")),
        "name another table, or remove what stands in the way and restore it afterwards",
    );
    Err(EngineError::bad(problem).in_file(path))
}

/// What is said of a reason and the names of what is concerned.
fn clause(reason: &str, names: &[&str]) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let mut shown = quoted_list(&names[..names.len() - more]);
    if more > 0 {
        shown = format!("{shown} and {more} more");
    }
    let s = if names.len() == 1 { "s" } else { "" };
    match reason {
        "kind p" => "it is a partitioned table".to_owned(),
        "kind v" => "it is a view".to_owned(),
        "kind m" => "it is a materialised view".to_owned(),
        "kind f" => "it is a foreign table".to_owned(),
        "kind S" => "it is a sequence".to_owned(),
        "parent" => format!("it is a partition or a child of {shown}"),
        "child" => format!("{shown} inherit{s} from it or belong{s} to it"),
        "dependent" => format!("{shown} depend{s} on it"),
        "row security" => "it has row-level security, which a new table would not have".to_owned(),
        "trigger" => format!("it has triggers: {shown}"),
        "rule" => format!("it has rules: {shown}"),
        "publication" => format!("it is published by {shown}"),
        "subscription" => format!("it is filled by the subscription {shown}"),
        "label" => format!("it has security labels of {shown}"),
        "extension" => format!("it belongs to the extension {shown}"),
        "owner" => format!("its owner is {shown}, for whom this user may not create tables"),
        _ => "it is not a table".to_owned(),
    }
}
