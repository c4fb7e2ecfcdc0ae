//! Searches of cuts: states per second of `heuristic-min` on the tables of its paper, and what it and
//! `cut-search` reach on Adult (eight quasi-identifiers, k = 5, no suppression) within a time limit.

mod support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use support::Adult;
use throng::privacy::KAnonymity;
use throng::problem::Problem;
use throng::requirement::{Requirement, Requirements};
use throng::run::Unobserved;
use throng::solve::solve;
use throng::table::Table;
use throng::taxonomy::Taxonomy;
use throng::{algorithm, loss};

/// Limits for Adult, in seconds.
const SECONDS: [u64; 3] = [1, 10, 60];

fn small(c: &mut Criterion) {
    let entry = algorithm::find("heuristic-min").expect("registered");
    let mut group = c.benchmark_group("heuristic-min, states");
    for (name, problem) in [("section 4.3", pupils()), ("case 2", workers())] {
        let solution = solve(&problem, entry, None, &Unobserved);
        group.throughput(Throughput::Elements(solution.checked_nodes));
        group.bench_function(name, |b| b.iter(|| black_box(solve(&problem, entry, None, &Unobserved))));
    }
    group.finish();
}

/// Not sampled: what counts is the loss at the end of each limit.
#[expect(clippy::print_stdout, reason = "what a bench is for")]
fn adult(_: &mut Criterion) {
    let Some(adult) = Adult::load() else {
        println!("skipped: no ../shared/data");
        return;
    };
    let problem = adult.problem_without("salary-class", 0);
    report(&problem, "flash", None);
    for name in ["heuristic-min", "cut-search"] {
        SECONDS.iter().for_each(|&limit| report(&problem, name, Some(limit)));
    }
    let two_per_cent = adult.rows.len() as u64 / 50;
    println!("with {two_per_cent} rows suppressed at most:");
    let problem = adult.problem_without("salary-class", two_per_cent);
    report(&problem, "flash", None);
    SECONDS.iter().for_each(|&limit| report(&problem, "cut-search", Some(limit)));
}

/// Searches for so many seconds, and says what was found.
#[expect(clippy::print_stdout, reason = "what a bench is for")]
fn report(problem: &Problem, name: &str, seconds: Option<u64>) {
    let entry = algorithm::find(name).expect("registered");
    let started = Instant::now();
    let solution = solve(problem, entry, seconds.map(Duration::from_secs), &Unobserved);
    let seconds = started.elapsed().as_secs_f64();
    let tally = solution.outcome.recoding().map(|recoding| recoding.apply(problem).tally());
    let loss = tally.as_ref().map(|tally| problem.objective.measure(problem, tally));
    println!(
        "{name}: {seconds:.2} s, lm {loss:?}, {:?} distinct rows, {:.0} states a second, proven: {}",
        tally.map(|tally| tally.sizes.classes),
        solution.checked_nodes as f64 / seconds,
        solution.proven,
    );
}

fn problem(trees: &[Vec<Vec<&str>>], rows: &[(&[u32], u32)], asked: impl Into<Requirements>) -> Problem {
    let columns = (0..trees.len()).map(|a| rows.iter().map(|(leaves, _)| leaves[a]).collect()).collect();
    let table = Table::new(columns, rows.iter().map(|&(_, records)| records).collect());
    let attribute = |rows: &Vec<Vec<&str>>| (String::new(), Taxonomy::from_rows(rows).expect("valid"), 1.0);
    let attributes = trees.iter().map(attribute).collect();
    Problem::new(table, attributes, asked, 0, loss::find("lm").expect("registered")).expect("valid")
}

fn lines(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split_whitespace().collect()).collect()
}

/// Figure 4 of the paper.
fn pupils() -> Problem {
    let education = lines("9th High Sec Any\n10th High Sec Any\n12th High Sec Any");
    let hours = lines("30 [1,40) [1,99)\n40 [40,99) [1,99)");
    let rows: [(&[u32], u32); 7] = [
        (&[1, 0, 1], 20),
        (&[1, 0, 0], 4),
        (&[0, 0, 0], 2),
        (&[0, 1, 0], 4),
        (&[0, 1, 1], 6),
        (&[2, 1, 0], 2),
        (&[2, 1, 1], 2),
    ];
    let asked = Requirement::new(KAnonymity { k: 4 });
    problem(&[education, lines("M Any\nF Any"), hours], &rows, asked)
}

/// Figure 13, with two requirements.
fn workers() -> Problem {
    let education = lines(
        "9th Jr Sec Any\n10th Jr Sec Any\n11th Sr Sec Any\n12th Sr Sec Any\nBac Bac Uni Any\nMas Grad Uni Any\n\
         Doc Grad Uni Any",
    );
    let hours = lines(
        "30 [1-35) [1-37) [1-99)\n32 [1-35) [1-37) [1-99)\n35 [35-37) [1-37) [1-99)\n\
         37 [37-99) [37-99) [1-99)\n42 [37-99) [37-99) [1-99)\n44 [37-99) [37-99) [1-99)",
    );
    let rows: [(&[u32], u32); 9] = [
        (&[0, 0, 0], 3),
        (&[1, 0, 1], 4),
        (&[2, 0, 2], 5),
        (&[3, 1, 3], 4),
        (&[4, 1, 4], 6),
        (&[4, 1, 5], 4),
        (&[5, 0, 5], 4),
        (&[5, 1, 5], 3),
        (&[6, 1, 5], 1),
    ];
    let asked = vec![
        Requirement::new(KAnonymity { k: 4 }).over([0, 1]),
        Requirement::new(KAnonymity { k: 11 }).over([1, 2]),
    ];
    problem(&[education, lines("M Any\nF Any"), hours], &rows, asked)
}

criterion_group!(benches, small, adult);
criterion_main!(benches);
