//! How the quasi-identifiers of a contender generalise: as the job says, or without hierarchies.

use throng::taxonomy::MOST_MEMBERS;

use crate::auto::infer_kind;
use crate::error::{EngineError, Result};
use crate::job::{HierarchySpec, Job};
use crate::prepare::{EncodedColumn, EncodedTable};
use crate::profile::ColumnKind;
use crate::wording::choose;

const AS_JOB: &str = "job";
const RANGE_OR_SET: &str = "range-or-set";

/// The setting `generalise` of a contender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generalise {
    /// As the job says.
    #[default]
    AsJob,
    /// To the exact range or set of a class's values, as a column of a job with `generalise` does.
    RangeOrSet {
        /// Most members of a set; more become `*`.
        most_members: u32,
    },
}

impl Generalise {
    /// Reads `job`, `range-or-set`, or `range-or-set:50` for sets of at most 50 members.
    pub(super) fn parse(text: &str) -> Result<Generalise> {
        let Some((RANGE_OR_SET, most)) = text.split_once(':') else {
            let standard = Generalise::RangeOrSet { most_members: MOST_MEMBERS };
            let ways = [(AS_JOB, Generalise::AsJob), (RANGE_OR_SET, standard)];
            return choose("way to generalise", text, &ways).map_err(EngineError::bad);
        };
        // As in the flag `--qi job=set:50`.
        match format!("set:{most}").parse()? {
            HierarchySpec::Set { most } => Ok(Generalise::RangeOrSet { most_members: most }),
            _ => unreachable!("'set:' begins a set"),
        }
    }

    /// The setting's value, as a contender has it.
    pub fn name(self) -> String {
        match self {
            Generalise::AsJob => AS_JOB.to_owned(),
            Generalise::RangeOrSet { most_members: MOST_MEMBERS } => RANGE_OR_SET.to_owned(),
            Generalise::RangeOrSet { most_members } => format!("{RANGE_OR_SET}:{most_members}"),
        }
    }

    /// The job of a table, whose quasi-identifiers generalise in this way.
    ///
    /// A column for which the job itself has `generalise` stays as it is.
    pub(super) fn vary(self, job: &Job, prepared: &EncodedTable) -> Job {
        let mut job = job.clone();
        let Generalise::RangeOrSet { most_members } = self else { return job };
        for attribute in &prepared.attributes {
            if let Some(mut column) = job.columns.get(&attribute.name).cloned() {
                column.hierarchy = Some(without_hierarchy(attribute, column.hierarchy, most_members));
                job.columns.set(&attribute.name, column);
            }
        }
        job
    }
}

/// How a column generalises without its hierarchy. What the job says about its values goes before
/// what they look like: those with intervals are numbers, those with masks are codes.
fn without_hierarchy(
    attribute: &EncodedColumn,
    hierarchy: Option<HierarchySpec>,
    most: u32,
) -> HierarchySpec {
    match hierarchy {
        Some(
            own @ (HierarchySpec::Range { .. }
            | HierarchySpec::Set { .. }
            | HierarchySpec::Prefix
            | HierarchySpec::Numbers(_)),
        ) => own,
        _ if attribute.is_personal => HierarchySpec::Set { most },
        Some(HierarchySpec::Intervals { .. }) => HierarchySpec::Range { format: None },
        Some(HierarchySpec::Dates { format, .. }) => HierarchySpec::Range { format },
        Some(HierarchySpec::Mask(_)) => HierarchySpec::Set { most },
        _ => by_values(attribute, most),
    }
}

