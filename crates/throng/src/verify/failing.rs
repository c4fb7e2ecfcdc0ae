//! What of a release fails, where that is no fault of who made it: a recoding that was made for other rows.

use super::{SeenRelease, VerifyFault, judge_crowds};
use crate::consistency::Consistency;
use crate::release::Release;
use crate::requirement::Rule;

/// What fails one requirement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failing {
    /// Classes over the requirement's shield that do not hold; none where crowds are no classes.
    pub classes: u64,
    /// Their rows.
    pub rows: u64,
    /// The degree of the worst class, or the largest k of the notion; 0 if nothing is released.
    pub degree: f64,
}

/// For each requirement what of a release fails it.
///
/// # Panics
/// If a released value does not cover the original one: that is no recoding of the table.
pub fn failing(release: &Release) -> Vec<Failing> {
    let seen = SeenRelease::new(release, &|| Ok(()));
    let seen = seen.unwrap_or_else(|fault| match fault {
        VerifyFault::Unsafe(reason) => panic!("{reason}"),
        VerifyFault::Stopped(_) => unreachable!("nothing stops this"),
    });
    let all: Vec<usize> = (0..release.problem().attributes().len()).collect();
    let of = |rule: &Rule, shield: &[usize]| match rule {
        Rule::Classes(model) => {
            let judged = seen.judge_over(&**model, shield).expect("nothing stops this");
            let fails = |degree: f64| !model.holds(degree);
            let failing = judged.each.iter().filter(|(degree, _)| fails(*degree));
            let (classes, rows) = failing.fold((0, 0), |(classes, sum), (_, rows)| (classes + 1, sum + rows));
            Failing { classes, rows, degree: judged.achieved }
        }
        Rule::Crowd(notion, k) => {
            let crowds = Consistency::new(release).crowds(*notion);
            let fails = |part: &usize| crowds[*part] < *k && !release.is_suppressed(*part);
            let rows = (0..crowds.len()).filter(fails).map(|part| u64::from(release.rows(part))).sum();
            let degree = judge_crowds(release, *notion, 0).unwrap_or(0) as f64;
            Failing { classes: 0, rows, degree }
        }
        Rule::Diverse(notion, diversity) => {
            let values = Consistency::new(release).values(release, *notion, diversity.column);
            let fails = |part: &usize| values[*part].is_some_and(|values| values < diversity.l);
            let rows = (0..values.len()).filter(fails).map(|part| u64::from(release.rows(part))).sum();
            let degree = values.iter().flatten().copied().min().unwrap_or(0) as f64;
            Failing { classes: 0, rows, degree }
        }
    };
    let requirements = release.problem().requirements.iter();
    requirements.map(|one| of(one.rule(), one.shield().unwrap_or(&all))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Node;
    use crate::loss;
    use crate::privacy::{DistinctL, KAnonymity};
    use crate::problem::Problem;
    use crate::recoding::{Local, Recoding};
    use crate::requirement::Requirement;
    use crate::table::{Carried, Table};
    use crate::taxonomy::Taxonomy;

    #[test]
    fn failing_classes_and_rows_are_counted_for_each_requirement() {
        let age = Taxonomy::from_rows(&[["31", "30s", "*"], ["35", "30s", "*"], ["47", "40s", "*"]]).unwrap();
        let illness = Carried::from_codes("illness", &[vec![0, 0], vec![1], vec![0, 0]]);
        let table = Table::from_rows(1, &[[0], [0], [1], [2], [2]]).with_carried(vec![illness]);
        let asked =
            vec![Requirement::new(KAnonymity { k: 2 }), Requirement::new(DistinctL { l: 2, column: 0 })];
        let lm = loss::find("lm").unwrap();
        let problem = Problem::new(table, vec![("age".into(), age, 1.0)], asked, 0, lm).unwrap();
        // As they are: nothing is suppressed yet.
        let release = Recoding::Local(Local::new(vec![vec![0, 1, 2]])).apply(&problem);
        let expected =
            [Failing { classes: 1, rows: 1, degree: 1.0 }, Failing { classes: 3, rows: 5, degree: 1.0 }];
        assert_eq!(failing(&release), expected);
        let decades = Recoding::Local(Local::new(vec![vec![3, 3, 4]])).apply(&problem);
        assert_eq!(failing(&decades)[1], Failing { classes: 1, rows: 2, degree: 1.0 });
        assert_eq!(failing(&decades)[0], Failing { classes: 0, rows: 0, degree: 2.0 });
        let top = Recoding::FullDomain(Node::new(vec![2])).apply(&problem);
        assert!(failing(&top).iter().all(|one| one.classes == 0));
    }
}
