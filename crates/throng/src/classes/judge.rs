//! Which classes may be released, by all requirements together.
//!
//! The rows of a class that a requirement refuses are suppressed. Where requirements have different
//! shields, that can shrink the classes of another, so it is repeated until none is refused. For
//! monotone models the result is the largest set of rows that satisfies all requirements: adding rows
//! never makes a class unsafe, so the union of two such sets is one, and no round suppresses a row of
//! any. Such a set is one at every coarser grid, too, whose classes are unions of its classes: what a
//! node suppresses, all below it do.

use std::sync::Arc;

use super::grouping::Grouping;
use super::values::ClassValues;
use super::{Key, Snapshot};
use crate::privacy::{Class, PrivacyModel, Whole};
use crate::problem::Problem;
use crate::tally::ClassSizes;

/// Judges sets of classes by the requirements of a problem.
pub(super) struct Judge {
    whole: Whole,
    /// The different shields.
    shields: Vec<Shield>,
    /// Number of requirements.
    requirements: usize,
    /// The least rows of a class, if nothing but the size of classes over all attributes decides.
    least_rows: Option<u64>,
}

/// Attributes over which classes are formed, and what these must satisfy.
struct Shield {
    /// None for all.
    attributes: Option<Vec<usize>>,
    /// With the number of the requirement.
    models: Vec<(usize, Arc<dyn PrivacyModel>)>,
}

/// A judgement of classes over all attributes.
pub(super) struct Judged {
    /// Sizes of the classes that may be released.
    pub(super) kept: ClassSizes,
    /// Sizes of all classes.
    pub(super) all: ClassSizes,
    /// What is achieved, by requirement.
    pub(super) degrees: Vec<f64>,
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
    pub(super) fn is(&self, class: usize, rows: u32) -> bool {
        match self {
            Refused::Smaller(least) => u64::from(rows) < *least,
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
        let by_size = requirements.is_one_crowd() && problem.table().population().is_none();
        Judge {
            whole: Whole::of(problem.table()),
            shields,
            requirements: requirements.iter().len(),
            least_rows: by_size.then(|| requirements.k()),
        }
    }

    /// Whether classes must carry more than their rows.
    pub(super) fn looks_at_values(&self) -> bool {
        let mut models = self.shields.iter().flat_map(|shield| &shield.models);
        self.whole.population.is_some() || models.any(|(_, model)| model.column().is_some())
    }

    pub(super) fn judge<const W: usize>(&self, snapshot: &Snapshot<W>) -> Judged {
        match self.least_rows {
            Some(least) => self.judge_sizes(&snapshot.classes, least),
            None => self.judge_classes(snapshot),
        }
    }

    fn judge_sizes<const W: usize>(&self, classes: &[(Key<W>, u32)], least: u64) -> Judged {
        let mut kept = ClassSizes::default();
        let mut all = ClassSizes::default();
        for &(_, rows) in classes {
            all.add(u64::from(rows));
            if u64::from(rows) >= least {
                kept.add(u64::from(rows));
            }
        }
        let degree = if kept.classes == 0 { f64::INFINITY } else { kept.smallest as f64 };
        Judged { kept, all, degrees: vec![degree; self.requirements], refused: Refused::Smaller(least) }
    }

    fn judge_classes<const W: usize>(&self, snapshot: &Snapshot<W>) -> Judged {
        // Tuples of the population alone are in no class that is released.
        let mut refused: Vec<bool> = snapshot.classes.iter().map(|&(_, rows)| rows == 0).collect();
        let groups: Vec<Groups> = self.shields.iter().map(|shield| shield.group(snapshot)).collect();
        let degrees = loop {
            let mut degrees = self.safest();
            let mut refusals = Refusals { after: refused.clone(), before: refused };
            for (shield, groups) in self.shields.iter().zip(&groups) {
                self.refuse(shield, groups, snapshot, &mut refusals, &mut degrees);
            }
            // The classes of a single shield do not shrink each other.
            let settled = refusals.before == refusals.after || self.shields.len() == 1;
            refused = refusals.after;
            if settled {
                break degrees;
            }
        };
        let (mut kept, mut all) = (ClassSizes::default(), ClassSizes::default());
        let occurring = snapshot.classes.iter().zip(&refused).filter(|((_, rows), _)| *rows > 0);
        for (&(_, rows), &refused) in occurring {
            all.add(u64::from(rows));
            if !refused {
                kept.add(u64::from(rows));
            }
        }
        Judged { kept, all, degrees, refused: Refused::Listed(refused) }
    }

    /// Marks the classes of groups that a shield's models refuse, and notes the degrees of the others.
    fn refuse<const W: usize>(
        &self,
        shield: &Shield,
        groups: &Groups,
        snapshot: &Snapshot<W>,
        refused: &mut Refusals,
        degrees: &mut [f64],
    ) {
        let standing = groups.standing(&refused.before, snapshot);
        let is_refused: Vec<bool> =
            (0..groups.count).map(|group| self.refuses(shield, &standing, group, degrees)).collect();
        for (class, refused) in refused.after.iter_mut().enumerate() {
            *refused |= is_refused[groups.of(class)];
        }
    }

    /// Whether a model of the shield refuses a group; if none does, the degrees take note of it.
    fn refuses(&self, shield: &Shield, standing: &Standing<'_>, group: usize, degrees: &mut [f64]) -> bool {
        if standing.rows[group] == 0 {
            return false;
        }
        let degree = |model: &dyn PrivacyModel| standing.degree(group, model, &self.whole);
        // Nearly always one model or two: asking one twice is cheaper than a list.
        if shield.models.iter().any(|(_, model)| !model.holds(degree(&**model))) {
            return true;
        }
        for (number, model) in &shield.models {
            degrees[*number] = model.direction().worse(degrees[*number], degree(&**model));
        }
        false
    }

    /// The degrees of a release without classes.
    fn safest(&self) -> Vec<f64> {
        let mut degrees = vec![0.0; self.requirements];
        for (number, model) in self.shields.iter().flat_map(|shield| &shield.models) {
            degrees[*number] = model.direction().safest();
        }
        degrees
    }

    /// For each requirement by itself, the best degree that all classes have but some of at most so
    /// many rows: what could be had at this grid. If all rows may be left out, the best of any class.
    pub(super) fn reach<const W: usize>(&self, snapshot: &Snapshot<W>, max_suppressed_rows: u64) -> Vec<f64> {
        if self.least_rows.is_some() {
            return vec![reachable_size(&snapshot.classes, max_suppressed_rows); self.requirements];
        }
        let mut reach = vec![0.0; self.requirements];
        let none = vec![false; snapshot.classes.len()];
        for shield in &self.shields {
            let groups = shield.group(snapshot);
            let standing = groups.standing(&none, snapshot);
            for (number, model) in &shield.models {
                let occurring = (0..groups.count).filter(|&group| standing.rows[group] > 0);
                let degree = |group| (standing.degree(group, &**model, &self.whole), standing.rows[group]);
                reach[*number] = reachable(occurring.map(degree).collect(), &**model, max_suppressed_rows);
            }
        }
        reach
    }
}

/// The same where the degree is the size of a class, whose order is that of whole numbers.
fn reachable_size<const W: usize>(classes: &[(Key<W>, u32)], max_suppressed_rows: u64) -> f64 {
    let mut sizes: Vec<u32> = classes.iter().map(|&(_, rows)| rows).collect();
    sizes.sort_unstable();
    let mut suppressed = 0;
    let left = sizes.iter().find(|&&rows| {
        suppressed += u64::from(rows);
        suppressed > max_suppressed_rows
    });
    left.or(sizes.last()).map_or(0.0, |&rows| f64::from(rows))
}

/// The worst degree that is left when classes of at most so many rows are left out, worst first.
fn reachable(mut degrees: Vec<(f64, u64)>, model: &dyn PrivacyModel, max_suppressed_rows: u64) -> f64 {
    degrees.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    if model.direction().is_worse(1.0, 0.0) {
        degrees.reverse();
    }
    let mut suppressed = 0;
    let left = degrees.iter().find(|(_, rows)| {
        suppressed += rows;
        suppressed > max_suppressed_rows
    });
    left.or(degrees.last()).map_or(0.0, |&(degree, _)| degree)
}

impl Shield {
    fn group<const W: usize>(&self, snapshot: &Snapshot<W>) -> Groups {
        let Some(attributes) = &self.attributes else {
            return Groups { of_class: None, count: snapshot.classes.len() };
        };
        let mask: Key<W> = snapshot.fields.mask_of(attributes);
        let mut grouping = Grouping::new(snapshot.classes.len());
        let project = |(key, rows): &(Key<W>, u32)| {
            let mut projected = *key;
            projected.iter_mut().zip(&mask).for_each(|(word, mask)| *word &= mask);
            grouping.add(projected, *rows)
        };
        let of_class = snapshot.classes.iter().map(project).collect();
        Groups { of_class: Some(of_class), count: grouping.finish().len() }
    }
}

/// The classes that are refused before and after a round.
struct Refusals {
    before: Vec<bool>,
    after: Vec<bool>,
}

/// The classes of a shield, as groups of the classes over all attributes.
struct Groups {
    /// None if each is its own.
    of_class: Option<Vec<u32>>,
    count: usize,
}

/// What is left of each group when some classes are refused.
struct Standing<'s> {
    rows: Vec<u64>,
    values: Option<Held<'s>>,
}

