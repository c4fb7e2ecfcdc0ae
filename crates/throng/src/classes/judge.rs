//! Which classes may be released, by all requirements together.
//!
//! The rows of a class that a requirement refuses are suppressed. Where requirements have different
//! shields, that can shrink the classes of another, so it is repeated until none is refused. For
//! monotone models the result is the largest set of rows that satisfies all requirements: adding rows
//! never makes a class unsafe, so the union of two such sets is one, and no round suppresses a row of
//! any. Such a set is one at every coarser grid, too, whose classes are unions of its classes: what a
//! node suppresses, all below it do. A mean of all rows is judged last, of what the others of its shield
//! leave; there are several largest sets for it, so the same is true only if there is no other shield.

mod groups;
mod reach;
mod violations;

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Key, Snapshot};
use crate::privacy::{Class, Monotonicity, PrivacyModel, Whole, achieved};
use crate::problem::Problem;
use crate::tally::ClassSizes;
use groups::{Groups, StandingClasses};
pub(crate) use reach::reachable_size;
pub(super) use violations::Violations;

/// Judges sets of classes by the requirements of a problem.
pub(super) struct Judge {
    /// All rows.
    whole: Whole,
    /// The different shields.
    shields: Vec<Shield>,
    /// Number of requirements.
    requirements: usize,
    /// The least rows of a class, if nothing but the size of classes over all attributes decides.
    least_rows: Option<u64>,
    /// The least rows that a class over all attributes must have at any rate.
    at_least: u64,
    /// Whether classes must carry more than their rows.
    looks_at_values: bool,
    /// The carried column whose labels are counted, if the objective asks for them.
    labels: Option<usize>,
    /// Whether a model compares classes with what is released of the whole.
    compares: bool,
    /// Whether what is refused can change what is found of the rest, even of a single shield.
    repeats: bool,
    /// Rows that may be suppressed.
    max_suppressed_rows: u64,
}

/// Attributes over which classes are formed, and what these must satisfy.
struct Shield {
    /// None for all.
    attributes: Option<Vec<usize>>,
    /// With the number of the requirement.
    models: Vec<(usize, Arc<dyn PrivacyModel>)>,
}

/// A judgement of classes over all attributes.
pub(super) struct ClassJudgement {
    /// Sizes of the classes that may be released.
    pub(super) kept: ClassSizes,
    /// Sizes of all classes.
    pub(super) all: ClassSizes,
    /// What is achieved, by requirement.
    pub(super) degrees: Vec<f64>,
    /// Whether nothing is against a release that no suppression could mend.
    pub(super) mendable: bool,
    /// Rows that every finer grid must suppress, too: those here if all models are monotone, else at least
    /// so many.
    pub(super) below: u64,
    /// The others.
    pub(super) refused: Refused,
}

/// The classes that may not be released.
pub(super) enum Refused {
    /// Those of fewer rows.
    Smaller(u64),
    /// By class.
    Listed(Vec<bool>),
}

impl Refused {
    /// Whether a class, which has so many rows, may not be released.
    #[inline]
    pub(super) fn is(&self, class: usize, rows: u64) -> bool {
        match self {
            Refused::Smaller(least) => rows < *least,
            Refused::Listed(refused) => refused[class],
        }
    }
}

