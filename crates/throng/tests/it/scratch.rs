use crate::case::Case;
use throng::{algorithm, run::Unobserved, solve::solve, table::Table};
#[test]
fn huge() {
    let case = Case::new(&["a *, b *, c *"], "a, b", 5, 0);
    let problem = case.problem_over(Table::new(vec![vec![0, 1]], vec![u32::MAX, 3]), "lm");
    for e in algorithm::registry() { eprintln!("{:?}", solve(&problem, e, None, &Unobserved)); }
}
#[test]
fn times() {
    for limit in [0, 603] {
        let Some(case) = crate::adult::adult(limit) else { return };
        let problem = case.problem("lm");
        for e in algorithm::registry() {
            if e.name == "exhaustive" { continue }
            let t = std::time::Instant::now();
            let s = solve(&problem, e, None, &Unobserved);
            eprintln!("{limit} {} {:?} checked {} projected {}", e.name, t.elapsed(), s.checked_nodes, s.projected_nodes);
        }
    }
}
