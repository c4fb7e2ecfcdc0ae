//! A table of text with its hierarchies, before throng has touched it.

use std::collections::{BTreeMap, BTreeSet};

use throng::loss::{Aggregate, Mean, Needs, Preference};
use throng::privacy::Monotonicity;
use throng::problem::Problem;
use throng::random::Random;
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
    /// The label of each row, in a column that someone wants to predict.
    pub(crate) labels: Vec<String>,
    /// The sensitive values of each row.
    pub(crate) sensitive: Vec<Vec<String>>,
    /// All values that each sensitive column could have.
    pub(crate) domains: Vec<Domain>,
    /// The person of each row, if persons are counted.
    pub(crate) persons: Option<Vec<usize>>,
    /// The rows that these are a sample of, if they are one.
    pub(crate) population: Option<Vec<Vec<String>>>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) max_suppressed_rows: u64,
    /// How the losses of columns become one.
    pub(crate) aggregate: Aggregate,
    /// The lowest and highest level that each attribute may be released at; none for all of its hierarchy.
    pub(crate) limits: Option<Vec<(usize, usize)>>,
}

/// What is known of the values of a sensitive column.
#[derive(Clone, Debug)]
pub(crate) struct Domain {
    /// The values in their order.
    pub(crate) order: Vec<String>,
    /// The values in a tree, which has one root.
    pub(crate) tree: Hierarchy,
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
        Case::from_rows(hierarchies, lines(rows), k, max_suppressed_rows)
    }

    /// A case that asks for k-anonymity and weighs all attributes alike.
    pub(crate) fn from_rows(
        hierarchies: Vec<Hierarchy>,
        rows: Vec<Vec<String>>,
        k: u64,
        max_suppressed_rows: u64,
    ) -> Case {
        let weights = vec![1.0; hierarchies.len()];
        let sensitive = vec![Vec::new(); rows.len()];
        let random = &mut Random::new(rows.len() as u64);
        let labels = rows.iter().map(|_| format!("label {}", random.skewed_index(3))).collect();
        let case = Case {
            rows,
            labels,
            hierarchies,
            weights,
            sensitive,
            domains: Vec::new(),
            persons: None,
            population: None,
            asks: vec![],
            max_suppressed_rows,
            aggregate: Aggregate::default(),
            limits: None,
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

    /// The least rows that are alike in all attributes, by what is asked for by size alone; 1 if nothing is.
    pub(crate) fn k_over_all(&self) -> u64 {
        let all: Vec<usize> = (0..self.hierarchies.len()).collect();
        let asks = self.asks.iter().filter(|ask| self.shielded(ask) == all).cloned().collect();
        Case { asks, ..self.clone() }.k()
    }

    /// Whether every coarser node of one that may be released may be, too.
    pub(crate) fn holds_upwards(&self) -> bool {
        let alone = self.asks.iter().all(|ask| self.shielded(ask) == self.shielded(&self.asks[0]));
        let bare = self.max_suppressed_rows == 0;
        self.asks.iter().all(|ask| match ask.model.monotonicity_in(self) {
            // Which classes go for a mean decides what is left of those over another shield.
            Monotonicity::Monotone => !ask.model.is_mean() || alone || bare,
            Monotonicity::SafeUnions => bare,
            Monotonicity::None => false,
        })
    }

    /// The attributes that are shielded.
    pub(crate) fn shielded(&self, ask: &Ask) -> Vec<usize> {
        ask.shield.clone().unwrap_or_else(|| (0..self.hierarchies.len()).collect())
    }

    /// The height of each hierarchy.
    pub(crate) fn heights(&self) -> Vec<usize> {
        self.hierarchies.iter().map(|lines| lines[0].len() - 1).collect()
    }

    /// The same case, in which attributes may not be released at all levels.
    pub(crate) fn with_limits(self, random: &mut Random) -> Case {
        let limit = |height: usize| {
            let lowest = if random.once_in(2) { random.index(height + 1) } else { 0 };
            (lowest, if random.once_in(2) { lowest + random.index(height - lowest + 1) } else { height })
        };
        Case { limits: Some(self.heights().into_iter().map(limit).collect()), ..self }
    }

    /// The lowest and highest level of each attribute.
    pub(crate) fn levels(&self) -> Vec<(usize, usize)> {
        let all = || self.heights().into_iter().map(|height| (0, height)).collect();
        self.limits.clone().unwrap_or_else(all)
    }

    /// The highest level of each attribute.
    pub(crate) fn highest(&self) -> Vec<usize> {
        self.levels().iter().map(|&(_, highest)| highest).collect()
    }

    /// The same case, in which the losses of columns become one by this mean, and suppressing or generalising is
    /// cheaper: one of fifteen ways, by number.
    pub(crate) fn aggregated(self, number: u64) -> Case {
        let mean = Mean::ALL[(number % 3) as usize];
        let preference = [0.5, 0.2, 0.85, 0.0, 1.0][(number / 3 % 5) as usize];
        let preference = Preference::new(preference).expect("from 0 to 1");
        Case { aggregate: Aggregate { mean, preference }, ..self }
    }

    /// The same case with these labels.
    pub(crate) fn with_labels(self, labels: &str) -> Case {
        let labels: Vec<String> = labels.split_whitespace().map(str::to_owned).collect();
        assert_eq!(labels.len(), self.rows.len());
        Case { labels, ..self }
    }

    /// The encoded problem with a target, the objective being that of a name.
    pub(crate) fn problem_with_target(&self, objective: &str) -> Problem {
        let mut labelled = self.clone();
        labelled.sensitive.iter_mut().zip(&self.labels).for_each(|(row, label)| row.push(label.clone()));
        let target = labelled.sensitive[0].len() - 1;
        let table = labelled.table(&self.encoded_rows());
        self.problem_over(table, objective).with_target(target)
    }

    /// The encoded problem with the objective of a name, and a target if it needs one.
    pub(crate) fn problem(&self, objective: &str) -> Problem {
        if throng::loss::find(objective).is_some_and(|loss| loss.needs() == Needs::Target) {
            return self.problem_with_target(objective);
        }
        let rows = self.encoded_rows();
        let plain = self.sensitive[0].is_empty() && self.population.is_none() && self.persons.is_none();
        let table = if plain { Table::from_rows(self.hierarchies.len(), &rows) } else { self.table(&rows) };
        self.problem_over(table, objective)
    }

    /// The problem over another encoding of the same rows.
    pub(crate) fn problem_over(&self, table: Table, objective: &str) -> Problem {
        let attributes = self.hierarchies.iter().zip(&self.weights).enumerate();
        let attributes = attributes.map(|(a, (lines, &weight))| {
            (format!("column {a}"), Taxonomy::from_rows(lines).expect("a valid hierarchy"), weight)
        });
        let requirements: Vec<Requirement> = self.asks.iter().map(|ask| ask.requirement(self)).collect();
        let objective = throng::loss::find(objective).expect("a registered measure");
        let mut problem =
            Problem::new(table, attributes.collect(), requirements, self.max_suppressed_rows, objective)
                .expect("a valid problem");
        problem.aggregate = self.aggregate;
        let Some(limits) = &self.limits else { return problem };
        let levels: Vec<(usize, Option<usize>)> =
            limits.iter().map(|&(lowest, highest)| (lowest, Some(highest))).collect();
        problem.within_levels(&levels).expect("levels of the hierarchies")
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
        let table = table.with_carried((0..self.sensitive[0].len()).map(column).collect());
        let Some(person_of) = &self.persons else { return table };
        let person = |&row: &usize| person_of[row] as u32;
        let persons: Vec<Vec<u32>> = tuples.values().map(|rows| rows.iter().map(person).collect()).collect();
        table.with_persons(Carried::from_codes("person", &persons))
    }

    /// A sensitive column as counts for tuples of rows.
    fn carried<'t>(&self, column: usize, tuples: impl Iterator<Item = &'t Vec<usize>>) -> Carried {
        let (name, codes) = (format!("sensitive {column}"), self.codes(column));
        let listed = |codes: &[u32]| -> Vec<Vec<u32>> {
            tuples.map(|rows| rows.iter().map(|&row| codes[row]).collect()).collect()
        };
        let missing = self.code(column, "");
        let Some(person_of) = &self.persons else {
            return Carried::from_codes(&name, &listed(&codes)).with_missing(missing);
        };
        // A code for each value of a person.
        let pairs: Vec<(u32, usize)> = codes.into_iter().zip(person_of.iter().copied()).collect();
        let distinct: Vec<(u32, usize)> = BTreeSet::from_iter(pairs.iter().copied()).into_iter().collect();
        let code = |pair| distinct.binary_search(pair).expect("listed") as u32;
        let codes: Vec<u32> = pairs.iter().map(code).collect();
        let value_of: Vec<u32> = distinct.iter().map(|&(value, _)| value).collect();
        Carried::from_codes(&name, &listed(&codes)).by_person(value_of)
    }

    /// Whether no cell of a sensitive column is missing.
    pub(crate) fn shows_all(&self, column: usize) -> bool {
        self.sensitive.iter().all(|values| !values[column].is_empty())
    }

    /// A code for the sensitive value of each row; every other code is of no row.
    pub(crate) fn codes(&self, column: usize) -> Vec<u32> {
        let codes = self.codes_of_values(column);
        self.sensitive.iter().map(|values| codes[values[column].as_str()]).collect()
    }

    fn codes_of_values(&self, column: usize) -> BTreeMap<&str, u32> {
        let values: BTreeSet<&str> = self.sensitive.iter().map(|values| values[column].as_str()).collect();
        values.into_iter().zip(0..).map(|(value, place)| (value, place * 2 + 1)).collect()
    }

    /// The code of a sensitive value, if it occurs.
    pub(crate) fn code(&self, column: usize, value: &str) -> Option<u32> {
        self.codes_of_values(column).get(value).copied()
    }

    /// The codes in the order of their values, with one of no row amid them.
    pub(crate) fn order(&self, column: usize) -> Vec<u32> {
        let order = self.domains[column].order.iter();
        let mut codes: Vec<u32> = order.filter_map(|value| self.code(column, value)).collect();
        codes.insert(codes.len() / 2, 0);
        codes
    }

    /// The groups of each code by level; codes of no row are a group of their own, or with others.
    pub(crate) fn tree(&self, column: usize) -> Vec<Vec<u32>> {
        let (lines, codes) = (&self.domains[column].tree, self.codes_of_values(column));
        let level = |level: usize| {
            let labels: BTreeSet<&str> = lines.iter().map(|line| line[level].as_str()).collect();
            let number = |line: &Vec<String>| labels.iter().position(|label| *label == line[level]);
            let mut groups = vec![0; codes.values().max().map_or(0, |&last| last as usize + 1)];
            for line in lines.iter().filter(|line| codes.contains_key(line[0].as_str())) {
                groups[codes[line[0].as_str()] as usize] = number(line).expect("listed") as u32;
            }
            groups
        };
        (0..lines[0].len()).map(level).collect()
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
    fn requirement(&self, case: &Case) -> Requirement {
        let requirement = self.model.requirement(case);
        match &self.shield {
            Some(shield) => requirement.over(shield.clone()),
            None => requirement,
        }
    }
}

fn lines(text: &str) -> Vec<Vec<String>> {
    text.split(',').map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}