impl Judge {
    pub(super) fn new(problem: &Problem) -> Judge {
        let requirements = &problem.requirements;
        let mut shields: Vec<Shield> = Vec::new();
        for (number, requirement) in requirements.iter().enumerate() {
            let attributes = requirement.shield().filter(|shield| shield.len() < problem.attributes().len());
            let model = (number, requirement.class_model());
            match shields.iter_mut().find(|shield| shield.attributes.as_deref() == attributes) {
                Some(shield) => shield.models.push(model),
                None => {
                    shields.push(Shield { attributes: attributes.map(<[_]>::to_vec), models: vec![model] })
                }
            }
        }
        // What is soonest asked comes first.
        shields
            .iter_mut()
            .for_each(|shield| shield.models.sort_by_key(|(_, model)| model.column().is_some()));
        let table = problem.table();
        let models = || shields.iter().flat_map(|shield| &shield.models);
        let by_size =
            requirements.is_one_crowd() && table.population().is_none() && table.persons().is_none();
        let looks_at_values = table.population().is_some()
            || table.persons().is_some()
            || models().any(|(_, model)| model.column().is_some())
            || problem.labels().is_some();
        let compares = models().any(|(_, model)| model.compares_with_whole());
        // As many persons as are asked for have as many rows at least.
        let over_all = shields.iter().filter(|shield| shield.attributes.is_none());
        let sizes = over_all.flat_map(|shield| &shield.models).filter_map(|(_, model)| model.least_rows());
        let at_least = sizes.max().unwrap_or(0);
        // What a mean leaves out changes the degrees of the others.
        let mean_of_several = models().count() > 1 && models().any(|(_, model)| model.is_mean());
        let repeats = compares || mean_of_several || models().any(|(_, model)| model.refuses_absence());
        Judge {
            repeats,
            whole: Whole::from_table(table),
            requirements: requirements.iter().len(),
            least_rows: by_size.then(|| requirements.k()),
            at_least,
            looks_at_values,
            labels: problem.labels(),
            compares,
            max_suppressed_rows: problem.max_suppressed_rows,
            shields,
        }
    }

    /// Whether classes must carry more than their rows.
    pub(super) fn looks_at_values(&self) -> bool {
        self.looks_at_values
    }

    /// Rows of the classes over all attributes that are too small at any rate.
    pub(super) fn rows_of_small<K: Key>(&self, classes: &[(K, u64)]) -> u64 {
        let sizes = classes.iter().map(|(_, rows)| *rows);
        sizes.filter(|&rows| rows < self.at_least).sum()
    }

    /// Rows that a class over all attributes must have at any rate.
    pub(super) fn at_least(&self) -> u64 {
        self.at_least
    }

    /// Whether these are more than may be suppressed.
    pub(super) fn is_refuted_by_size<K: Key>(&self, classes: &[(K, u64)]) -> bool {
        self.rows_of_small(classes) > self.max_suppressed_rows
    }

    /// Judges classes; if not `exact`, only as far as needed to know that they may not be released.
    pub(super) fn judge<K: Key>(&self, snapshot: &Snapshot<K>, exact: bool) -> ClassJudgement {
        match self.least_rows {
            Some(least) => self.judge_sizes(snapshot, least),
            None => self.judge_classes(snapshot, exact),
        }
    }

    fn judge_sizes<K: Key>(&self, snapshot: &Snapshot<K>, least: u64) -> ClassJudgement {
        let mut kept = ClassSizes::default();
        let mut all = ClassSizes::default();
        for rows in snapshot.classes.iter().map(|(_, rows)| *rows) {
            all.add(rows);
            if rows >= least {
                kept.add(rows);
            }
        }
        self.count_labels(snapshot, |class| snapshot.classes[class].1 < least, &mut kept, &mut all);
        let degree = if kept.classes == 0 { f64::INFINITY } else { kept.smallest as f64 };
        let degrees = vec![degree; self.requirements];
        let below = all.rows - kept.rows;
        ClassJudgement { kept, all, degrees, mendable: true, below, refused: Refused::Smaller(least) }
    }

    fn judge_classes<K: Key>(&self, snapshot: &Snapshot<K>, exact: bool) -> ClassJudgement {
        // Tuples of the population alone are in no class that is released.
        let mut refused: Vec<bool> = snapshot.classes.iter().map(|(_, rows)| *rows == 0).collect();
        let groups: Vec<Groups> =
            self.shields.iter().map(|shield| Groups::over(shield.attributes.as_deref(), snapshot)).collect();
        let mut below = None;
        let (degrees, mendable) = loop {
            let round = self.round(snapshot, &groups, &refused);
            let at_least = *below.get_or_insert(round.below);
            let settled = round.refused == refused;
            // The classes of a single shield do not shrink each other.
            let alone = self.shields.len() == 1 && !self.repeats;
            refused = round.refused;
            let is_over = !exact && at_least.max(rows_of(snapshot, &refused)) > self.max_suppressed_rows;
            if settled || alone || is_over {
                break (round.degrees, round.mendable);
            }
        };
        let (mut kept, mut all) = (ClassSizes::default(), ClassSizes::default());
        let occurring = snapshot.classes.iter().zip(&refused).filter(|((_, rows), _)| *rows > 0);
        for (rows, &refused) in occurring.map(|((_, rows), refused)| (*rows, refused)) {
            all.add(rows);
            if !refused {
                kept.add(rows);
            }
        }
        self.count_labels(snapshot, |class| refused[class], &mut kept, &mut all);
        let below = below.unwrap_or(0);
        ClassJudgement { kept, all, degrees, mendable, below, refused: Refused::Listed(refused) }
    }

