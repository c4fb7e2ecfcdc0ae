//! Columns that are released as they are: what must not be among them unless the job says so, and what the reader of
//! the summary is warned of.

use throng::notion::Notion;
use throng::wording::{grouped, quoted};

use crate::encode::Observer;
use crate::error::{EngineError, Result};
use crate::job::{NumberCoding, Role, Roles, RowOrder};
use crate::plan::OpenJob;
use crate::prepare::KeptFindings;
use crate::profile::{KeptColumn, KeptLook, KeptWatch, Mentions};
use crate::wording::Message;

/// Rows below which nothing is said of how telling columns are.
const FEW_ROWS: u64 = 20;
/// Values of a column of numbers before its extremes are somebody's.
const MANY_NUMBERS: u64 = 20;
/// Columns that a warning names.
const NAMED: usize = 5;

/// A look at the columns that a job releases as they are, while its table is read.
pub(crate) struct KeptColumns {
    watch: KeptWatch,
    mentions: Mentions,
}

impl KeptColumns {
    /// Those of a release whose rows have this order.
    pub(crate) fn from_job(opened: &OpenJob, order: RowOrder) -> KeptColumns {
        let (source, roles) = (&opened.source, &opened.roles);
        let mut kept: Vec<usize> = [Role::Sensitive, Role::Target, Role::Other]
            .iter()
            .flat_map(|&role| roles.with_role(role).map(|(at, _)| at))
            .collect();
        kept.sort_unstable();
        let says_keep =
            |at: &&usize| opened.job.columns.get(&source.columns()[**at]).is_some_and(|c| c.text.is_some());
        let typed = kept.iter().filter(says_keep).copied().collect();
        KeptColumns {
            watch: KeptWatch::new(source, &kept, &ordered(order, roles)).with_codings(&codings(&kept, roles)),
            mentions: Mentions::new(source, typed),
        }
    }

    /// Who looks.
    pub(crate) fn observers(&self) -> [Observer; 2] {
        [self.watch.observer(), self.mentions.observer()]
    }

    /// What was seen.
    ///
    /// # Errors
    /// If a column looks like people though nobody decided about it, or people typed it and the job does not say that it
    /// is to be kept.
    pub(crate) fn judge(&self, opened: &OpenJob) -> Result<KeptFindings> {
        let found = self.watch.finish();
        let about = About(opened);
        about.refuse_undecided_people(&found)?;
        about.refuse_typed(&found)?;
        let mut known = KeptFindings { is_sorted: !found.sorted.is_empty(), ..KeptFindings::default() };
        let name = |at: usize| opened.source.columns()[at].clone();
        known.mentions = self.mentions.counted().into_iter().map(|(at, cells)| (name(at), cells)).collect();
        known.warnings.extend(about.warn_of_order(&found));
        known.warnings.extend(about.warn_of_people(&found));
        known.warnings.extend(known.mentions.iter().map(|(name, cells)| warn_of_text(name, *cells)));
        known.warnings.extend(about.warn_of_telling(&found));
        Ok(known)
    }
}

/// The columns that must not tell whose a row is by its place.
fn ordered(order: RowOrder, roles: &Roles) -> Vec<usize> {
    if order != RowOrder::Keep {
        return Vec::new();
    }
    roles.told_by_order().collect()
}

/// What is done to the numbers of columns that are kept.
fn codings(kept: &[usize], roles: &Roles) -> Vec<(usize, NumberCoding)> {
    let coding = |at: usize| Some((at, roles.coded(&roles.columns()[at].0)?.coding));
    kept.iter().filter_map(|&at| coding(at)).collect()
}

/// A job and its table.
struct About<'a>(&'a OpenJob);

