//! Whether a cluster may be released as a class.
//!
//! A crowd over all quasi-identifiers goes by size alone. Any other model looks at what the cluster
//! holds, so its [contents](Contents) are added up as clusters grow. A requirement over fewer
//! quasi-identifiers is asked of the classes over all: there its classes are unions of these, and unions
//! of safe classes are safe for every model that says so.

use std::sync::Arc;

use crate::privacy::{Class, Monotonicity, PrivacyModel, Whole};
use crate::problem::Problem;
use crate::table::{Carried, Histogram, Table};

/// What a cluster holds, as far as requirements look at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::algorithm) struct Contents {
    /// Rows.
    pub(in crate::algorithm) rows: u64,
    /// By carried column, pairs of a code and its rows, codes ascending; empty where size alone decides.
    values: Vec<Vec<(u32, u32)>>,
}

impl Contents {
    /// Takes in what another cluster holds.
    pub(in crate::algorithm) fn add(&mut self, other: &Contents) {
        self.rows += other.rows;
        self.values.resize(self.values.len().max(other.values.len()), Vec::new());
        for (own, others) in self.values.iter_mut().zip(&other.values) {
            merge(own, others);
        }
    }

    /// Gives up what another cluster, all of which it holds, holds.
    pub(in crate::algorithm) fn remove(&mut self, other: &Contents) {
        self.rows -= other.rows;
        for (own, others) in self.values.iter_mut().zip(&other.values) {
            let mut at = 0;
            for &(code, rows) in others {
                at += own[at..].partition_point(|&(known, _)| known < code);
                own[at].1 -= rows;
            }
            own.retain(|&(_, rows)| rows > 0);
        }
    }
}

/// Adds counts to others; the codes of both are ascending.
fn merge(own: &mut Vec<(u32, u32)>, others: &[(u32, u32)]) {
    let mut new = Vec::new();
    let mut at = 0;
    for &(code, rows) in others {
        at += own[at..].partition_point(|&(known, _)| known < code);
        match own.get_mut(at) {
            Some(known) if known.0 == code => known.1 += rows,
            _ => new.push((code, rows)),
        }
    }
    if !new.is_empty() {
        // Two ascending runs: the sort takes them as they are.
        own.extend(new);
        own.sort_by_key(|&(code, _)| code);
    }
}

/// What makes a cluster ripe.
#[derive(Clone, Debug)]
pub(in crate::algorithm) struct Admissibility {
    whole: Arc<Whole>,
    models: Vec<Arc<dyn PrivacyModel>>,
    by_size: Option<u64>,
    least: u64,
    /// The carried columns and, last, that of persons, if these are counted; without their counts.
    columns: Vec<Carried>,
    persons: bool,
}

impl Admissibility {
    pub(in crate::algorithm) fn new(problem: &Problem) -> Admissibility {
        let (requirements, persons) = (&problem.requirements, problem.table().persons());
        Admissibility {
            whole: problem.whole(),
            models: requirements.iter().map(|one| one.class_model()).collect(),
            by_size: (requirements.is_one_crowd() && persons.is_none()).then(|| requirements.k()),
            least: requirements.k(),
            columns: problem.table().carried().iter().chain(persons).map(Carried::without_counts).collect(),
            persons: persons.is_some(),
        }
    }

    /// The size from which on every cluster is ripe, if nothing but size decides.
    pub(in crate::algorithm) fn by_size(&self) -> Option<u64> {
        self.by_size
    }

    /// No smaller cluster is ripe.
    pub(in crate::algorithm) fn least_rows(&self) -> u64 {
        self.least
    }

    /// Whether a ripe cluster stays so, whatever joins it.
    pub(in crate::algorithm) fn stays(&self) -> bool {
        let stays = |model: &Arc<dyn PrivacyModel>| self.monotonicity(&**model) == Monotonicity::Monotone;
        self.models.iter().all(stays)
    }

    /// Whether unions of ripe clusters are ripe.
    pub(in crate::algorithm) fn holds_for_unions(&self) -> bool {
        self.models.iter().all(|model| self.monotonicity(&**model) != Monotonicity::None)
    }

    /// Whether a model compares clusters with all that is released, which is less when rows leave.
    pub(in crate::algorithm) fn compares_with_whole(&self) -> bool {
        self.models.iter().any(|model| model.compares_with_whole())
    }

    /// What merging does, by rows or by persons.
    fn monotonicity(&self, model: &dyn PrivacyModel) -> Monotonicity {
        let by_rows = model.monotonicity();
        if self.persons { by_rows.of_persons(model.is_mean()) } else { by_rows }
    }

