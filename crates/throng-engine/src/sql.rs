//! A release as SQL, for engines that we do not drive: tables of what values and tuples become, one statement that
//! makes the released table, and a query that verifies it.
//!
//! The text has original values of quasi-identifiers. Of all other columns it has nothing but their names.

mod dialect;
mod name;
mod select;
mod tables;
mod verify;

use throng::release::Release;
use throng::wording::quoted;

use crate::error::{EngineError, Result};
use crate::job::{Job, RowOrder, called};
use crate::mapping::{Mapping, RowRule};
use crate::prepare::EncodedTable;
pub use dialect::SqlDialect;
pub use name::TableName;
pub(crate) use name::{default_release, default_table};
use select::Select;

/// Where a release is made, and of what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlTarget {
    /// How the engine spells SQL.
    pub dialect: SqlDialect,
    /// What the table is called in the engine; as the input, if nobody says so.
    pub table: Option<TableName>,
    /// What the released table is called; as the output, if nobody says so.
    pub release: Option<TableName>,
}

/// All that the text is made of.
struct SqlDraft<'a> {
    dialect: SqlDialect,
    table: &'a TableName,
    release: &'a TableName,
    job: &'a Job,
    prepared: &'a EncodedTable,
    mapping: &'a Mapping,
    /// As it will be written.
    released: &'a Release,
    /// Characters of the longest text, and one more, so that a longer one is cut off into none of them.
    longest: usize,
}

/// Refuses what SQL cannot do, before anything is searched for.
///
/// # Errors
/// Pseudonyms, and a release that would be its own table.
pub(crate) fn refuse_unsayable(job: &Job, table: &TableName, release: &TableName) -> Result<()> {
    if let Some(column) = job.columns.pseudonyms().next() {
        return Err(EngineError::bad((
            format!("SQL cannot make keyed pseudonyms, which column {} should get", quoted(column)),
            "leave the column out (role = \"identifier\"), or let `throng anonymize` write the release",
        ))
        .about_column(column));
    }
    if let Some(column) = job.columns.coded().next() {
        return Err(EngineError::bad((
            format!("{}: SQL cannot write coded numbers or moved dates", called(column)),
            "leave out bottom, top, round and shift_days, or let `throng anonymize` write the release",
        ))
        .about_column(column));
    }
    if table == release {
        return Err(EngineError::bad((
            format!("the release would replace the table it is made from, {}", quoted(table.to_string())),
            "give another name with --release",
        )));
    }
    Ok(())
}

/// The text of a release that was judged.
///
/// # Errors
/// What the dialect cannot say.
pub(crate) fn draft(
    job: &Job,
    prepared: &EncodedTable,
    released: &Release,
    mapping: &Mapping,
    dialect: SqlDialect,
    (table, release): (&TableName, &TableName),
) -> Result<String> {
    let longest = longest_text(prepared, mapping) + 1;
    let draft = SqlDraft { dialect, table, release, job, prepared, mapping, released, longest };
    draft.refuse_unnumbered()?;
    draft.refuse_nul()?;
    let select = Select::from_draft(&draft);
    let mut text = draft.header();
    tables::write(&draft, &mut text);
    text.push_str(&select.statement(&draft));
    text.push_str(&verify::query(&draft, &select));
    tables::drop_all(&draft, &mut text);
    Ok(text)
}

