//! A table of text with its hierarchies, before throng has touched it.

use std::collections::BTreeMap;

use throng::problem::Problem;
use throng::table::Table;
use throng::taxonomy::Taxonomy;

use crate::models::Model;

/// One line per leaf: `[leaf, level 1, …, top]`.
pub(crate) type Hierarchy = Vec<Vec<String>>;

/// All that a problem is made of, except the objective.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) hierarchies: Vec<Hierarchy>,
    pub(crate) weights: Vec<f64>,
    pub(crate) model: Model,
    pub(crate) k: u64,
    pub(crate) max_suppressed_rows: u64,
}

impl Case {
    /// A case from text: lines are separated by commas, fields by spaces.
    pub(crate) fn new(hierarchies: &[&str], rows: &str, k: u64, max_suppressed_rows: u64) -> Case {
        let hierarchies: Vec<Hierarchy> = hierarchies.iter().map(|text| lines(text)).collect();
        let weights = vec![1.0; hierarchies.len()];
        Case { rows: lines(rows), hierarchies, weights, model: Model::KAnonymity, k, max_suppressed_rows }
    }

    /// The height of each hierarchy.
    pub(crate) fn heights(&self) -> Vec<usize> {
        self.hierarchies.iter().map(|lines| lines[0].len() - 1).collect()
    }

    /// The encoded problem with the objective of a name.
    pub(crate) fn problem(&self, objective: &str) -> Problem {
        self.problem_over(Table::from_rows(self.hierarchies.len(), &self.encoded_rows()), objective)
    }

    /// The problem over another encoding of the same rows.
    pub(crate) fn problem_over(&self, table: Table, objective: &str) -> Problem {
        let attributes = self.hierarchies.iter().zip(&self.weights).enumerate();
        let attributes = attributes.map(|(a, (lines, &weight))| {
            (format!("column {a}"), Taxonomy::from_rows(lines).expect("a valid hierarchy"), weight)
        });
        let requirement = self.model.requirement(self.k);
        let objective = throng::loss::find(objective).expect("a registered measure");
        Problem::new(table, attributes.collect(), requirement, self.max_suppressed_rows, objective)
            .expect("a valid problem")
    }

    /// Each row as the numbers of its leaves, which are those of the hierarchies' lines.
    pub(crate) fn encoded_rows(&self) -> Vec<Vec<u32>> {
        let leaf_of: Vec<BTreeMap<&str, u32>> = self
            .hierarchies
            .iter()
            .map(|lines| lines.iter().zip(0..).map(|(line, leaf)| (line[0].as_str(), leaf)).collect())
            .collect();
        let encode =
            |row: &Vec<String>| row.iter().zip(&leaf_of).map(|(v, leaf_of)| leaf_of[v.as_str()]).collect();
        self.rows.iter().map(encode).collect()
    }
}

fn lines(text: &str) -> Vec<Vec<String>> {
    text.split(',').map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}
