//! (k,k) and global (1,k) with different sensitive values in every crowd, which the paper leaves to future work.
//!
//! Algorithms 5 and 6 with values are written down once more here, record by record, as the steps of their proof go.

use std::collections::BTreeSet;

use throng::consistency::Consistency;
use throng::privacy::DistinctL;
use throng::requirement::Requirements;
use throng::table::Carried;
use throng::verify::{Verdict, verify};

use super::*;

/// The sensitive value of each record.
type Values = [u32];

fn values_of(records: impl IntoIterator<Item = usize>, values: &Values) -> BTreeSet<u32> {
    records.into_iter().map(|record| values[record]).collect()
}

/// Algorithm 5 that goes on until there are l values.
fn one_k(
    table: &Table,
    (k, l): (usize, usize),
    values: &Values,
    mut released: Vec<Generalised>,
) -> Vec<Generalised> {
    for i in table.ids() {
        loop {
            let (near, others): (Vec<usize>, Vec<usize>) =
                table.ids().partition(|&j| table.consistent(i, &released[j]));
            let seen = values_of(near.iter().copied(), values);
            if seen.len() >= l && near.len() >= k {
                break;
            }
            let is_useful = |j: &usize| seen.len() >= l || !seen.contains(&values[*j]);
            let growth = |j: usize| table.c(&table.plus(i, &released[j])) - table.c(&released[j]);
            let j = table.least(others.into_iter().filter(is_useful).map(|j| (growth(j), j)));
            released[j] = table.plus(i, &released[j]);
        }
    }
    released
}

/// Algorithm 6 that goes on until the matches have l values.
fn global(
    table: &Table,
    (k, l): (usize, usize),
    values: &Values,
    mut released: Vec<Generalised>,
) -> Vec<Generalised> {
    for i in table.ids() {
        let near: Vec<usize> = table.ids().filter(|&j| table.consistent(i, &released[j])).collect();
        loop {
            let (matches, others): (Vec<usize>, Vec<usize>) =
                near.iter().partition(|&&j| table.is_match(&released, i, j));
            let seen = values_of(matches.iter().copied(), values);
            if seen.len() >= l && matches.len() >= k {
                break;
            }
            let is_useful = |h: &usize| seen.len() >= l || !seen.contains(&values[*h]);
            let growth = |h: usize| table.c(&table.plus(h, &released[i])) - table.c(&released[i]);
            let h = table.least(others.into_iter().filter(is_useful).map(|h| (growth(h), h)));
            released[i] = table.plus(h, &released[i]);
        }
    }
    released
}

/// A table whose records have sensitive values.
struct WithValues {
    both: Both,
    /// Of each record, in the order of the table.
    values: Vec<u32>,
}

impl WithValues {
    fn random(seed: u64, rows: usize, distinct: bool, cost: Cost) -> WithValues {
        let mut records = Both::random(seed, rows, cost).paper.records;
        if distinct {
            records.dedup();
        }
        let random = &mut Random::new(seed + 1000);
        let values = records.iter().map(|_| random.skewed_index(4) as u32).collect();
        let trees = if seed.is_multiple_of(2) { TREES.to_vec() } else { TREES[1..3].to_vec() };
        WithValues { both: Both::new(trees, records, cost), values }
    }

    fn problem(&self, notion: Notion, k: usize, l: Option<usize>) -> Problem {
        let mut problem = self.both.problem(notion, k, Settings::default());
        let Some(l) = l else { return problem };
        let mut of_tuple: Vec<Vec<u32>> = Vec::new();
        let records = &self.both.paper.records;
        for (at, value) in self.values.iter().enumerate() {
            match of_tuple.last_mut() {
                Some(last) if records[at - 1] == records[at] => last.push(*value),
                _ => of_tuple.push(vec![*value]),
            }
        }
        let asked = Requirement::diverse_crowd(notion, DistinctL { l: l as u64, column: 0 });
        let attributes = problem.attributes().iter();
        let attributes = attributes.map(|one| (one.name.clone(), one.taxonomy.clone(), one.weight)).collect();
        let table = self.both.table.clone().with_carried(vec![Carried::from_codes("ill", &of_tuple)]);
        let asked: Requirements = vec![Requirement::crowd(notion, k as u64), asked].into();
        problem = Problem::new(table, attributes, asked, 0, problem.objective).expect("a problem");
        problem
    }

