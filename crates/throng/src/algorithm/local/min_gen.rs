//! MinGen: the fewest generalisations of single cells.
//!
//! **Citation.** L. Sweeney, *Achieving k-Anonymity Privacy Protection Using Generalization and Suppression*,
//! 2002; as section 5.1.1 of *Data privacy with heuristic anonymisation* (Arca and Hewett, 2023) describes it.
//!
//! **Idea.** Rows that can no longer be told apart share, in each attribute, a value above all of theirs; the
//! lowest such value is enough. So a release is a partition of the table's tuples into classes, and the best
//! is found class by class: what remains of the table without one class has a best partition of its own. Of
//! all partitions that may be released, take the one with the fewest steps, where a step is one level of one
//! cell of one row; of these, the one with the best Prec.
//!
//! **Guarantee.** No release in which equal rows stay together and every class over all quasi-identifiers satisfies
//! all requirements takes fewer steps, and none that takes as few has a better Prec; with `follows = "original"`, none
//! has a better Prec, however many steps it takes. If equal rows may be separated, fewer steps can be enough:
//! 12 instead of 14 in the paper's example. Nothing is promised where rows may be suppressed. The objective
//! does not matter.
//!
//! **Complexity.** O(3ᵗ) time and O(2ᵗ) memory for t tuples. More than 16 are refused.
//!
//! **Deviations.** That steps come before Prec is 2023's reading; 2002 wants the best Prec, which is
//! `variant = "printed"` (with `follows = "arca-hewett"` it is 2023's again). In both papers equal rows may part.
//! Steps are counted by levels: a value that an unbalanced hierarchy repeats is at the lowest
//! level at which it stands. Of equally good partitions the first is taken, by the first tuples of their
//! classes. Requirements over fewer quasi-identifiers are asked of the classes over all. Where unions of safe
//! classes need not be safe and two classes of the best partition look alike, nothing is released.

use super::admissible::{Admissibility, Contents};
use super::recode;
use crate::algorithm::variant::{Description, FOLLOWS, VARIANT};
use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::loss::Domain;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "min-gen",
    summary: "finds the fewest generalisations of cells that keep equal rows together; for at most 16 \
        distinct rows",
    citation: "Sweeney 2002",
    deviations: &["Puts the fewest generalisations of cells before the best Prec, as Arca and Hewett do."],
    family: Family::Local,
    serves: Serves::OfTable,
    guarantee: Guarantee::FewestSteps,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[VARIANT, FOLLOWS],
    build: |settings| Box::new(MinGen { description: Description::from_settings(settings) }),
};

/// Tuples of the largest table.
const MOST_TUPLES: usize = 16;

/// Sets of tuples between two questions whether to go on.
const SETS: usize = 1 << 8;

struct MinGen {
    description: Description,
}

/// Some tuples, by their places.
type Set = usize;

/// Steps, unless only Prec counts; then what Prec is less than 1, in units of which all levels' shares are whole numbers.
type Steps = (u64, u128);

impl Algorithm for MinGen {
    fn guarantee(&self) -> Option<Guarantee> {
        (self.description == Description::Original).then_some(Guarantee::BestPrec)
    }

    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        if problem.table().tuples() > MOST_TUPLES {
            return Err(Stop::TableTooLarge);
        }
        run.expect(1 << problem.table().tuples());
        let classes = TupleSets::build(problem, self.description, run)?;
        let Some(partition) = classes.best_partition(run)? else { return Ok(()) };
        let local = recode(problem, &partition, &|| run.go_on())?;
        let release = Recoding::Local(local.clone()).apply(problem);
        if release.evaluate(&release.tally()).admissible {
            run.propose(local);
        }
        Ok(())
    }
}

/// Every set of tuples, as a class.
struct TupleSets {
    tuples: usize,
    /// None for sets that may not be released.
    distortions: Vec<Option<Steps>>,
}

