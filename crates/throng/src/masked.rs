//! Suppressed rows that are shown all the same, as `*` in every quasi-identifier.
//!
//! Who looks at such a release sees one more class: the suppressed rows, and all others that are generalised
//! as far. It must satisfy what is required like any other, or the rows must not be shown.

use crate::recoding::{Local, Parts, Recoding};
use crate::release::Release;
use crate::verify::{Achieved, Verdict, verify};

/// Classes that may join the suppressed rows, one after the other, before these are given up.
const MOST_JOINING: usize = 16;

/// A release whose suppressed rows are shown.
#[derive(Clone, Debug)]
pub struct Masked {
    /// The release; perhaps with more rows suppressed than before.
    pub release: Release,
    /// The same as a reader sees it: nothing is suppressed, but some rows are `*` in every column.
    pub shown: Release,
    /// What it achieves, as a reader sees it.
    pub achieved: Achieved,
}

/// Shows the suppressed rows of a release. If they are no class that may be released, the smallest classes are
/// suppressed with them, as far as the limit allows; nothing if that does not help.
///
/// In a local recoding rows of several classes are one part of the search's bargain, so no class joins.
pub fn mask(release: &Release) -> Option<Masked> {
    let mut release = release.clone();
    let mut joining = if release.is_local() { Vec::new() } else { smallest_first(&release) }.into_iter();
    let limit = release.problem().max_suppressed_rows;
    for _ in 0..=MOST_JOINING {
        let shown = show(&release);
        if let Verdict::Safe(achieved) = verify(&shown) {
            let achieved = Achieved { suppressed_rows: release.suppressed_rows(), ..achieved };
            return Some(Masked { release, shown, achieved });
        }
        let (rows, parts) = joining.next()?;
        if release.suppressed_rows() + rows > limit {
            return None;
        }
        release = release.with_suppressed(&parts);
    }
    None
}

/// The released classes with their rows and parts, the smallest first; of equal ones the first.
fn smallest_first(release: &Release) -> Vec<(u64, Vec<usize>)> {
    let all: Vec<usize> = (0..release.problem().attributes().len()).collect();
    let (class_of, classes) = release.group(&all);
    let mut found: Vec<(u64, Vec<usize>)> = vec![(0, Vec::new()); classes];
    for part in (0..release.parts()).filter(|&part| !release.is_suppressed(part)) {
        let (rows, parts) = &mut found[class_of[part] as usize];
        *rows += u64::from(release.rows(part));
        parts.push(part);
    }
    found.retain(|(rows, _)| *rows > 0);
    found.sort_by_key(|(rows, parts)| (*rows, parts[0]));
    found.truncate(MOST_JOINING);
    found
}

/// The release as a reader sees it: its suppressed rows are `*` in every quasi-identifier.
pub fn show(release: &Release) -> Release {
    let problem = release.problem();
    let value = |part: usize, a: usize| match release.is_suppressed(part) {
        true => problem.attributes()[a].taxonomy.root(),
        false => release.value(part, a),
    };
    let column = |a: usize| (0..release.parts()).map(|part| value(part, a)).collect();
    let columns = (0..problem.attributes().len()).map(column).collect();
    let made = (0..problem.attributes().len()).map(|a| release.made(a).to_vec()).collect();
    let mut local = Local::with_made(columns, made);
    if matches!(release.recoding(), Recoding::Local(local) if local.parts().is_some()) {
        let mut parts = Parts::default();
        (0..release.parts())
            .for_each(|part| parts.push(release.tuple(part) as u32, release.rows(part), false));
        local = local.in_parts(parts);
    }
    Recoding::Local(local).apply(problem).labelled_as(release)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Node;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::problem::Problem;
    use crate::requirement::Requirement;
    use crate::table::Table;
    use crate::taxonomy::Taxonomy;

    /// Ages 1, 2, 3 and 4, so many rows of each, at the level of leaves with k = 3.
    fn released(rows: [u32; 4], max_suppressed_rows: u64) -> Release {
        let age = Taxonomy::from_rows(&[["1", "*"], ["2", "*"], ["3", "*"], ["4", "*"]]).unwrap();
        let table = Table::new(vec![vec![0, 1, 2, 3]], rows.to_vec());
        let k = Requirement::new(KAnonymity { k: 3 });
        let lm = loss::find("lm").unwrap();
        let problem =
            Problem::new(table, vec![("age".to_owned(), age, 1.0)], k, max_suppressed_rows, lm).unwrap();
        Recoding::FullDomain(Node::new(vec![0])).apply(&problem)
    }

    #[test]
    fn enough_suppressed_rows_are_a_class() {
        let masked = mask(&released([2, 1, 5, 4], 3)).unwrap();
        assert_eq!((masked.achieved.k, masked.achieved.suppressed_rows), (3, 3));
        assert_eq!((masked.shown.suppressed_rows(), masked.release.suppressed_rows()), (0, 3));
    }

    #[test]
    fn the_smallest_class_joins_too_few_where_the_limit_allows() {
        let masked = mask(&released([2, 6, 5, 4], 6)).unwrap();
        assert_eq!((masked.achieved.k, masked.release.suppressed_rows()), (5, 6));
        assert!(masked.release.is_suppressed(0) && masked.release.is_suppressed(3));
        assert!(mask(&released([2, 6, 5, 4], 5)).is_none());
    }
}
