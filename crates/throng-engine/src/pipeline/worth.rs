//! What a search may release: not a table without rows, nor, if it was stopped, one of which nothing is left; unless the
//! job accepts any.

use throng::solve::{Judged, Outcome, Solution};

use crate::job::Job;
use crate::summary;

/// Whether a release is more than the first thing that a search met before it was stopped: one of which nothing is
/// left can be had without any search, and who waited for better would take it for the answer.
pub(super) fn is_worth_it(job: &Job, solution: &Solution, judged: &Judged) -> bool {
    let is_stopped = matches!(solution.outcome, Outcome::Stopped { .. });
    if job.search.accept_any || !is_stopped {
        return true;
    }
    let problem = judged.release.problem();
    let emptied = summary::fully_generalised(problem, &judged.tally).len();
    emptied < problem.attributes().len() && judged.tally.suppressed_rows < judged.tally.rows
}

/// Whether a release has no rows: all are suppressed, and are not shown.
pub(super) fn is_empty(judged: &Judged, is_shown: bool) -> bool {
    !is_shown && judged.tally.suppressed_rows == judged.tally.rows
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use throng::lattice::Node;
    use throng::loss;
    use throng::privacy::KAnonymity;
    use throng::problem::Problem;
    use throng::recoding::Recoding;
    use throng::requirement::Requirement;
    use throng::run::Stop;
    use throng::solve::judge;
    use throng::table::Table;
    use throng::taxonomy::Taxonomy;

    use super::*;

    #[test]
    fn only_a_search_that_was_stopped_is_asked_for_more_than_the_top() {
        let sex = Taxonomy::flat(&["f", "m"]).unwrap();
        let age = Taxonomy::from_rows(&[["31", "30s", "*"], ["35", "30s", "*"]]).unwrap();
        let attributes = vec![("sex".to_owned(), sex, 1.0), ("age".to_owned(), age, 1.0)];
        let table = Table::from_rows(2, &[[0, 0], [0, 1], [1, 0], [1, 1]]);
        let k = Requirement::new(KAnonymity { k: 2 });
        let problem = Problem::new(table, attributes, k, 0, loss::find("lm").unwrap()).unwrap();
        let mut job =
            Job::parse("input = 'a.csv'\noutput = 'b.csv'\n[columns]\n[privacy]\nk = 2", Path::new(""))
                .unwrap();
        let of = |levels: [u16; 2]| Recoding::FullDomain(Node::new(levels.to_vec()));
        let is_worth_it = |job: &Job, levels: [u16; 2], stopped: bool| {
            let recoding = of(levels);
            let outcome = match stopped {
                true => Outcome::Stopped { reason: Stop::TimeLimit, best: Some(recoding.clone()) },
                false => Outcome::Found(recoding.clone()),
            };
            let solution = Solution::without_search(outcome, problem.lattice().size());
            super::is_worth_it(job, &solution, &judge(&problem, &recoding).unwrap())
        };
        assert!(!is_worth_it(&job, [1, 2], true));
        assert!(is_worth_it(&job, [1, 2], false));
        assert!(is_worth_it(&job, [0, 2], true));
        job.search.accept_any = true;
        assert!(is_worth_it(&job, [1, 2], true));
    }
}
