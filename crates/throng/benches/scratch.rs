#![allow(clippy::print_stdout)]
//! scratch
mod support;
use std::time::Instant;
use throng::{
    algorithm, loss,
    run::Unobserved,
    solve::{Outcome, solve},
    verify,
};
fn main() {
    let adult = support::Adult::load().unwrap();
    let names: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    for share in std::env::var("S").map_or(vec![0.0, 0.02, 0.05, 1.0], |s| vec![s.parse().unwrap()]) {
        let problem = adult.problem((30162.0 * share) as u64);
        for name in &names {
            let mut best = f64::MAX;
            let mut sol = None;
            for _ in 0..std::env::var("N").ok().map_or(15, |n| n.parse().unwrap()) {
                let t = Instant::now();
                let s = solve(&problem, algorithm::find(name).unwrap(), None, &Unobserved);
                best = best.min(t.elapsed().as_secs_f64());
                sol = Some(s);
            }
            let sol = sol.unwrap();
            let Outcome::Found(r) = &sol.outcome else { panic!() };
            let rel = r.apply(&problem);
            let tally = rel.tally();
            println!(
                "{share} {name} {:.2} ms checked {} proj {} node {:?} lm {:.6} {:?}",
                best * 1e3,
                sol.checked_nodes,
                sol.projected_nodes,
                r,
                loss::find("lm").unwrap().of(&problem, &tally),
                verify::verify(&rel)
            );
        }
    }
}