    /// Some rows of a tuple.
    ///
    /// # Panics
    /// If they are not all of it and its rows differ in a carried column: which of them these are is not
    /// known.
    pub(in crate::algorithm) fn contents(&self, table: &Table, tuple: u32, rows: u32) -> Contents {
        let mut contents = Contents { rows: u64::from(rows), values: Vec::new() };
        if self.by_size.is_none() {
            let all = table.weights()[tuple as usize];
            let values = table.carried().iter().chain(table.persons()).map(|column| {
                let mut values: Vec<(u32, u32)> = column.histogram(tuple as usize).iter().collect();
                assert!(rows == all || values.len() == 1, "rows of a divided tuple have one value");
                values.iter_mut().for_each(|value| value.1 = value.1.min(rows));
                values
            });
            contents.values = values.collect();
        }
        contents
    }

    /// Whether some rows of a tuple may go one way and the others another: they are alike in all that is
    /// looked at.
    pub(in crate::algorithm) fn may_divide(&self, table: &Table, tuple: u32) -> bool {
        self.by_size.is_some()
            || table
                .carried()
                .iter()
                .chain(table.persons())
                .all(|column| column.histogram(tuple as usize).distinct() == 1)
    }

    /// Whether a cluster may be released as a class.
    pub(in crate::algorithm) fn is_ripe(&self, contents: &Contents) -> bool {
        if let Some(least) = self.by_size {
            return contents.rows >= least;
        }
        if contents.rows < self.least {
            return false;
        }
        let columns = self.columns.iter().zip(&contents.values);
        let folded: Vec<_> = columns.map(|(column, counts)| column.fold(Histogram::Listed(counts))).collect();
        let values: Vec<Histogram<'_>> = folded.iter().map(|counts| Histogram::Listed(counts)).collect();
        let persons = values.last().filter(|_| self.persons).map(|persons| persons.rows());
        let class = Class { rows: persons.unwrap_or(contents.rows), values: &values, population: None };
        self.models.iter().all(|model| model.holds(model.degree(&class, &self.whole)))
    }
}

/// No value of a carried column is that of more than a share of a class: a model that merging can break.
#[cfg(test)]
#[derive(Debug)]
pub(in crate::algorithm) struct LargestShare {
    pub(in crate::algorithm) most: f64,
    pub(in crate::algorithm) column: usize,
}

#[cfg(test)]
impl PrivacyModel for LargestShare {
    fn name(&self) -> &'static str {
        "largest-share"
    }

    fn degree(&self, class: &Class<'_>, _: &Whole) -> f64 {
        let most = class.values[self.column].iter().map(|(_, rows)| rows).max().unwrap_or(0);
        f64::from(most) / class.rows as f64
    }

    fn asked(&self) -> f64 {
        self.most
    }

    fn direction(&self) -> crate::privacy::Direction {
        crate::privacy::Direction::LessIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::SafeUnions
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss;
    use crate::privacy::{DistinctL, KAnonymity};
    use crate::requirement::Requirement;
    use crate::taxonomy::Taxonomy;

    #[test]
    fn a_cluster_is_ripe_when_every_model_holds() {
        let tree = Taxonomy::from_rows(&[["a", "*"], ["b", "*"], ["c", "*"]]).unwrap();
        let illness = Carried::from_codes("illness", &[vec![1, 1], vec![0, 2], vec![1]]);
        let table = Table::from_rows(1, &[[0], [0], [1], [1], [2]]).with_carried(vec![illness]);
        let asked = vec![
            Requirement::new(KAnonymity { k: 2 }),
            Requirement::new(DistinctL { l: 2, column: 0 }).over([0]),
        ];
        let lm = loss::find("lm").unwrap();
        let problem = Problem::new(table, vec![("x".into(), tree, 1.0)], asked, 0, lm).unwrap();
        let admissibility = Admissibility::new(&problem);
        assert_eq!(
            (admissibility.by_size(), admissibility.least_rows(), admissibility.stays()),
            (None, 2, true)
        );
        let of =
            |tuple| admissibility.contents(problem.table(), tuple, problem.table().weights()[tuple as usize]);
        assert!(
            !admissibility.is_ripe(&of(0)) && admissibility.is_ripe(&of(1)) && !admissibility.is_ripe(&of(2))
        );
        let mut both = of(0);
        both.add(&of(1));
        assert_eq!((both.rows, &both.values[0][..]), (4, &[(0, 1), (1, 2), (2, 1)][..]));
        assert!(admissibility.is_ripe(&both));
        assert!(
            admissibility.may_divide(problem.table(), 0) && !admissibility.may_divide(problem.table(), 1)
        );
        assert_eq!(admissibility.contents(problem.table(), 0, 1).values[0], [(1, 1)]);
    }
}