    /// Adds the labels of all classes, and of those that are kept, where they are asked for.
    fn count_labels<K: Key>(
        &self,
        snapshot: &Snapshot<K>,
        is_refused: impl Fn(usize) -> bool,
        kept: &mut ClassSizes,
        all: &mut ClassSizes,
    ) {
        let Some((column, values)) = self.labels.zip(snapshot.values.as_ref()) else { return };
        (kept.off_label, all.off_label) = (Some(0), Some(0));
        for (class, rows) in snapshot.classes.iter().map(|(_, rows)| *rows).enumerate() {
            let off_label = values.off_label(class, rows, column);
            all.add_off_label(off_label);
            if !is_refused(class) {
                kept.add_off_label(off_label);
            }
        }
    }

    /// Judges what is left when some classes are refused.
    fn round<K: Key>(&self, snapshot: &Snapshot<K>, groups: &[Groups], refused: &[bool]) -> Round {
        let mut round = Round {
            refused: refused.to_vec(),
            by_shield: Vec::with_capacity(self.shields.len()),
            degrees: self.safest(),
            mendable: true,
            below: 0,
        };
        let smaller = match &snapshot.values {
            Some(values) if self.compares && refused.contains(&true) => {
                Some(values.whole_without(&self.whole, refused, |class| snapshot.classes[class].1))
            }
            _ => None,
        };
        let whole = smaller.as_ref().unwrap_or(&self.whole);
        for (shield, groups) in self.shields.iter().zip(groups) {
            let standing = groups.standing(refused, snapshot);
            let sitting = Sitting { shield, standing: &standing, whole, left_out: self.max_suppressed_rows };
            let is_refused = sitting.refuse(groups, snapshot, &mut round);
            for (class, refused) in round.refused.iter_mut().enumerate() {
                *refused |= is_refused[groups.group(class)];
            }
            round.by_shield.push(is_refused);
        }
        round
    }

    /// The degrees of a release without classes.
    pub(super) fn safest(&self) -> Vec<f64> {
        let mut degrees = vec![0.0; self.requirements];
        for (number, model) in self.shields.iter().flat_map(|shield| &shield.models) {
            degrees[*number] = model.direction().safest();
        }
        degrees
    }
}

/// Rows of the classes that are refused.
fn rows_of<K: Key>(snapshot: &Snapshot<K>, refused: &[bool]) -> u64 {
    let refused = snapshot.classes.iter().zip(refused).filter(|(_, refused)| **refused);
    refused.map(|((_, rows), _)| *rows).sum()
}

/// What one look at all shields finds.
struct Round {
    /// By class.
    refused: Vec<bool>,
    /// For each shield by group.
    by_shield: Vec<Vec<bool>>,
    /// What the others achieve, by requirement.
    degrees: Vec<f64>,
    /// Whether nothing is against a release that no suppression could mend.
    mendable: bool,
    /// Rows that every finer grid must suppress at least.
    below: u64,
}

/// A shield that is judged in a round.
struct Sitting<'s> {
    shield: &'s Shield,
    standing: &'s StandingClasses<'s>,
    whole: &'s Whole,
    /// Rows that may be left out: so far may the whole change.
    left_out: u64,
}

