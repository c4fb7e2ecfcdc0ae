//! Judges a release by the text of the input and of the hierarchies alone.

use std::collections::BTreeMap;

use throng_engine::summary::Summary;

use crate::table::Table;

/// The labels of each value, from the value itself to the top.
pub(crate) struct Hierarchy(BTreeMap<String, Vec<String>>);

impl Hierarchy {
    /// A hierarchy file with `;`.
    pub(crate) fn parse(text: &str) -> Hierarchy {
        let labels = |line: &str| line.split(';').map(str::to_owned).collect::<Vec<_>>();
        Hierarchy(text.lines().map(labels).map(|labels| (labels[0].clone(), labels)).collect())
    }

    /// What `labels` gives for each of the values, and after that `*`.
    pub(crate) fn build(values: &[&str], labels: impl Fn(&str) -> Vec<String>) -> Hierarchy {
        let all = |value: &str| [vec![value.to_owned()], labels(value), vec!["*".to_owned()]].concat();
        Hierarchy(values.iter().map(|value| (value.to_string(), all(value))).collect())
    }
}

/// A release and what it was made from; `record` is a column that numbers the rows.
pub(crate) struct Case<'a> {
    pub(crate) input: &'a Table,
    pub(crate) output: &'a Table,
    pub(crate) quasi: &'a [(&'a str, Hierarchy)],
    pub(crate) kept: &'a [&'a str],
    pub(crate) k: usize,
    pub(crate) masked: bool,
}

impl Case<'_> {
    /// Every row shows the label of its value at the reported level and its kept cells unchanged;
    /// every class has k rows; rows are suppressed only where theirs has not.
    pub(crate) fn assert_true(&self, summary: &Summary) {
        let shown = self.labels(summary);
        let mut classes: BTreeMap<&[String], usize> = BTreeMap::new();
        shown.values().for_each(|labels| *classes.entry(labels).or_default() += 1);
        let is_safe = |record: &str| classes[shown[record].as_slice()] >= self.k;

        let safe = shown.keys().filter(|record| is_safe(record)).count();
        assert_eq!(summary.suppressed_rows as usize, self.input.rows.len() - safe);
        assert!(summary.suppressed_rows <= summary.max_suppressed_rows);
        let expected = if self.masked { self.input.rows.len() } else { safe };
        assert_eq!(self.output.rows.len(), expected);

        let kept = |table: &Table| by_record(table, self.kept);
        let (before, after) = (kept(self.input), kept(self.output));
        let quasi: Vec<&str> = self.quasi.iter().map(|(name, _)| *name).collect();
        for (record, cells) in by_record(self.output, &quasi) {
            let masked = vec!["*".to_owned(); quasi.len()];
            assert_eq!(&cells, if is_safe(&record) { &shown[&record] } else { &masked }, "{record}");
            assert_eq!(after[&record], before[&record], "{record}");
        }
    }

    /// The label of each row's values at the reported levels.
    fn labels(&self, summary: &Summary) -> BTreeMap<String, Vec<String>> {
        let levels = summary.levels.as_ref().unwrap();
        let level = |name: &str| levels[name].as_u64().unwrap() as usize;
        let quasi: Vec<&str> = self.quasi.iter().map(|(name, _)| *name).collect();
        let label = |(value, (name, hierarchy)): (&String, &(&str, Hierarchy))| {
            hierarchy.0[value][level(name)].clone()
        };
        let rows = by_record(self.input, &quasi).into_iter();
        rows.map(|(record, cells)| (record, cells.iter().zip(self.quasi).map(label).collect())).collect()
    }
}

/// The cells of some columns, by the number of the row.
fn by_record(table: &Table, columns: &[&str]) -> BTreeMap<String, Vec<String>> {
    let columns: Vec<Vec<&str>> = columns.iter().map(|column| table.column(column)).collect();
    let cells = |row: usize| columns.iter().map(|column| column[row].to_owned()).collect();
    let records = table.column("record").into_iter().enumerate();
    let rows: BTreeMap<String, Vec<String>> =
        records.map(|(row, record)| (record.to_owned(), cells(row))).collect();
    assert_eq!(rows.len(), table.rows.len(), "no row comes twice");
    rows
}