/// Values of the classes themselves, or of groups of them.
enum Held<'s> {
    OfClasses(&'s ClassValues),
    OfGroups(ClassValues),
}

impl Groups {
    fn of(&self, class: usize) -> usize {
        self.of_class.as_ref().map_or(class, |of| of[class] as usize)
    }

    fn standing<'s, const W: usize>(&self, refused: &[bool], snapshot: &'s Snapshot<W>) -> Standing<'s> {
        let mut rows = vec![0; self.count];
        let classes = snapshot.classes.iter().zip(refused).enumerate();
        for (class, (&(_, of_class), _)) in classes.filter(|(_, (_, refused))| !**refused) {
            rows[self.of(class)] += u64::from(of_class);
        }
        let values = snapshot.values.as_ref().map(|values| match &self.of_class {
            None => Held::OfClasses(values),
            Some(of) => Held::OfGroups(values.roll_up_without(refused, of, self.count)),
        });
        Standing { rows, values }
    }
}

impl Standing<'_> {
    fn degree(&self, group: usize, model: &dyn PrivacyModel, whole: &Whole) -> f64 {
        let rows = self.rows[group];
        match &self.values {
            None => model.degree(&Class::of_rows(rows), whole),
            Some(Held::OfClasses(values)) => {
                values.with_class(group, rows, |class| model.degree(class, whole))
            }
            Some(Held::OfGroups(values)) => {
                values.with_class(group, rows, |class| model.degree(class, whole))
            }
        }
    }
}
