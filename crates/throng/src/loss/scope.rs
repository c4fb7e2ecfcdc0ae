//! What a generalised value stands for, as far as costs go.

use crate::problem::Attribute;
use crate::taxonomy::{Extent, Leaves, ValueId};

/// What is the same for all values of an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// Number of leaves.
    pub leaves: u32,
    /// Length of the range of all leaves, when they are numbers.
    pub range: Option<f64>,
    /// Levels above the leaves, without those that repeat the root; at least 1.
    pub height: usize,
    /// Rows of the table.
    pub rows: u64,
    /// Penalty weight of the attribute.
    pub weight: f64,
}

impl Domain {
    /// The domain of an attribute.
    pub fn from_attribute(attribute: &Attribute) -> Domain {
        let taxonomy = &attribute.taxonomy;
        // A root above the file's levels is only reached by suppression.
        let root = taxonomy.values()[taxonomy.root() as usize].level;
        Domain {
            leaves: taxonomy.leaf_total() as u32,
            range: taxonomy.extent().map(Extent::span),
            height: root.clamp(1, taxonomy.height().max(1)),
            rows: attribute.leaf_rows().iter().sum(),
            weight: attribute.weight,
        }
    }
}

/// What one value stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scope {
    /// Number of leaves.
    pub leaf_count: u32,
    /// Lowest level at which it stands; 1 for leaves that a local recoding put together.
    pub level: usize,
    /// Range of the leaves, when they are numbers.
    pub extent: Option<Extent>,
    /// Whether a missing cell is among the leaves.
    pub has_missing: bool,
    /// Rows of the leaves.
    pub rows: f64,
    /// Sum over the leaves of n·log2 n for n rows; for measures that need no [rows](super::Basis),
    /// this and the rows may be 0.
    pub logs: f64,
}

/// The scopes of an attribute's leaves, and of any that are put together.
#[derive(Clone, Debug)]
pub(crate) struct Scopes {
    /// By leaf.
    leaves: Vec<Scope>,
    /// Rows of all leaves before each, and of all; and their logs, in units of which differences
    /// are exact.
    before: Vec<(u64, u64)>,
    /// These units for each bit: as many as 64 bits can hold for all rows.
    units: f64,
}

impl Scopes {
    pub(crate) fn new(attribute: &Attribute) -> Scopes {
        let values = &attribute.taxonomy.values()[..attribute.taxonomy.leaf_total()];
        let missing = attribute.taxonomy.missing();
        let leaf = |(id, (value, &rows)): (ValueId, (&crate::taxonomy::Value, &u64))| Scope {
            leaf_count: 1,
            level: 0,
            extent: value.extent,
            has_missing: missing == Some(id),
            rows: rows as f64,
            logs: n_log_n(rows),
        };
        let leaves: Vec<Scope> = (0..).zip(values.iter().zip(attribute.leaf_rows())).map(leaf).collect();
        let mut before = Vec::with_capacity(leaves.len() + 1);
        let total = n_log_n(attribute.leaf_rows().iter().sum());
        let units = f64::from(62 - (total + 1.0).log2().ceil() as i32).min(50.0).exp2();
        let mut sums = (0, 0);
        for (leaf, &rows) in leaves.iter().zip(attribute.leaf_rows()) {
            before.push(sums);
            sums = (sums.0 + rows, sums.1 + (leaf.logs * units).round() as u64);
        }
        before.push(sums);
        Scopes { leaves, before, units }
    }

    /// The scope of the leaves from one to another.
    #[inline]
    pub(crate) fn of_range(&self, first: ValueId, last: ValueId) -> Scope {
        let (first, last) = (first as usize, last as usize);
        let ends = self.leaves[first].extent.zip(self.leaves[last].extent);
        Scope {
            leaf_count: (last - first + 1) as u32,
            level: usize::from(last > first),
            extent: ends.map(|(a, b)| Extent { min: a.min, max: b.max }),
            // One that is missing is in no range.
            has_missing: self.leaves[first].has_missing,
            rows: (self.before[last + 1].0 - self.before[first].0) as f64,
            logs: (self.before[last + 1].1 - self.before[first].1) as f64 / self.units,
        }
    }

    /// The scope of some leaves, in ascending order.
    #[inline]
    pub(crate) fn of_set(&self, members: impl Iterator<Item = ValueId>) -> Scope {
        let mut scope =
            Scope { leaf_count: 0, level: 0, extent: None, has_missing: false, rows: 0.0, logs: 0.0 };
        for member in members {
            let leaf = &self.leaves[member as usize];
            scope.leaf_count += 1;
            scope.has_missing |= leaf.has_missing;
            scope.rows += leaf.rows;
            scope.logs += leaf.logs;
        }
        scope.level = usize::from(scope.leaf_count > 1);
        scope
    }

    pub(crate) fn scope(&self, leaves: &Leaves) -> Scope {
        match leaves {
            Leaves::Range { first, last } => self.of_range(*first, *last),
            Leaves::Set(members) => self.of_set(members.iter().copied()),
        }
    }
}