impl About<'_> {
    fn name(&self, column: &KeptColumn) -> &str {
        &self.0.source.columns()[column.at]
    }

    /// The names of the table's columns, each once.
    fn names(&self, columns: &[&KeptColumn]) -> Vec<&str> {
        let mut names: Vec<&str> = columns.iter().map(|column| self.name(column)).collect();
        names.dedup();
        names
    }

    fn is_named(&self, column: &KeptColumn) -> bool {
        self.0.job.columns.get(self.name(column)).is_some()
    }

    fn refuse_undecided_people(&self, found: &KeptLook) -> Result<()> {
        let undecided = |column: &&KeptColumn| column.is_personal && !self.is_named(column);
        let undecided: Vec<&KeptColumn> = found.columns.iter().filter(undecided).collect();
        if undecided.is_empty() {
            return Ok(());
        }
        let named: Vec<String> = undecided
            .iter()
            .map(|column| format!("{} ({})", quoted(&column.name), describe(column)))
            .collect();
        let (are, they) = if named.len() == 1 { ("column", "it is") } else { ("columns", "they are") };
        let names = self.names(&undecided);
        Err(self.refusal(
            (
                format!(
                    "{are} {} would show who is in the table, and {they} kept only because of '*'",
                    named.join(", ")
                ),
                "give each role = \"identifier\" in [columns] to leave it out (--identifier), or role = \"other\" (--other) to release it unchanged",
            ),
            &names,
        ))
    }

    fn refuse_typed(&self, found: &KeptLook) -> Result<()> {
        let says_keep = |column: &KeptColumn| {
            self.0.job.columns.get(self.name(column)).is_some_and(|told| told.text.is_some())
        };
        // What is a name or an address throughout was decided about, or refused.
        let is_typed = |column: &&KeptColumn| column.text.is_some() && column.look.is_none();
        let typed: Vec<&KeptColumn> =
            found.columns.iter().filter(is_typed).filter(|column| !says_keep(column)).collect();
        let Some(first) = typed.first() else { return Ok(()) };
        let names = self.names(&typed);
        let named: Vec<String> = typed
            .iter()
            .map(|column| {
                let why = column.text.map_or("", crate::profile::FreeText::evidence);
                format!("{} ({why})", quoted(&column.name))
            })
            .collect();
        let (are, have) = if named.len() == 1 { ("column", "has") } else { ("columns", "have") };
        Err(self.refusal(
            (
                format!(
                    "{are} {} {have} free text, which would be released exactly as people typed it",
                    named.join(", ")
                ),
                format!(
                    "set role = \"identifier\" in [columns] to leave it out (--identifier), or text = \"keep\" beside its role to release it anyway (--text {}=keep)",
                    self.name(first)
                ),
            ),
            &names,
        ))
    }

    fn refusal(&self, problem: impl Into<Message>, names: &[&str]) -> EngineError {
        self.0.source.bad(problem).about_columns(names.to_vec())
    }

    fn warn_of_order(&self, found: &KeptLook) -> Option<String> {
        let names: Vec<String> = found
            .sorted
            .iter()
            .map(|&at| {
                let (name, role) = &self.0.roles.columns()[at];
                format!("{} ({})", quoted(name), role.role())
            })
            .collect();
        let remedy = match self.0.job.privacy.notion {
            Notion::K => "order = \"shuffle\" prevents it",
            _ => "sort the table by something else first",
        };
        (!names.is_empty()).then(|| {
            format!(
                "rows keep the order of the input, which is sorted by {}: anyone who knows the order of \
                    these values knows which row is whose; {remedy}",
                listed(&names)
            )
        })
    }

    fn warn_of_people(&self, found: &KeptLook) -> Vec<String> {
        let people = found.columns.iter().filter(|column| column.is_personal);
        let warning = |column: &KeptColumn| {
            format!(
                "column {} would show who is in the table ({}), and is released unchanged because the job \
                    says so; role = \"identifier\" leaves it out",
                quoted(&column.name),
                describe(column)
            )
        };
        people.map(warning).collect()
    }

    /// What tells rows from each other though nobody called it a quasi-identifier.
    fn warn_of_telling(&self, found: &KeptLook) -> Vec<String> {
        if found.rows < FEW_ROWS {
            return Vec::new();
        }
        let names = |is: &dyn Fn(&KeptColumn) -> bool| -> Vec<String> {
            let columns = found.columns.iter().filter(|column| !column.is_personal && is(column));
            columns.map(|column| quoted(&column.name)).collect()
        };
        let k = self.0.job.privacy.largest_k();
        let unique = names(&|column| column.known_rows >= FEW_ROWS && column.is_nearly_unique());
        let extreme = names(&|column| {
            let few = |(least, greatest): (u64, u64)| least < k || greatest < k;
            column.distinct >= MANY_NUMBERS && column.extreme_rows.is_some_and(few)
        });
        let (rows, columns) = found.unique_together;
        let mut warnings = Vec::new();
        if !unique.is_empty() {
            warnings.push(format!(
                "nearly every row has a value of its own in {}, which is released: anyone who knows the \
                    value can find the row; role = \"quasi\" generalises such a column, role = \
                    \"identifier\" leaves it out",
                listed(&unique)
            ));
        }
        if !extreme.is_empty() {
            warnings.push(format!(
                "fewer than {k} rows have the lowest or highest number in {}: anyone who knows whose it is \
                    (such as the highest salary) can find the row; bottom = … and top = …, each reached by at least \
                    {k} rows, hide it",
                listed(&extreme)
            ));
        }
        if columns > 1 && 2 * rows >= found.rows {
            warnings.push(format!(
                "the {columns} kept columns together are unique in {} of {} rows: anyone who knows some of \
                 them about a person may find the row; keep fewer of them, or give the role quasi to those \
                 that others may know",
                grouped(rows),
                grouped(found.rows)
            ));
        }
        warnings
    }
}

/// What speaks for people in a column.
fn describe(column: &KeptColumn) -> &'static str {
    column.look.map_or("by its name", crate::profile::ColumnLook::plural)
}

fn warn_of_text(name: &str, cells: u64) -> String {
    let mention = if cells == 1 {
        "1 of its cells mentions"
    } else {
        &format!("{} of its cells mention", grouped(cells))
    };
    format!(
        "column {} is released as people typed it, because the job says so: {mention} people, by phone \
            numbers, addresses, names or the like",
        quoted(name)
    )
}

/// The first of many names.
fn listed(names: &[String]) -> String {
    match names.len() > NAMED + 1 {
        true => format!("{} and {} more columns", names[..NAMED].join(", "), names.len() - NAMED),
        false => names.join(", "),
    }
}
