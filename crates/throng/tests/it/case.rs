//! A table of text with its hierarchies, before throng has touched it.

use std::collections::BTreeMap;

use throng::privacy::Monotonicity;
use throng::problem::Problem;
use throng::requirement::Requirement;
use throng::table::{Carried, Table};
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
    /// The sensitive values of each row.
    pub(crate) sensitive: Vec<Vec<String>>,
    /// The rows that these are a sample of, if they are one.
    pub(crate) population: Option<Vec<Vec<String>>>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) max_suppressed_rows: u64,
}

/// Something that classes over some of the attributes must satisfy.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    /// None for all attributes.
    pub(crate) shield: Option<Vec<usize>>,
    pub(crate) model: Model,
}

impl Case {
    /// A case from text: lines are separated by commas, fields by spaces.
    pub(crate) fn new(hierarchies: &[&str], rows: &str, k: u64, max_suppressed_rows: u64) -> Case {
        let hierarchies = hierarchies.iter().map(|text| lines(text)).collect();
        Case::of(hierarchies, lines(rows), k, max_suppressed_rows)
    }

    /// A case that asks for k-anonymity and weighs all attributes alike.
    pub(crate) fn of(
        hierarchies: Vec<Hierarchy>,
        rows: Vec<Vec<String>>,
        k: u64,
        max_suppressed_rows: u64,
    ) -> Case {
        let weights = vec![1.0; hierarchies.len()];
        let sensitive = vec![Vec::new(); rows.len()];
        let case = Case {
            rows,
            hierarchies,
            weights,
            sensitive,
            population: None,
            asks: vec![],
            max_suppressed_rows,
        };
        case.asking(Model::KAnonymity(k))
    }

    /// The same case, of which nothing is asked but this.
    pub(crate) fn asking(self, model: Model) -> Case {
        Case { asks: vec![Ask { shield: None, model }], ..self }
    }

    /// The largest class that is asked for by size alone; 1 if none is.
    pub(crate) fn k(&self) -> u64 {
        let k = |ask: &Ask| if let Model::KAnonymity(k) = ask.model { k } else { 1 };
        self.asks.iter().map(k).max().unwrap_or(1)
    }

    /// Whether every coarser node of one that may be released may be, too.
    pub(crate) fn holds_upwards(&self) -> bool {
        self.asks.iter().all(|ask| match ask.model.monotonicity() {
            Monotonicity::Monotone => true,
            Monotonicity::SafeUnions => self.max_suppressed_rows == 0,
            Monotonicity::None => false,
        })
    }

    /// The height of each hierarchy.
    pub(crate) fn heights(&self) -> Vec<usize> {
        self.hierarchies.iter().map(|lines| lines[0].len() - 1).collect()
    }

    /// The encoded problem with the objective of a name.
    pub(crate) fn problem(&self, objective: &str) -> Problem {
        let rows = self.encoded_rows();
        let plain = self.sensitive[0].is_empty() && self.population.is_none();
        let table = if plain { Table::from_rows(self.hierarchies.len(), &rows) } else { self.table(&rows) };
        self.problem_over(table, objective)
    }

    /// The problem over another encoding of the same rows.
    pub(crate) fn problem_over(&self, table: Table, objective: &str) -> Problem {
        let attributes = self.hierarchies.iter().zip(&self.weights).enumerate();
        let attributes = attributes.map(|(a, (lines, &weight))| {
            (format!("column {a}"), Taxonomy::from_rows(lines).expect("a valid hierarchy"), weight)
        });
        let requirements: Vec<Requirement> = self.asks.iter().map(Ask::requirement).collect();
        let objective = throng::loss::find(objective).expect("a registered measure");
        Problem::new(table, attributes.collect(), requirements, self.max_suppressed_rows, objective)
            .expect("a valid problem")
    }

    /// The table in which rows with the same key are one tuple; a key begins with the row's leaves.
    pub(crate) fn table<K: AsRef<[u32]>>(&self, keys: &[K]) -> Table {
        let mut tuples: BTreeMap<&[u32], Vec<usize>> = BTreeMap::new();
        let population = self.population.as_ref().map(|rows| self.encode(rows)).unwrap_or_default();
        population.iter().for_each(|row| _ = tuples.entry(row).or_default());
        keys.iter().enumerate().for_each(|(row, key)| tuples.entry(key.as_ref()).or_default().push(row));
        let attributes = 0..self.hierarchies.len();
        let columns = attributes.map(|a| tuples.keys().map(|key| key[a]).collect()).collect();
        let weights = tuples.values().map(|rows| rows.len() as u32).collect();
        let table = match &self.population {
            None => Table::new(columns, weights),
            Some(_) => {
                let of = |key: &[u32]| population.iter().filter(|row| row.as_slice() == key).count() as u32;
                Table::with_population(columns, weights, tuples.keys().map(|key| of(key)).collect())
            }
        };
        let column = |at: usize| self.carried(at, tuples.values());
        table.with_carried((0..self.sensitive[0].len()).map(column).collect())
    }

    /// A sensitive column as counts for tuples of rows.
    fn carried<'t>(&self, column: usize, tuples: impl Iterator<Item = &'t Vec<usize>>) -> Carried {
        let codes = self.codes(column);
        let codes: Vec<Vec<u32>> = tuples.map(|rows| rows.iter().map(|&row| codes[row]).collect()).collect();
        Carried::from_codes(&format!("sensitive {column}"), &codes)
    }

    /// A code for the sensitive value of each row; every other code is of no row.
    pub(crate) fn codes(&self, column: usize) -> Vec<u32> {
        let mut values: Vec<&str> = self.sensitive.iter().map(|values| values[column].as_str()).collect();
        values.sort_unstable();
        values.dedup();
        let code = |value: &str| values.binary_search(&value).expect("listed") as u32 * 2 + 1;
        self.sensitive.iter().map(|values| code(&values[column])).collect()
    }

    /// Each row as the numbers of its leaves, which are those of the hierarchies' lines.
    pub(crate) fn encoded_rows(&self) -> Vec<Vec<u32>> {
        self.encode(&self.rows)
    }

    fn encode(&self, rows: &[Vec<String>]) -> Vec<Vec<u32>> {
        let leaf_of: Vec<BTreeMap<&str, u32>> = self
            .hierarchies
            .iter()
            .map(|lines| lines.iter().zip(0..).map(|(line, leaf)| (line[0].as_str(), leaf)).collect())
            .collect();
        let encode =
            |row: &Vec<String>| row.iter().zip(&leaf_of).map(|(v, leaf_of)| leaf_of[v.as_str()]).collect();
        rows.iter().map(encode).collect()
    }
}

impl Ask {
    fn requirement(&self) -> Requirement {
        let requirement = self.model.requirement();
        match &self.shield {
            Some(shield) => requirement.over(shield.clone()),
            None => requirement,
        }
    }
}

fn lines(text: &str) -> Vec<Vec<String>> {
    text.split(',').map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}
