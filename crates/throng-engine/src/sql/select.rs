//! The statement that makes the released table.

use throng::taxonomy::ANY;

use super::tables::has_marks;
use super::{SqlDialect, SqlDraft};
use crate::job::RowOrder;
use crate::mapping::{MappedColumn, RowRule};

/// The released table as a query.
pub(super) struct Select {
    /// The released columns.
    columns: Vec<String>,
    /// All rows of the table with what becomes of them.
    pub(super) from: String,
    /// Which of these are released.
    released: Option<String>,
}

impl Select {
    pub(super) fn from_draft(draft: &SqlDraft<'_>) -> Select {
        match &draft.mapping.way {
            RowRule::Values { suppressed } => by_value(draft, !suppressed.is_empty()),
            RowRule::Tuples(parts) => {
                let marks = has_marks(parts, draft.mapping.masks);
                by_tuple(draft, parts.is_divided, marks)
            }
        }
    }

    /// The statement.
    pub(super) fn statement(&self, draft: &SqlDraft<'_>) -> String {
        let released = self.released.as_ref().map(|which| format!("\nWHERE {which}")).unwrap_or_default();
        let order = match (draft.job.output.order, draft.dialect.random()) {
            (RowOrder::Shuffle { .. }, Some(random)) => format!("\nORDER BY {random}"),
            // By the places of the columns; what promises no order at all, promises none that is sorted either.
            (RowOrder::Sort, Some(_)) => {
                let places: Vec<String> = (1..=self.columns.len()).map(|place| place.to_string()).collect();
                format!("\nORDER BY {}", places.join(", "))
            }
            _ => String::new(),
        };
        let select = format!("SELECT\n  {}\nFROM {}{released}{order}", self.columns.join(",\n  "), self.from);
        let release = draft.release.in_dialect(draft.dialect);
        match draft.dialect {
            SqlDialect::Ansi => format!("CREATE TABLE {release} AS (\n{select}\n) WITH DATA;\n"),
            _ => format!("CREATE TABLE {release} AS\n{select};\n"),
        }
    }
}

/// Each row with its values' tables.
fn joined(draft: &SqlDraft<'_>, indent: &str) -> String {
    let joins = draft.mapping.columns.iter().enumerate().map(|(at, column)| {
        let (table, at) = (draft.helper(&format!("values_{}", at + 1)), at + 1);
        format!("\n{indent}JOIN {table} AS v{at} ON v{at}.original = {}", draft.cell("t", column.column))
    });
    format!("{} AS t{}", draft.table.in_dialect(draft.dialect), joins.collect::<String>())
}

fn by_value(draft: &SqlDraft<'_>, suppresses: bool) -> Select {
    let masks = draft.mapping.masks;
    let cell = |at: usize, column: &MappedColumn| match (column.is_untouched, masks) {
        (true, _) => untouched(draft, column),
        (false, false) => format!("v{at}.shown"),
        (false, true) => format!("CASE WHEN x.c1 IS NULL THEN v{at}.shown ELSE {} END", draft.text(ANY)),
    };
    let mut from = joined(draft, "");
    if suppresses {
        let same = (1..=draft.mapping.columns.len()).map(|at| format!("x.c{at} = v{at}.code"));
        let same = same.collect::<Vec<_>>().join(" AND ");
        from.push_str(&format!("\nLEFT JOIN {} AS x ON {same}", draft.helper("suppressed")));
    }
    let columns = released(
        draft,
        |at, column| cell(at + 1, column),
        |column| format!("t.{}", draft.name(&draft.prepared.source.columns()[column])),
    );
    let released = (suppresses && !masks).then(|| "x.c1 IS NULL".to_owned());
    Select { columns, from, released }
}

/// A cell as it was, but that empty text is missing: classes were counted with both as one value.
fn untouched(draft: &SqlDraft<'_>, column: &MappedColumn) -> String {
    let cell = format!("t.{}", draft.name(&column.name));
    match column.originals.first().is_some_and(|one| one.text.is_empty()) {
        true => format!("CASE WHEN {} <> '' THEN {cell} END", draft.cell("t", column.column)),
        false => cell,
    }
}

fn by_tuple(draft: &SqlDraft<'_>, is_divided: bool, marks: bool) -> Select {
    let of = draft.mapping.columns.len();
    let mut same: Vec<String> = (1..=of).map(|at| format!("u.c{at} = r.c{at}")).collect();
    let mut rows = coded(draft, is_divided);
    if is_divided {
        same.push("r.place BETWEEN u.first_row AND u.last_row".to_owned());
        let codes = (1..=of).map(|at| format!("d.c{at}")).collect::<Vec<_>>().join(", ");
        let place = format!("ROW_NUMBER() OVER (PARTITION BY {codes} ORDER BY d.drawn) AS place");
        rows = format!("(\n  SELECT d.*, {place}\n  FROM {} AS d\n)", rows.replace('\n', "\n  "));
    }
    let from = format!("{rows} AS r\nJOIN {} AS u ON {}", draft.helper("tuples"), same.join(" AND "));
    let columns = released(draft, |at, _| format!("u.s{}", at + 1), |column| format!("r.k{column}"));
    Select { columns, from, released: marks.then(|| "u.suppressed = 0".to_owned()) }
}

/// The rows with the codes of their values and what is kept of them; with a number that is drawn, if rows are numbered.
/// Windows of some engines may not draw by themselves.
fn coded(draft: &SqlDraft<'_>, drawn: bool) -> String {
    let codes = (1..=draft.mapping.columns.len()).map(|at| format!("v{at}.code AS c{at}"));
    let drawn = draft.dialect.random().filter(|_| drawn).map(|random| format!("{random} AS drawn"));
    let source = draft.prepared.source.columns();
    let kept = draft.kept().map(|column| format!("t.{} AS k{column}", draft.name(&source[column])));
    let all: Vec<String> = codes.chain(drawn).chain(kept).collect();
    format!("(\n  SELECT {}\n  FROM {}\n)", all.join(", "), joined(draft, "  "))
}

/// The released columns in the order of the table.
fn released(
    draft: &SqlDraft<'_>,
    quasi: impl Fn(usize, &MappedColumn) -> String,
    kept: impl Fn(usize) -> String,
) -> Vec<String> {
    let columns = draft.prepared.roles.released().map(|(column, name)| {
        let found = draft.mapping.columns.iter().enumerate().find(|(_, mapped)| mapped.column == column);
        let cell = found.map_or_else(|| kept(column), |(at, mapped)| quasi(at, mapped));
        format!("{cell} AS {}", draft.name(name))
    });
    columns.collect()
}

impl SqlDraft<'_> {
    /// Released columns that are no quasi-identifiers.
    fn kept(&self) -> impl Iterator<Item = usize> {
        let released = self.prepared.roles.released().map(|(column, _)| column);
        released.filter(|column| self.mapping.columns.iter().all(|mapped| mapped.column != *column))
    }
}
