//! Releases in which a class shows something of its own, such as the mean of its numbers.

use super::Release;
use crate::recoding::{Local, Parts, Recoding};
use crate::requirement::Requirement;
use crate::taxonomy::{Leaves, Scheme, Value, ValueId};

/// The original values of a class in one attribute: leaves, ascending, and the rows of each.
pub type ClassLeaves = [(ValueId, u64)];

impl Release {
    /// The same release in which the cells of some attributes that generalise to ranges show what `label` makes
    /// of the original values of their class. Those that are exact or hold a missing value show what they did,
    /// and so do suppressed rows. Values still stand for the range that they took the place of, so losses stay.
    ///
    /// A class is all rows with the same values in every attribute, or in those that [all requirements over
    /// it](Self::seen_together) look at; a reader may see fewer, as labels may be equal.
    ///
    /// # Panics
    /// If an attribute does not generalise to ranges, or tuples of a population have no rows.
    #[must_use]
    pub fn with_class_labels(
        &self,
        attributes: &[usize],
        label: &dyn Fn(usize, &ClassLeaves) -> String,
    ) -> Release {
        let all: Vec<usize> = (0..self.problem.attributes().len()).collect();
        let value = |a: usize| (0..self.parts()).map(move |part| self.value(part, a)).collect();
        let mut columns: Vec<Vec<ValueId>> = all.iter().map(|&a| value(a)).collect();
        let mut made: Vec<Vec<Leaves>> = all.iter().map(|&a| self.made(a).to_vec()).collect();
        let mut described = self.made.clone();
        for &a in attributes {
            let taxonomy = &self.problem.attributes()[a].taxonomy;
            assert_eq!(taxonomy.scheme(), Scheme::Ranges, "only numbers on a line have labels of their own");
            let (class_of, classes) = self.group(&self.seen_together(a));
            let mut ids: Vec<Option<ValueId>> = vec![None; classes];
            for (class, leaves) in self.leaves_of_classes(a, &class_of, classes).iter().enumerate() {
                let Some(range) = self.range_of(a, leaves) else { continue };
                ids[class] = Some((taxonomy.values().len() + made[a].len()) as ValueId);
                described[a].push(Value { label: label(a, leaves), ..taxonomy.describe(&range) });
                made[a].push(range);
            }
            let released = columns[a].iter_mut().enumerate().filter(|(part, _)| !self.suppressed[*part]);
            released.for_each(|(part, value)| *value = ids[class_of[part] as usize].unwrap_or(*value));
        }
        let local = self.in_same_parts(Local::with_made(columns, made));
        let release = Release::new(&self.problem, Recoding::Local(local), self.suppressed.clone());
        Release { made: described, ..release }
    }

    /// The attributes that every requirement which looks at one looks at, too. Rows that have the same values there get
    /// the same label, so that no class of any requirement is divided by labels.
    fn seen_together(&self, a: usize) -> Vec<usize> {
        let shields = self.problem.requirements.iter().filter_map(Requirement::shield);
        let shields: Vec<&[usize]> = shields.filter(|shield| shield.contains(&a)).collect();
        let is_seen = |other: &usize| shields.iter().all(|shield| shield.contains(other));
        (0..self.problem.attributes().len()).filter(is_seen).collect()
    }

    /// For each class the leaves of an attribute that its released rows have.
    fn leaves_of_classes(&self, a: usize, class_of: &[u32], classes: usize) -> Vec<Vec<(ValueId, u64)>> {
        let mut leaves: Vec<Vec<(ValueId, u64)>> = vec![Vec::new(); classes];
        for part in (0..self.parts()).filter(|&part| !self.suppressed[part]) {
            leaves[class_of[part] as usize].push((self.leaf(part, a), u64::from(self.rows(part))));
        }
        for of_class in &mut leaves {
            of_class.sort_unstable();
            of_class.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0 };
                same
            });
        }
        leaves
    }

    /// The range of the leaves of a class; none if they are one value or one is missing.
    fn range_of(&self, a: usize, leaves: &[(ValueId, u64)]) -> Option<Leaves> {
        let (&(first, _), &(last, _)) = leaves.first().zip(leaves.last())?;
        let missing = self.problem.attributes()[a].taxonomy.missing();
        (first < last && missing != Some(last)).then_some(Leaves::Range { first, last })
    }

    /// A recoding with the parts of this release.
    fn in_same_parts(&self, local: Local) -> Local {
        if self.divided().is_none() && !self.suppressed.contains(&true) {
            return local;
        }
        let mut parts = Parts::default();
        for part in 0..self.parts() {
            parts.push(self.tuple(part) as u32, self.rows(part), self.suppressed[part]);
        }
        local.in_parts(parts)
    }

    /// The same values with the labels that another release has for those that were made; what was made beside them is
    /// called `masked`.
    pub(crate) fn labelled_as(mut self, other: &Release, masked: &str) -> Release {
        for (made, others) in self.made.iter_mut().zip(&other.made) {
            made[..others.len()].clone_from_slice(others);
            made[others.len()..].iter_mut().for_each(|value| masked.clone_into(&mut value.label));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::algorithm;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::problem::Problem;
    use crate::requirement::Requirement;
    use crate::run::Unobserved;
    use crate::solve::solve;
    use crate::table::Table;
    use crate::taxonomy::{ValueId, ranges};
    use crate::verify::{Verdict, verify};

    /// Ages 1, 2, 9, 10 and a missing one, two rows of the last; k = 2.
    fn problem() -> Problem {
        let ages = ranges(&["1", "2", "9", "10", ""], None).unwrap();
        let table = Table::new(vec![vec![0, 1, 2, 3, 4]], vec![1, 1, 1, 1, 2]);
        let k = Requirement::new(KAnonymity { k: 2 });
        Problem::new(table, vec![("age".into(), ages, 1.0)], k, 0, loss::find("lm").unwrap()).unwrap()
    }

    fn mean(leaves: &[(ValueId, u64)]) -> String {
        let number = |leaf: ValueId| [1.0, 2.0, 9.0, 10.0][leaf as usize];
        let sum: f64 = leaves.iter().map(|&(leaf, rows)| number(leaf) * rows as f64).sum();
        (sum / leaves.iter().map(|&(_, rows)| rows as f64).sum::<f64>()).to_string()
    }

    #[test]
    fn classes_show_what_is_made_of_their_values() {
        let problem = problem();
        let found = solve(&problem, algorithm::find("agglomerative").unwrap(), None, &Unobserved).outcome;
        let release = found.recoding().unwrap().apply(&problem);
        let shown = release.with_class_labels(&[0], &|_, leaves| mean(leaves));
        let labels = |release: &crate::release::Release| -> Vec<String> {
            (0..release.parts()).map(|part| release.label(0, release.value(part, 0)).to_owned()).collect()
        };
        assert_eq!(labels(&release), ["1~2", "1~2", "9~10", "9~10", ""]);
        assert_eq!(labels(&shown), ["1.5", "1.5", "9.5", "9.5", ""]);
        assert!(matches!(verify(&shown), Verdict::Safe(achieved) if achieved.k == 2));
        let lm = loss::find("lm").unwrap();
        assert_eq!(lm.measure(&problem, &shown.tally()), lm.measure(&problem, &release.tally()));
    }
}