    /// How many values there are.
    fn distinct(&self) -> usize {
        self.values.iter().collect::<BTreeSet<_>>().len()
    }

    /// What is released of each record; rows of a tuple are released alike.
    fn released(&self, problem: &Problem, solution: &Solution) -> Vec<Generalised> {
        let release = solution.outcome.recoding().expect("found").apply(problem);
        let mut released = Vec::new();
        for part in 0..release.parts() {
            let set = |(a, tree): (usize, &&'static [&'static [&'static str]])| {
                let label = release.label(a, release.value(part, a));
                let covered = (0..tree.len()).filter(|&leaf| tree[leaf].contains(&label));
                covered.fold(0, |set, leaf| set | 1 << leaf)
            };
            let record: Generalised = self.both.trees.iter().enumerate().map(set).collect();
            released.extend(std::iter::repeat_n(record, release.rows(part) as usize));
        }
        released
    }

    /// The fewest values of a record's crowd, one record after the other.
    fn fewest(&self, released: &[Generalised], notion: Notion) -> usize {
        let table = &self.both.paper;
        let crowd = |i: usize| {
            let near = table.ids().filter(move |&j| table.consistent(i, &released[j]));
            near.filter(move |&j| notion != Notion::GlobalOneK || table.is_match(released, i, j))
        };
        table.ids().map(|i| values_of(crowd(i), &self.values).len()).min().expect("records")
    }
}

#[test]
fn releases_are_those_of_the_steps_of_the_proof() {
    let entry = algorithm::find("expansion").expect("registered");
    let mut compared = [0; 2];
    for seed in 0..120 {
        let cost = if seed % 3 == 2 { Cost::Entropy } else { Cost::Lm };
        let (k, l) = (2 + seed as usize % 3, 2 + seed as usize % 2);
        let table = WithValues::random(seed, 8 + seed as usize % 12, true, cost);
        if table.distinct() < l || table.values.len() < k {
            continue;
        }
        let paper = &table.both.paper;
        let kk = one_k(paper, (k, l), &table.values, paper.expansion(k));
        let both = [(Notion::KK, kk.clone()), (Notion::GlobalOneK, global(paper, (k, l), &table.values, kk))];
        for (notion, expected) in both {
            if paper.rounding_decided.get() {
                continue;
            }
            let problem = table.problem(notion, k, Some(l));
            let solution = solve(&problem, entry, None, &Unobserved);
            let found = table.both.of_solution(&problem, &solution);
            assert_eq!(found, table.both.of_paper(&expected), "seed {seed}, {}", notion.name());
            compared[usize::from(notion == Notion::GlobalOneK)] += 1;
        }
    }
    assert!(compared.iter().all(|&tables| tables > 50), "{compared:?}");
}

#[test]
fn crowds_have_the_values_that_are_asked_for_and_the_judge_counts_them() {
    let (mut lacking, mut searched) = (0, 0);
    for seed in 0..90 {
        let (k, l) = (2 + seed as usize % 3, 2 + seed as usize % 3);
        let table = WithValues::random(seed, 6 + seed as usize % 9, false, Cost::Lm);
        for name in ["expansion", "nearest", "sequential"] {
            let entry = algorithm::find(name).expect("registered");
            for notion in [Notion::OneK, Notion::KK, Notion::GlobalOneK] {
                let asked = table.problem(notion, k, Some(l));
                if table.values.len() < k {
                    continue;
                }
                let solution = solve(&asked, entry, None, &Unobserved);
                if table.distinct() < l {
                    assert!(matches!(solution.outcome, Outcome::Infeasible { .. }), "seed {seed}");
                    continue;
                }
                let Outcome::Found(recoding) = &solution.outcome else { panic!("seed {seed}: {name}") };
                let fewest = table.fewest(&table.released(&asked, &solution), notion);
                assert!(fewest >= l, "seed {seed}: {name}, {}: {fewest} values", notion.name());
                let Verdict::Safe(achieved) = verify(&recoding.apply(&asked)) else { panic!("seed {seed}") };
                assert_eq!(achieved.degrees[1], fewest as f64, "seed {seed}: {name}, {}", notion.name());
                searched += 1;
            }
        }
        // What nobody asked for may lack it, and then the judge refuses it.
        let entry = algorithm::find("expansion").expect("registered");
        let plain = table.problem(Notion::KK, k, None);
        let solution = solve(&plain, entry, None, &Unobserved);
        let Some(Recoding::Local(local)) = solution.outcome.recoding() else { continue };
        if local.parts().is_none() {
            let release = Recoding::Local(local.clone()).apply(&table.problem(Notion::KK, k, Some(l)));
            let fewest = table.fewest(&table.released(&plain, &solution), Notion::KK);
            let refused = matches!(verify(&release), Verdict::Unsafe(reason) if reason.contains("values in their crowd"));
            assert_eq!(refused, fewest < l, "seed {seed}");
            let counted = Consistency::new(&release).values(&release, Notion::KK, 0);
            assert_eq!(counted.into_iter().flatten().min(), Some(fewest as u64));
            lacking += usize::from(refused);
        }
    }
    assert!(searched > 300 && lacking > 10, "{searched}, {lacking}");
}

#[test]
fn blocks_have_the_values_by_themselves() {
    let entry = algorithm::find("expansion").expect("registered");
    let mut found = 0;
    for seed in 0..20 {
        let table = WithValues::random(seed, 40, false, Cost::Lm);
        let mut problem = table.problem(Notion::KK, 3, Some(2));
        problem.settings = Settings::default().with("block_rows", "12").expect("a setting");
        let solution = solve(&problem, entry, None, &Unobserved);
        if let Outcome::Found(recoding) = &solution.outcome {
            assert!(matches!(verify(&recoding.apply(&problem)), Verdict::Safe(_)), "seed {seed}");
            found += 1;
        }
    }
    assert!(found > 10, "{found}");
}

#[test]
fn a_missing_cell_is_no_value_of_a_crowd() {
    let table = WithValues::random(4, 12, false, Cost::Lm);
    let entry = algorithm::find("expansion").expect("registered");
    let problem = table.problem(Notion::KK, 2, Some(2));
    let column = problem.table().carried()[0].clone().with_missing(Some(0));
    let distinct: BTreeSet<u32> = table.values.iter().copied().filter(|value| *value != 0).collect();
    let attributes = problem.attributes().iter();
    let attributes = attributes.map(|one| (one.name.clone(), one.taxonomy.clone(), one.weight)).collect();
    let missing = table.both.table.clone().with_carried(vec![column]);
    let ask = |l: usize| {
        let asked = Requirement::diverse_crowd(Notion::KK, DistinctL { l: l as u64, column: 0 });
        let asked: Requirements = vec![Requirement::crowd(Notion::KK, 2), asked].into();
        let attributes: Vec<_> = Vec::clone(&attributes);
        Problem::new(missing.clone(), attributes, asked, 0, problem.objective).expect("a problem")
    };
    let outcome = |l: usize| solve(&ask(l), entry, None, &Unobserved).outcome;
    assert!(matches!(outcome(distinct.len()), Outcome::Found(_)));
    assert!(matches!(outcome(distinct.len() + 1), Outcome::Infeasible { .. }));
}
