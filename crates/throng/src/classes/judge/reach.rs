//! What could be had at a grid: the best degrees within the suppression limit.

use super::Judge;
use super::groups::Groups;
use crate::classes::{Key, Snapshot};
use crate::privacy::{Class, PrivacyModel, achieved};

impl Judge {
    /// For each requirement by itself, the best degree that all classes have but some of at most so
    /// many rows: what could be had at this grid. If all rows may be left out, the best of any class.
    pub(in crate::classes) fn reach<K: Key>(
        &self,
        snapshot: &Snapshot<K>,
        max_suppressed_rows: u64,
    ) -> Vec<f64> {
        if self.least_rows.is_some() {
            let sizes = snapshot.classes.iter().map(|(_, rows)| *rows);
            return vec![reachable_size(sizes, max_suppressed_rows) as f64; self.requirements];
        }
        let mut reach = vec![0.0; self.requirements];
        let none = vec![false; snapshot.classes.len()];
        for shield in &self.shields {
            let groups = Groups::over(shield.attributes.as_deref(), snapshot);
            let standing = groups.standing(&none, snapshot);
            for (number, model) in &shield.models {
                let occurring = (0..groups.count).filter(|&group| standing.rows[group] > 0);
                let look = |group| {
                    let of = |class: &Class<'_>| (model.degree(class, &self.whole), class.rows);
                    let (degree, crowd) = standing.with_class(group, of);
                    ClassReach { degree, crowd, rows: standing.rows[group] }
                };
                reach[*number] = reachable(occurring.map(look).collect(), &**model, max_suppressed_rows);
            }
        }
        reach
    }
}

/// Sizes up to which classes are counted by size: beyond that they are sorted.
const COUNTED_SIZES: u64 = 1 << 12;

/// The same where the degree is the size of a class, whose order is that of whole numbers: of classes of these
/// sizes, that of the smallest that must stay.
pub(crate) fn reachable_size(sizes: impl Iterator<Item = u64>, max_suppressed_rows: u64) -> u64 {
    if max_suppressed_rows > COUNTED_SIZES {
        return reachable_by_sorting(sizes, max_suppressed_rows);
    }
    // A class of more rows than may be left out stays, so only the smallest of these matters.
    let mut classes = vec![0; max_suppressed_rows as usize + 1];
    let (mut least_that_stays, mut largest) = (u64::MAX, 0);
    for rows in sizes {
        match classes.get_mut(rows as usize) {
            Some(of_size) => *of_size += 1,
            None => least_that_stays = least_that_stays.min(rows),
        }
        largest = largest.max(rows);
    }
    let mut suppressed = 0;
    let left = (0..).zip(&classes).find(|&(rows, of_size): &(u64, &u64)| {
        suppressed += rows * of_size;
        suppressed > max_suppressed_rows
    });
    left.map_or(least_that_stays.min(largest), |(rows, _)| rows)
}

fn reachable_by_sorting(sizes: impl Iterator<Item = u64>, max_suppressed_rows: u64) -> u64 {
    let mut sizes: Vec<u64> = sizes.collect();
    sizes.sort_unstable();
    let mut suppressed = 0;
    let left = sizes.iter().find(|&&rows| {
        suppressed += rows;
        suppressed > max_suppressed_rows
    });
    left.or(sizes.last()).copied().unwrap_or(0)
}

/// A class and its degree.
struct ClassReach {
    degree: f64,
    /// Rows, or persons where these count.
    crowd: u64,
    rows: u64,
}

/// What is achieved when classes of at most so many rows are left out, worst first; of equal ones the
/// smallest.
fn reachable(mut classes: Vec<ClassReach>, model: &dyn PrivacyModel, max_suppressed_rows: u64) -> f64 {
    let less_is_safer = model.direction().is_worse(1.0, 0.0);
    classes.sort_unstable_by(|a, b| {
        let by_degree = a.degree.total_cmp(&b.degree);
        let worst_first = if less_is_safer { by_degree.reverse() } else { by_degree };
        worst_first.then(a.rows.cmp(&b.rows)).then(a.crowd.cmp(&b.crowd))
    });
    let mut suppressed = 0;
    let left = classes.iter().position(|class| {
        suppressed += class.rows;
        suppressed > max_suppressed_rows
    });
    let left = left.unwrap_or(classes.len().saturating_sub(1));
    achieved(model, classes[left..].iter().map(|class| (class.degree, class.crowd))).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn counting_sizes_finds_what_sorting_does() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let sizes: Vec<u64> = (0..random.index(12)).map(|_| random.below(20)).collect();
            for limit in 0..40 {
                let all = || sizes.iter().copied();
                assert_eq!(
                    reachable_size(all(), limit),
                    reachable_by_sorting(all(), limit),
                    "{sizes:?} {limit}"
                );
            }
        }
    }
}
