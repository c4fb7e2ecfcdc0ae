//! Suppressed rows that are shown all the same, as `*` in every quasi-identifier.
//!
//! Who looks at such a release sees one more class: the suppressed rows, and all others that are generalised
//! as far. It must satisfy what is required like any other, or the rows must not be shown. Which rows are
//! suppressed, and so what the release loses, is the same either way: what a search found optimal stays so.

use crate::recoding::{Local, Parts, Recoding};
use crate::release::Release;
use crate::taxonomy::{ANY, Leaves, ValueId};
use crate::verify::{Achieved, Verdict, verify};

/// A release whose suppressed rows are shown.
#[derive(Clone, Debug)]
pub struct Masked {
    /// The release as a reader sees it: nothing is suppressed, but some rows are `*` in every column.
    pub shown: Release,
    /// What it achieves, as a reader sees it.
    pub achieved: Achieved,
}

/// Shows the suppressed rows of a release; nothing if it would not satisfy what is required then.
pub fn mask(release: &Release) -> Option<Masked> {
    let shown = show(release);
    match verify(&shown) {
        Verdict::Unsafe(_) => None,
        Verdict::Safe(achieved) => {
            let achieved = Achieved { suppressed_rows: release.suppressed_rows(), ..achieved };
            Some(Masked { shown, achieved })
        }
    }
}

/// The release as a reader sees it: its suppressed rows are `*` in every quasi-identifier.
///
/// Where a hierarchy calls its top something else, such as `*****`, a reader tells rows at the top from masked ones.
pub fn show(release: &Release) -> Release {
    let problem = release.problem();
    let mut made: Vec<Vec<Leaves>> =
        (0..problem.attributes().len()).map(|a| release.made(a).to_vec()).collect();
    let masked: Vec<ValueId> = (0..made.len()).map(|a| masked_value(release, a, &mut made[a])).collect();
    let value = |part: usize, a: usize| match release.is_suppressed(part) {
        true => masked[a],
        false => release.value(part, a),
    };
    let column = |a: usize| (0..release.parts()).map(|part| value(part, a)).collect();
    let columns = (0..made.len()).map(column).collect();
    let mut local = Local::with_made(columns, made);
    if matches!(release.recoding(), Recoding::Local(local) if local.parts().is_some()) {
        let mut parts = Parts::default();
        (0..release.parts())
            .for_each(|part| parts.push(release.tuple(part) as u32, release.rows(part), false));
        local = local.in_parts(parts);
    }
    Recoding::Local(local).apply(problem).labelled_as(release, ANY)
}

/// The value of masked cells of an attribute: its top, or one that is made for them.
fn masked_value(release: &Release, a: usize, made: &mut Vec<Leaves>) -> ValueId {
    let taxonomy = &release.problem().attributes()[a].taxonomy;
    if taxonomy.label(taxonomy.root()) == ANY || release.suppressed_rows() == 0 {
        return taxonomy.root();
    }
    made.push(Leaves::Set((0..taxonomy.leaf_total() as ValueId).collect()));
    (taxonomy.values().len() + made.len() - 1) as ValueId
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::Cut;
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
        assert_eq!(masked.shown.suppressed_rows(), 0);
    }

    /// No class is given up for them, however many rows may be suppressed.
    #[test]
    fn too_few_suppressed_rows_are_not_shown() {
        assert!(mask(&released([2, 6, 5, 4], 2)).is_none());
        assert!(mask(&released([2, 6, 5, 4], 17)).is_none());
    }

    /// Rows at the top of a hierarchy that does not call it `*` are no crowd for masked ones.
    #[test]
    fn a_top_of_another_name_is_another_value() {
        let zip = Taxonomy::from_rows(&[["1", "x", "***"], ["2", "x", "***"], ["3", "y", "***"]]).unwrap();
        let sex = Taxonomy::from_rows(&[["f", "*"], ["m", "*"]]).unwrap();
        let table = Table::new(vec![vec![0, 1, 2], vec![0, 0, 1]], vec![3, 3, 1]);
        let k = Requirement::new(KAnonymity { k: 3 });
        let lm = loss::find("lm").unwrap();
        let attributes = vec![("zip".to_owned(), zip, 1.0), ("sex".to_owned(), sex, 1.0)];
        let problem = Problem::new(table, attributes, k, 1, lm).unwrap();
        let cuts = vec![
            Cut::at_level(&problem.attributes()[0].taxonomy, 2),
            Cut::at_level(&problem.attributes()[1].taxonomy, 0),
        ];
        let release = Recoding::Cut(cuts).apply(&problem);
        assert_eq!(release.suppressed_rows(), 1);
        let shown = show(&release);
        let labels = |part: usize| [0, 1].map(|a| shown.label(a, shown.value(part, a)).to_owned());
        assert_eq!([labels(0), labels(2)], [["***", "f"], ["*", "*"]].map(|row| row.map(str::to_owned)));
        assert!(mask(&release).is_none());
    }
}