/// Ranges of numbers and dates, sets of everything else.
fn by_values(attribute: &EncodedColumn, most: u32) -> HierarchySpec {
    let values = attribute.dictionary.values().map(|value| (value, 1));
    match infer_kind(&attribute.name, values) {
        ColumnKind::Integer | ColumnKind::Decimal | ColumnKind::DecimalComma => {
            HierarchySpec::Range { format: None }
        }
        ColumnKind::Date(format) => HierarchySpec::Range { format: format.strptime().map(str::to_owned) },
        _ => HierarchySpec::Set { most },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::OpenJob;
    use crate::progress::Quiet;

    fn complaint(text: &str) -> String {
        Generalise::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_named_is_read_back() {
        for text in ["job", "range-or-set", "range-or-set:50"] {
            assert_eq!(Generalise::parse(text).unwrap().name(), text);
        }
        assert_eq!(Generalise::parse("range-or-set:16").unwrap().name(), "range-or-set");
    }

    #[test]
    fn mistakes_are_explained() {
        for text in ["range-or-sets", "ranges-or-sets", "range-and-set"] {
            let expected = format!(
                "unknown way to generalise '{text}'; did you mean 'range-or-set'? Allowed are: job, range-or-set"
            );
            assert_eq!(complaint(text), expected);
        }
        assert!(complaint("true").ends_with("; allowed are: job, range-or-set"));
        assert!(complaint("job:9").contains("unknown way to generalise 'job:9'"));
        for text in ["range-or-set:1", "range-or-set:x", "range-or-set:"] {
            assert!(complaint(text).contains("limited to 2 to 1000 members"), "{}", complaint(text));
        }
    }

    /// A column: its name, its two values, how the job generalises it, and how it does without hierarchy.
    type Case = [&'static str; 5];

    const CASES: [Case; 10] = [
        ["age", "41", "5", "hierarchy = 'age.csv'", "'range'"],
        ["pay", "0", "1", "hierarchy = { intervals = [10] }", "'range'"],
        ["code", "41", "50", "hierarchy = { mask = 'right' }", "'set'"],
        ["room", "007", "120", "hierarchy = { auto = true }", "'set'"],
        ["day", "1.2.2020", "13.2.2020", "hierarchy = { auto = true }", "{ range = '%d.%m.%Y' }"],
        [
            "born",
            "20/2/1",
            "20/2/9",
            "hierarchy = { dates = ['year'], format = '%y/%m/%d' }",
            "{ range = '%y/%m/%d' }",
        ],
        ["sex", "f", "m", "weight = 2.0", "'set'"],
        ["job", "cook", "5", "weight = 1.0", "'set'"],
        ["own", "cook", "5", "generalise = { set = 3 }", "{ set = 3 }"],
        ["plate", "22", "23", "generalise = 'prefix'", "'prefix'"],
    ];

    fn table() -> String {
        let line = |at: usize| CASES.map(|case| case[at]).join(",") + "\n";
        [0, 1, 2].map(line).concat()
    }

    fn columns(of: impl Fn(&Case) -> String) -> String {
        let line = |case: &Case| format!("{} = {{ role = 'quasi', {} }}\n", case[0], of(case));
        CASES.iter().map(line).collect()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_job_and_the_values_say_what_a_column_becomes() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("t.csv"), table()).unwrap();
        std::fs::write(dir.path().join("age.csv"), "5;*\n41;*\n99;*\n").unwrap();
        let head = "input = 't.csv'\noutput = 'o.csv'\nprivacy.k = 2\n[columns]\n";
        let text = head.to_owned() + &columns(|case| case[3].to_owned());
        let job = Job::parse(&text, dir.path()).unwrap();
        let prepared = EncodedTable::read(&OpenJob::new(&job).unwrap(), &Quiet).await.unwrap();

        let varied = Generalise::RangeOrSet { most_members: 16 }.vary(&job, &prepared);
        let text = head.to_owned() + &columns(|case| format!("generalise = {}", case[4]));
        let expected = Job::parse(&text, dir.path()).unwrap();
        for (name, column) in varied.columns.named() {
            assert_eq!(column.hierarchy, expected.columns.get(name).unwrap().hierarchy, "{name}");
            assert_eq!(column.weight, job.columns.get(name).unwrap().weight, "{name}");
        }
        let again = prepared.again(&varied).unwrap();
        assert_eq!((again.rows(), again.distinct_tuples()), (2, 2));
        assert_eq!(again.attributes[0].taxonomy.leaf_total(), 2, "the values that occur");
        assert_eq!(Generalise::AsJob.vary(&job, &prepared), job);
    }
}