/// The scope of each value of an attribute's tree; with rows and logs only if they are asked for.
pub(crate) fn tree_scopes(attribute: &Attribute, with_rows: bool) -> Vec<Scope> {
    let values = attribute.taxonomy.values();
    let scope = |value: &crate::taxonomy::Value| Scope {
        leaf_count: value.leaf_count,
        level: value.level,
        extent: value.extent,
        has_missing: false,
        rows: 0.0,
        logs: 0.0,
    };
    let mut scopes: Vec<Scope> = values.iter().map(scope).collect();
    if let Some(missing) = attribute.taxonomy.missing() {
        attribute.taxonomy.ancestors(missing).for_each(|value| scopes[value as usize].has_missing = true);
    }
    let occurring = attribute.leaf_rows().iter().enumerate().filter(|&(_, &rows)| with_rows && rows > 0);
    for (leaf, &rows) in occurring {
        let (rows, logs) = (rows as f64, n_log_n(rows));
        let mut at = leaf;
        loop {
            scopes[at].rows += rows;
            scopes[at].logs += logs;
            let parent = values[at].parent as usize;
            if parent == at {
                break;
            }
            at = parent;
        }
    }
    scopes
}

fn n_log_n(rows: u64) -> f64 {
    let n = rows as f64;
    if rows > 0 { n * n.log2() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use crate::loss::{self, Kind};
    use crate::privacy::KAnonymity;
    use crate::problem::Problem;
    use crate::recoding::{Local, Recoding};
    use crate::requirement::Requirement;
    use crate::table::Table;
    use crate::taxonomy::{Leaves, ranges, sets};

    /// Ages 20, 30, 34 and 40, of 1, 3, 2 and 2 rows; one row misses it. Pets cat, dog and eel.
    fn problem() -> Problem {
        let ages = ranges(&["20", "30", "34", "40", ""], None).unwrap();
        let pets = sets(&["cat", "dog", "eel"], 2).unwrap();
        let table = Table::new(vec![vec![0, 1, 2, 3, 4], vec![0, 0, 1, 2, 2]], vec![1, 3, 2, 2, 1]);
        let attributes = vec![("age".into(), ages, 2.0), ("pet".into(), pets, 1.0)];
        let k = Requirement::new(KAnonymity { k: 2 });
        Problem::new(table, attributes, k, 0, loss::find("lm").unwrap()).unwrap()
    }

    /// `20~30` for the first two ages, `34~40` for the next two, a missing one for the last; pets
    /// `{cat, dog}` but for the last two, of which one is `*`.
    fn recoding() -> Recoding {
        let range = |first, last| Leaves::Range { first, last };
        let made = vec![vec![range(0, 1), range(2, 3)], vec![Leaves::Set([0, 1].into())]];
        Recoding::Local(Local::with_made(vec![vec![6, 6, 7, 7, 4], vec![4, 4, 4, 2, 3]], made))
    }

    #[test]
    fn every_measure_costs_ranges_and_sets_by_its_definition() {
        let problem = problem();
        let release = recoding().apply(&problem);
        assert_eq!(release.label(0, 6), "20~30");
        assert_eq!(release.label(1, 4), "{cat, dog}");
        let tally = release.tally();
        let of = |name: &str| loss::find(name).unwrap().measure(&problem, &tally);
        let close = |name: &str, expected: f64| {
            assert!((of(name) - expected).abs() < 1e-12, "{name}: {} instead of {expected}", of(name));
        };
        // Of 9 rows, 8 have a range of two of five leaves, 6 a set of two of three, 1 has `*`; ages count twice.
        let cells = 9.0 * (2.0 + 1.0);
        let lm = 2.0 * 8.0 * 0.25 + 6.0 * 0.5 + 1.0;
        close("lm", lm / cells);
        close("glm", lm);
        close("iloss", 2.0 * 8.0 / 5.0 + 6.0 / 3.0 + 2.0 / 3.0);
        close("md", 2.0 * 8.0 + 6.0 + 1.0);
        close("prec", 1.0 - (2.0 * 8.0 + 6.0 + 1.0) / cells);
        close("ncp", (2.0 * (4.0 * 10.0 / 20.0 + 4.0 * 6.0 / 20.0) + 6.0 * 2.0 / 3.0 + 1.0) / cells);
        let bits = |counts: &[f64]| {
            let n: f64 = counts.iter().sum();
            counts.iter().map(|c| -c / n * (c / n).log2()).sum::<f64>()
        };
        let entropy = 2.0 * 4.0 * bits(&[1.0, 3.0])
            + 2.0 * 4.0 * bits(&[2.0, 2.0])
            + 6.0 * bits(&[4.0, 2.0])
            + bits(&[4.0, 2.0, 3.0]);
        close("entropy", entropy / cells);
        assert_eq!((tally.sizes.classes, tally.sizes.smallest), (4, 1));
    }

    #[test]
    fn no_covering_value_costs_less_than_the_bound() {
        let problem = problem();
        for measure in loss::measures() {
            let Kind::Cells(loss) = measure.kind() else { continue };
            for attribute in problem.attributes() {
                let (scopes, domain) =
                    (super::Scopes::new(attribute), super::Domain::from_attribute(attribute));
                let leaves = attribute.taxonomy.leaf_total() as u32;
                let sets = |mask: u32| (0..leaves).filter(move |leaf| mask >> leaf & 1 == 1);
                for inner in 1..1u32 << leaves {
                    let least = loss.least_above(&domain, &scopes.of_set(sets(inner)));
                    for outer in (1..1u32 << leaves).filter(|outer| outer & inner == inner) {
                        let cost = loss.cost(&domain, &scopes.of_set(sets(outer)));
                        assert!(least <= cost, "{}: {inner:b} in {outer:b}", measure.name());
                    }
                }
            }
        }
    }
}