impl Sitting<'_> {
    /// Which groups the shield's models refuse; the round takes note of the degrees of the others.
    fn refuse<K: Key>(&self, groups: &Groups, snapshot: &Snapshot<K>, round: &mut Round) -> Vec<bool> {
        let absence = self.shield.models.iter().any(|(_, model)| model.refuses_absence());
        let mut degrees = vec![0.0; self.shield.models.len()];
        let mut below = 0;
        let mut is_refused = vec![false; groups.count];
        for (group, is_refused) in is_refused.iter_mut().enumerate() {
            if self.standing.rows[group] == 0 {
                round.mendable &= !(absence && self.standing.population(group) > 0);
                continue;
            }
            let least = self.least_left_out(group, &mut degrees);
            *is_refused = least.is_some();
            below += least.unwrap_or(0);
            if least.is_none() {
                self.note(&degrees, &mut round.degrees);
            }
        }
        for (number, model) in self.shield.models.iter().filter(|(_, model)| model.is_mean()) {
            let dropped = self.refuse_worst(&**model, &mut is_refused, &groups.keys(snapshot));
            round.degrees[*number] = dropped.mean;
            // What another model refuses here in part could be what lowers the mean of a finer grid.
            let monotone =
                |(_, model): &(usize, Arc<dyn PrivacyModel>)| model.monotonicity() == Monotonicity::Monotone;
            let lasts = self.shield.models.iter().all(monotone) && !self.standing.counts_persons();
            below += if lasts { dropped.rows } else { 0 };
        }
        round.below = round.below.max(below);
        is_refused
    }

    /// How many rows of a group must go at least, here and in every finer grid, if a model refuses it; none
    /// if all hold, whose degrees are left behind.
    fn least_left_out(&self, group: usize, degrees: &mut [f64]) -> Option<u64> {
        self.standing.with_class(group, |class| {
            for ((_, model), degree) in self.shield.models.iter().zip(degrees) {
                *degree = model.degree(class, self.whole);
                if !model.is_mean() && !model.holds(*degree) {
                    return Some(match model.monotonicity() {
                        Monotonicity::Monotone => self.standing.rows[group],
                        Monotonicity::SafeUnions if !self.standing.counts_persons() => {
                            model.least_left_out(class, *degree, self.whole, self.left_out)
                        }
                        _ => 0,
                    });
                }
            }
            None
        })
    }

    fn note(&self, degrees: &[f64], worst: &mut [f64]) {
        let models = self.shield.models.iter().zip(degrees).filter(|((_, model), _)| !model.is_mean());
        for ((number, model), &degree) in models {
            worst[*number] = model.direction().worse(worst[*number], degree);
        }
    }

    /// Refuses the groups of the worst degree until the mean of the others holds; equal ones in the order of
    /// their keys, which does not depend on where they were rolled up from.
    fn refuse_worst<K: Ord>(&self, model: &dyn PrivacyModel, is_refused: &mut [bool], keys: &[K]) -> Dropped {
        let look = |group| {
            let of = |class: &Class<'_>| (model.degree(class, self.whole), class.rows, group);
            self.standing.with_class(group, of)
        };
        let stands = |&group: &usize| !is_refused[group] && self.standing.rows[group] > 0;
        let mut groups: Vec<(f64, u64, usize)> = (0..is_refused.len()).filter(stands).map(look).collect();
        let worst_first = |a: &(f64, u64, usize), b: &(f64, u64, usize)| {
            let is_worse = |a: f64, b: f64| model.direction().is_worse(a, b);
            match (is_worse(a.0, b.0), is_worse(b.0, a.0)) {
                (true, _) => Ordering::Less,
                (_, true) => Ordering::Greater,
                _ => keys[a.2].cmp(&keys[b.2]),
            }
        };
        groups.sort_by(worst_first);
        let mean =
            |from: usize| achieved(model, groups[from..].iter().map(|&(degree, rows, _)| (degree, rows)));
        let holds = |from: usize| mean(from).is_none_or(|mean| model.holds(mean));
        // The more of the worst are left out, the better the mean.
        let (mut low, mut high) = (0, groups.len());
        while low < high {
            let middle = (low + high) / 2;
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        groups[..low].iter().for_each(|&(_, _, group)| is_refused[group] = true);
        let rows = groups[..low].iter().map(|&(_, _, group)| self.standing.rows[group]).sum();
        Dropped { rows, mean: mean(low).unwrap_or(model.direction().safest()) }
    }
}

/// What is left out for the sake of a mean.
struct Dropped {
    rows: u64,
    /// Of what is left.
    mean: f64,
}