impl SqlDraft<'_> {
    fn header(&self) -> String {
        let SqlDraft { dialect, table, release, prepared, mapping, .. } = self;
        let suppressed = match (mapping.suppressed_rows, mapping.masks) {
            (0, _) => "all released".to_owned(),
            (rows, true) => format!("{rows} suppressed, shown as *"),
            (rows, false) => format!("{rows} suppressed and left out"),
        };
        let mut lines = vec![
            format!("A release by throng {}, in the SQL of {}.", env!("CARGO_PKG_VERSION"), dialect.title()),
            "NOT FOR PUBLICATION: the tables at its start contain original values of the quasi-identifiers."
                .into(),
            format!(
                "It makes table {release} from table {table}, which had {} rows ({suppressed}).",
                prepared.rows()
            ),
            "Run all of it, once. Publish the table only if the query at its end returns no rows.".into(),
        ];
        if matches!(&mapping.way, RowRule::Tuples(parts) if parts.is_divided) {
            lines.push(
                "Some tuples are released in several ways; which row gets which is drawn again in every run."
                    .into(),
            );
        }
        match (self.job.output.order, dialect.random()) {
            (RowOrder::Keep, _) => {}
            (RowOrder::Sort, Some(_)) => {
                lines.push("Rows are sorted by what they show, as the engine compares text.".into());
            }
            (RowOrder::Sort, None) => {
                lines.push("Rows are not sorted: tables of this dialect promise no order.".into());
            }
            (RowOrder::Shuffle { .. }, Some(_)) => {
                lines.push(
                    "Rows are shuffled by the engine's own random numbers, whatever the seed of the job."
                        .into(),
                );
            }
            (RowOrder::Shuffle { .. }, None) => {
                lines.push(
                    "Rows are not shuffled, because this dialect cannot ask for it; SQL tables promise no \
                        order."
                        .into(),
                );
            }
        }
        lines.iter().map(|line| comment(line)).collect::<String>() + "\n"
    }

    /// Rows of a tuple that is released in parts have to be drawn.
    fn refuse_unnumbered(&self) -> Result<()> {
        match &self.mapping.way {
            RowRule::Tuples(parts) if parts.is_divided && self.dialect.random().is_none() => {
                Err(EngineError::bad((
                    format!(
                        "rows with equal quasi-identifiers are released in several ways here, so which \
                         row gets which must be drawn at random, and {} has no function for that",
                        self.dialect.title()
                    ),
                    format!(
                        "choose the dialect of the engine ({}), or an algorithm that keeps such rows \
                         together, such as 'mondrian' or 'flash'",
                        SqlDialect::drawing().join(", ")
                    ),
                )))
            }
            _ => Ok(()),
        }
    }

    fn refuse_nul(&self) -> Result<()> {
        let has_nul = |text: &str| memchr::memchr(0, text.as_bytes()).is_some();
        let mut columns = self.mapping.columns.iter();
        let found = columns.find(|column| {
            let labels = column.labels.iter().flatten().map(String::as_str);
            column.originals.iter().map(|one| one.text.as_str()).chain(labels).any(has_nul)
        });
        match found {
            None => Ok(()),
            Some(column) => {
                let problem = "a value has a NUL character, which SQL text cannot hold";
                Err(self.prepared.source.bad(problem).in_column(&column.name))
            }
        }
    }

    fn name(&self, name: &str) -> String {
        self.dialect.quote_name(name)
    }

    fn text(&self, text: &str) -> String {
        self.dialect.quote_text(text)
    }

    /// The text of a column of the table, with empty text for what is missing.
    ///
    /// To throng these are one value, so this is compared by `=`, which engines hash, in the place of `IS NOT DISTINCT
    /// FROM`.
    fn cell(&self, alias: &str, column: usize) -> String {
        let name = &self.prepared.source.columns()[column];
        let cell = format!("{alias}.{}", self.name(name));
        let remote = self.prepared.source.remote().filter(|_| self.dialect == SqlDialect::Postgres);
        let text = remote.and_then(|remote| remote.text_of(column, &cell));
        let text =
            text.unwrap_or_else(|| format!("CAST({cell} AS {})", self.dialect.text_type(self.longest)));
        format!("COALESCE({text}, '')")
    }

    /// What a table of the mapping is called.
    fn helper(&self, name: &str) -> String {
        match self.dialect.temporary() {
            Some(_) => format!("throng_{name}"),
            None => self.release.beside(&format!("throng_{name}")).in_dialect(self.dialect),
        }
    }
}

/// A line that engines pass over.
fn comment(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("-- {plain}\n")
}

/// Characters of the longest text that is compared, or counted in a check.
fn longest_text(prepared: &EncodedTable, mapping: &Mapping) -> usize {
    let labels = mapping.columns.iter().flat_map(|column| column.labels.iter().flatten().map(String::as_str));
    let originals = mapping.columns.iter().flat_map(|column| column.originals.iter());
    let beside = prepared.beside.columns.iter().flat_map(|column| column.dictionary.values());
    let texts = originals.map(|one| one.text.as_str()).chain(labels).chain(beside);
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}
