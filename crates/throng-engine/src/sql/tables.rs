//! The tables of what values and tuples become.

use std::fmt::Write;

use throng::taxonomy::ANY;

use super::{SqlDraft, comment};
use crate::mapping::{MappedColumn, RowRule, TupleParts};

/// Rows that one statement inserts at most.
const ROWS_A_STATEMENT: usize = 1_000;
/// Bytes of a statement from which on no row is added.
const BYTES_A_STATEMENT: usize = 200_000;

/// Whether the codes of values are looked at: to find suppressed rows, or tuples.
pub(super) fn has_codes(way: &RowRule) -> bool {
    match way {
        RowRule::Values { suppressed } => !suppressed.is_empty(),
        RowRule::Tuples(_) => true,
    }
}

/// Whether the table of a column has what its values are shown as.
pub(super) fn has_labels(way: &RowRule, column: &MappedColumn) -> bool {
    matches!(way, RowRule::Values { .. }) && !column.is_untouched
}

/// Whether some tuples are marked as suppressed; those that are masked have their labels instead.
pub(super) fn has_marks(parts: &TupleParts, masks: bool) -> bool {
    !masks && parts.suppressed.contains(&true)
}

/// Makes and fills all tables.
pub(super) fn write(draft: &SqlDraft<'_>, text: &mut String) {
    for (at, column) in draft.mapping.columns.iter().enumerate() {
        write_values(draft, at, column, text);
    }
    match &draft.mapping.way {
        RowRule::Values { suppressed } if !suppressed.is_empty() => {
            text.push_str(&comment("Classes whose rows are suppressed, by the codes of their values."));
            let columns: Vec<String> = numbers(draft, "c", draft.mapping.columns.len());
            let rows = suppressed.iter().map(|codes| join(codes.iter().map(u32::to_string)));
            write_table(draft, "suppressed", &columns, rows, text);
        }
        RowRule::Values { .. } => {}
        RowRule::Tuples(parts) => write_tuples(draft, parts, text),
    }
}

/// Takes all tables away.
pub(super) fn drop_all(draft: &SqlDraft<'_>, text: &mut String) {
    text.push('\n');
    text.push_str(&comment("The tables above have original values, and are no longer needed."));
    let values = (1..=draft.mapping.columns.len()).map(|at| format!("values_{at}"));
    let last = match &draft.mapping.way {
        RowRule::Values { suppressed } => (!suppressed.is_empty()).then_some("suppressed"),
        RowRule::Tuples(_) => Some("tuples"),
    };
    for name in values.chain(last.map(str::to_owned)) {
        let _ = writeln!(text, "DROP TABLE {};", draft.helper(&name));
    }
}

fn write_values(draft: &SqlDraft<'_>, at: usize, column: &MappedColumn, text: &mut String) {
    let way = &draft.mapping.way;
    let (codes, labels) = (has_codes(way), has_labels(way, column));
    let said = if labels { ", and what they are shown as" } else { "" };
    text.push_str(&comment(&format!("Values of {}{said}; an empty one is missing.", column.name)));
    let text_type = draft.dialect.text_type(draft.longest);
    let mut columns = vec![format!("original {text_type}")];
    columns.extend(codes.then(|| format!("code {}", draft.dialect.number_type())));
    columns.extend(labels.then(|| format!("shown {text_type}")));
    let rows = column.originals.iter().map(|one| {
        let code = codes.then(|| one.code.to_string());
        let label = labels.then(|| label(draft, column, one.code));
        join([draft.text(&one.text)].into_iter().chain(code).chain(label))
    });
    write_table(draft, &format!("values_{}", at + 1), &columns, rows, text);
}

fn write_tuples(draft: &SqlDraft<'_>, parts: &TupleParts, text: &mut String) {
    let marks = has_marks(parts, draft.mapping.masks);
    let rows = if parts.is_divided { ", by the first and last of their rows" } else { "" };
    text.push_str(&comment(&format!("What tuples of these codes are shown as{rows}.")));
    let of = draft.mapping.columns.len();
    let mut columns = numbers(draft, "c", of);
    let text_type = draft.dialect.text_type(draft.longest);
    columns.extend((1..=of).map(|at| format!("s{at} {text_type}")));
    let number = draft.dialect.number_type();
    if parts.is_divided {
        columns.extend([format!("first_row {number}"), format!("last_row {number}")]);
    }
    columns.extend(marks.then(|| format!("suppressed {number}")));
    let row = |part: usize| {
        let codes = parts.codes.iter().map(|of| of[part].to_string());
        let labels = parts.labels.iter().zip(&draft.mapping.columns).map(|(of, column)| {
            let is_masked = draft.mapping.masks && parts.suppressed[part];
            if is_masked { draft.text(ANY) } else { label(draft, column, of[part]) }
        });
        let (first, rows) = (u64::from(parts.first_rows[part]), u64::from(parts.rows[part]));
        let range = [first.to_string(), (first + rows - 1).to_string()];
        let range = range.into_iter().filter(|_| parts.is_divided);
        let mark = marks.then(|| u8::from(parts.suppressed[part]).to_string());
        join(codes.chain(labels).chain(range).chain(mark))
    };
    write_table(draft, "tuples", &columns, (0..parts.len()).map(row), text);
}

fn label(draft: &SqlDraft<'_>, column: &MappedColumn, place: u32) -> String {
    column.labels[place as usize].as_ref().map_or_else(|| "NULL".to_owned(), |label| draft.text(label))
}

fn numbers(draft: &SqlDraft<'_>, letter: &str, count: usize) -> Vec<String> {
    (1..=count).map(|at| format!("{letter}{at} {}", draft.dialect.number_type())).collect()
}

fn join(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(", ")
}

fn write_table(
    draft: &SqlDraft<'_>,
    name: &str,
    columns: &[String],
    rows: impl Iterator<Item = String>,
    text: &mut String,
) {
    let temporary = draft.dialect.temporary().map(|word| format!("{word} ")).unwrap_or_default();
    let table = draft.helper(name);
    let _ = writeln!(text, "CREATE {temporary}TABLE {table} ({});", columns.join(", "));
    let (mut begun, mut count) = (0, 0);
    for row in rows {
        if count == 0 {
            begun = text.len();
            let _ = write!(text, "INSERT INTO {table} VALUES\n  ({row})");
        } else {
            let _ = write!(text, ",\n  ({row})");
        }
        count += 1;
        if count == ROWS_A_STATEMENT || text.len() - begun >= BYTES_A_STATEMENT {
            text.push_str(";\n");
            count = 0;
        }
    }
    text.push_str(if count > 0 { ";\n\n" } else { "\n" });
}
