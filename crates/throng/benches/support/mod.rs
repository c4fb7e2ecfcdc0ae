//! The Adult table, where it is at hand.

use std::collections::BTreeMap;
use std::path::PathBuf;

use throng::privacy::KAnonymity;
use throng::problem::Problem;
use throng::requirement::Requirement;
use throng::table::Table;
use throng::taxonomy::{self, Taxonomy};

/// Adult as rows of text and a taxonomy per column.
pub(crate) struct Adult {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) taxonomies: Vec<Taxonomy>,
}

impl Adult {
    /// Reads it from the data folder beside the repository, if that is there.
    pub(crate) fn load() -> Option<Adult> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult");
        let text = std::fs::read_to_string(folder.join("adult.csv")).ok()?;
        let mut lines = text.lines().map(|line| line.split(';').map(str::to_owned).collect::<Vec<_>>());
        let columns = lines.next()?;
        let rows = lines.collect();
        let read = |column: &String| {
            let file = folder.join(format!("adult_hierarchy_{column}.csv"));
            taxonomy::parse(&std::fs::read_to_string(file).expect("a hierarchy a column")).expect("valid")
        };
        let taxonomies = columns.iter().map(read).collect();
        Some(Adult { columns, rows, taxonomies })
    }

    /// The problem over all nine columns, for k = 5 and lm.
    #[allow(dead_code)] // not every bench is about it
    pub(crate) fn problem(&self, max_suppressed_rows: u64) -> Problem {
        self.problem_over(&(0..self.columns.len()).collect::<Vec<_>>(), max_suppressed_rows)
    }

    /// The same without a column.
    #[allow(dead_code)] // not every bench is about it
    pub(crate) fn problem_without(&self, column: &str, max_suppressed_rows: u64) -> Problem {
        let others = (0..self.columns.len()).filter(|&a| self.columns[a] != column);
        self.problem_over(&others.collect::<Vec<_>>(), max_suppressed_rows)
    }

    fn problem_over(&self, chosen: &[usize], max_suppressed_rows: u64) -> Problem {
        let leaf_of: Vec<BTreeMap<&str, u32>> = self
            .taxonomies
            .iter()
            .map(|t| (0..t.leaf_total() as u32).map(|leaf| (t.label(leaf), leaf)).collect())
            .collect();
        let encode =
            |row: &Vec<String>| -> Vec<u32> { chosen.iter().map(|&a| leaf_of[a][row[a].as_str()]).collect() };
        let rows: Vec<Vec<u32>> = self.rows.iter().map(encode).collect();
        let table = Table::from_rows(chosen.len(), &rows);
        let attributes = chosen.iter().map(|&a| (self.columns[a].clone(), self.taxonomies[a].clone(), 1.0));
        let k5 = Requirement::new(KAnonymity { k: 5 });
        let lm = throng::loss::find("lm").expect("registered");
        Problem::new(table, attributes.collect(), k5, max_suppressed_rows, lm).expect("valid")
    }
}