impl TupleSets {
    fn build(problem: &Problem, description: Description, run: &Run<'_>) -> Result<TupleSets, Stop> {
        let (table, admissibility) = (problem.table(), Admissibility::new(problem));
        let tuples = table.tuples();
        let scale = Scale::new(problem);
        let single = |tuple: usize| admissibility.contents(table, tuple as u32, table.weights()[tuple]);
        let singles: Vec<Contents> = (0..tuples).map(single).collect();
        // Of the empty set nothing is asked.
        let mut closures: Vec<Vec<ValueId>> = vec![Vec::new(); 1 << tuples];
        let mut distortions = vec![None; 1 << tuples];
        for set in 1..1 << tuples {
            if set % SETS == 0 {
                run.go_on()?;
            }
            let first = first_of(set);
            let mut closure = table.record(first);
            let others = &closures[without(set, first)];
            for (a, &other) in others.iter().enumerate() {
                closure[a] = problem.attributes()[a].joins().join(closure[a], other);
            }
            let mut contents = singles[first].clone();
            members(without(set, first)).for_each(|tuple| contents.add(&singles[tuple]));
            if admissibility.is_ripe(&contents) {
                let (steps, shares) = scale.distortion(&closure, contents.rows);
                let counts_steps = description != Description::Original;
                distortions[set] = Some((if counts_steps { steps } else { 0 }, shares));
            }
            closures[set] = closure;
        }
        Ok(TupleSets { tuples, distortions })
    }

    /// The least distorted partition of all tuples into classes that may be released, if there is one.
    fn best_partition(&self, run: &Run<'_>) -> Result<Option<Vec<Vec<u32>>>, Stop> {
        let all: Set = (1 << self.tuples) - 1;
        // For each set its least distortion, and the class of its first tuple.
        let mut best: Vec<Option<(Steps, Set)>> = vec![None; all + 1];
        best[0] = Some(((0, 0), 0));
        for set in 1..=all {
            if set % SETS == 0 {
                run.go_on()?;
                run.advance(SETS as u64);
            }
            best[set] = self.best_class(set, &best);
        }
        let mut partition = Vec::new();
        let mut left = all;
        while left > 0 {
            let Some((_, class)) = best[left] else { return Ok(None) };
            partition.push(members(class).map(|tuple| tuple as u32).collect());
            left &= !class;
        }
        Ok(Some(partition))
    }

    /// The class of a set's first tuple in its best partition, given those of all its subsets.
    fn best_class(&self, set: Set, best: &[Option<(Steps, Set)>]) -> Option<(Steps, Set)> {
        let first = 1 << first_of(set);
        let others = set & !first;
        let mut found: Option<(Steps, Set)> = None;
        let mut with = 0;
        // All subsets of the others, ascending.
        loop {
            let class = first | with;
            if let (Some(own), Some((rest, _))) = (self.distortions[class], best[set & !class]) {
                let sum = (own.0 + rest.0, own.1 + rest.1);
                if found.is_none_or(|(least, _)| sum < least) {
                    found = Some((sum, class));
                }
            }
            with = with.wrapping_sub(others) & others;
            if with == 0 {
                return found;
            }
        }
    }
}

fn first_of(set: Set) -> usize {
    set.trailing_zeros() as usize
}

fn without(set: Set, tuple: usize) -> Set {
    set & !(1 << tuple)
}

fn members(set: Set) -> impl Iterator<Item = usize> {
    (0..MOST_TUPLES).filter(move |tuple| set >> tuple & 1 == 1)
}

/// What a level of each attribute counts.
struct Scale {
    /// By attribute and value, the level.
    levels: Vec<Vec<u64>>,
    /// By attribute, the share that one level is of the height.
    shares: Vec<u128>,
}

/// The least common multiple of heights that is still used as a unit.
const LARGEST_UNIT: u128 = 1 << 40;

impl Scale {
    fn new(problem: &Problem) -> Scale {
        let height = |attribute| Domain::from_attribute(attribute).height as u128;
        let heights: Vec<u128> = problem.attributes().iter().map(height).collect();
        let multiple = |a: u128, b: u128| (a / common_divisor(a, b) * b).min(LARGEST_UNIT);
        let unit = heights.iter().copied().fold(1, multiple);
        let levels = problem.attributes().iter().zip(&heights).map(|(attribute, &height)| {
            attribute.taxonomy.values().iter().map(|value| (value.level as u64).min(height as u64)).collect()
        });
        Scale { levels: levels.collect(), shares: heights.iter().map(|height| unit / height).collect() }
    }

    /// What it takes to show a tuple for so many rows.
    fn distortion(&self, values: &[ValueId], rows: u64) -> Steps {
        let levels = values.iter().zip(&self.levels).map(|(&value, levels)| levels[value as usize]);
        let steps = levels.clone().sum::<u64>() * rows;
        let shares: u128 = levels.zip(&self.shares).map(|(level, share)| u128::from(level) * share).sum();
        (steps, shares * u128::from(rows))
    }
}

fn common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}
