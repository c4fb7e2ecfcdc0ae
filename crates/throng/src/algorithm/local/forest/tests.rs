use super::*;
use crate::algorithm::local::art;
use crate::recoding::Recoding;
use crate::run::Unobserved;
use crate::solve::{Outcome, solve};
use crate::table::Table;
use crate::taxonomy::ValueId;
use crate::verify::{Verdict, verify};

/// The trees and their decomposition word by word: every distance looked at, every size counted anew.
struct Plain<'p> {
    weights: &'p [u32],
    k: u64,
    edges: Vec<(u32, u32)>,
    classes: Vec<Vec<u32>>,
}

impl Plain<'_> {
    fn classes(problem: &Problem) -> Vec<Vec<u32>> {
        let (weights, k) = (problem.table().weights(), problem.requirements.k());
        let mut plain = Plain { weights, k, edges: Vec::new(), classes: Vec::new() };
        plain.grow(problem);
        for start in 0..weights.len() as u32 {
            let tree = plain.component(start, &[]);
            if tree.iter().min() == Some(&start) {
                plain.split(tree, start);
            }
        }
        plain.classes.sort();
        plain.classes
    }

    fn grow(&mut self, problem: &Problem) {
        let closures = closures(problem);
        let attributes = problem.table().attributes();
        let records = super::super::records(problem, 0..attributes);
        let records: Vec<Vec<ValueId>> = records.chunks(attributes).map(<[_]>::to_vec).collect();
        for tuple in 0..records.len() as u32 {
            let mut tree = self.component(tuple, &[]);
            while self.rows(&tree) < self.k {
                let open = tree.iter().copied().find(|&v| self.edges.iter().all(|edge| edge.0 != v));
                let from = open.expect("a tree has fewer edges than vertices");
                let outside = (0..records.len() as u32).filter(|v| !tree.contains(v));
                let distance = |v: u32| closures.join_cost(&records[from as usize], &records[v as usize]);
                let nearest = outside.min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
                self.edges.push((from, nearest.expect("enough rows")));
                tree = self.component(tuple, &[]);
            }
        }
    }

    /// What a vertex is linked with when others are taken away.
    fn component(&self, start: u32, without: &[u32]) -> Vec<u32> {
        let mut found = vec![start];
        let mut next = 0;
        while let Some(&vertex) = found.get(next) {
            for &(a, b) in &self.edges {
                let other = if a == vertex {
                    b
                } else if b == vertex {
                    a
                } else {
                    continue;
                };
                if !found.contains(&other) && !without.contains(&other) {
                    found.push(other);
                }
            }
            next += 1;
        }
        found
    }

    fn rows(&self, vertices: &[u32]) -> u64 {
        vertices.iter().map(|&v| u64::from(self.weights[v as usize])).sum()
    }

    fn emit(&mut self, mut class: Vec<u32>) {
        class.sort_unstable();
        self.classes.push(class);
    }

    fn split(&mut self, tree: Vec<u32>, start: u32) {
        let (k, total) = (self.k, self.rows(&tree));
        if total <= (2 * k - 1).max((3 * k).saturating_sub(5)) {
            return self.emit(tree);
        }
        let gone: Vec<u32> = (0..self.weights.len() as u32).filter(|v| !tree.contains(v)).collect();
        let mut vertex = start;
        loop {
            let without = [&gone[..], &[vertex]].concat();
            let linked = tree
                .iter()
                .filter(|&&v| self.edges.contains(&(v, vertex)) || self.edges.contains(&(vertex, v)));
            let mut branches: Vec<(u32, Vec<u32>)> =
                linked.map(|&v| (v, self.component(v, &without))).collect();
            branches.sort_by_key(|(by, branch)| (std::cmp::Reverse(self.rows(branch)), *by));
            let largest = branches.first().map_or(0, |(_, branch)| self.rows(branch));
            if total - largest < k {
                vertex = branches[0].0;
                continue;
            }
            if largest >= k {
                let (by, branch) = branches.swap_remove(0);
                let rest = tree.iter().copied().filter(|v| !branch.contains(v)).collect();
                self.split(branch, by);
                return self.split(rest, start);
            }
            return self.divide(tree, vertex, branches.into_iter().map(|(_, branch)| branch).collect());
        }
    }

    fn divide(&mut self, tree: Vec<u32>, vertex: u32, branches: Vec<Vec<u32>>) {
        let total = self.rows(&tree);
        for with in [false, true] {
            let mut part = if with { vec![vertex] } else { Vec::new() };
            let mut more = branches.iter();
            while self.rows(&part) < self.k {
                let Some(branch) = more.next() else { break };
                part.extend(branch);
            }
            if self.rows(&part) >= self.k && total - self.rows(&part) >= self.k {
                let rest: Vec<u32> = tree.iter().copied().filter(|v| !part.contains(v)).collect();
                self.emit(part);
                return if with { self.emit(rest) } else { self.split(rest, vertex) };
            }
        }
        self.emit(tree);
    }
}

fn classes(problem: &Problem) -> Vec<Vec<u32>> {
    let (closures, weights, k) = (closures(problem), problem.table().weights(), problem.requirements.k());
    let run = Run::new(problem, None, &Unobserved);
    let index = Neighbours::new(problem, &closures, &run).unwrap();
    let mut classes = plant(weights, k, &index, &run).unwrap();
    classes.sort();
    classes
}

#[test]
fn the_classes_are_those_of_a_plain_transcription() {
    for seed in 0..40 {
        let (k, attributes) = ([1, 2, 3, 5, 8][seed as usize % 5], 2 + seed as usize % 5);
        for measure in ["lm", "entropy"] {
            let problem = art::problem(120, attributes, seed, k, measure);
            assert_eq!(classes(&problem), Plain::classes(&problem), "seed {seed}");
            let open = art::without_trees(&problem);
            assert_eq!(classes(&open), Plain::classes(&open), "seed {seed}, without trees");
        }
    }
}

#[test]
fn classes_are_neither_too_small_nor_larger_than_weights_force() {
    for seed in 0..60 {
        let k = 2 + seed % 9;
        let problem = art::problem(400, 3 + seed as usize % 4, seed, k, "lm");
        let weights = problem.table().weights();
        for class in classes(&problem) {
            let rows = |class: &[u32]| class.iter().map(|&t| u64::from(weights[t as usize])).sum::<u64>();
            let heaviest = class.iter().map(|&t| u64::from(weights[t as usize])).max().unwrap();
            let most = (2 * k - 1).max((3 * k).saturating_sub(5));
            assert!(rows(&class) >= k);
            let forced = heaviest > 1 && (rows(&class) <= 3 * k - 3 || rows(&class) - heaviest < k);
            assert!(rows(&class) <= most || forced, "k {k}: {} rows", rows(&class));
        }
    }
}

#[test]
fn a_star_of_many_is_split_at_its_centre() {
    // All distances are the same, so that every tuple is linked to the first.
    let weights = vec![1; 1000];
    let edges: Vec<(u32, u32)> = (1..1000).map(|v| (v, 0)).collect();
    let problem = art::problem(7, 6, 1, 5, "lm");
    let classes = split(&weights, 5, &edges, &Run::new(&problem, None, &Unobserved)).unwrap();
    assert_eq!(classes.iter().map(Vec::len).sum::<usize>(), 1000);
    assert!(classes.iter().all(|class| (5..=10).contains(&class.len())));
}

#[test]
fn releases_are_safe_and_do_not_depend_on_threads() {
    for (k, measure) in [(2, "lm"), (5, "entropy"), (20, "lm")] {
        let problem = art::problem(1500, 6, k, k, measure);
        let found = [1, 2, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| solve(&problem, &ENTRY, None, &Unobserved)).outcome
        });
        assert!(found.iter().all(|outcome| *outcome == found[0]));
        let Outcome::Found(recoding) = &found[0] else { panic!("enough rows") };
        let Verdict::Safe(achieved) = verify(&recoding.apply(&problem)) else { panic!("unsafe") };
        assert!(achieved.k >= k);
    }
}

#[test]
fn fewer_rows_than_k_have_no_release() {
    let problem = art::problem(7, 6, 1, 8, "lm");
    let outcome = solve(&problem, &ENTRY, None, &Unobserved).outcome;
    assert_eq!(outcome, Outcome::Infeasible { reach: vec![7.0] });
}

#[test]
fn equal_rows_are_released_as_they_are() {
    let like = art::problem(50, 2, 1, 5, "lm");
    let attributes = like.attributes().iter().map(|a| (a.name.clone(), a.taxonomy.clone(), 1.0)).collect();
    let table = Table::from_rows(2, &[[1, 2]; 6]);
    let problem = Problem::new(table, attributes, like.requirements.clone(), 0, like.objective).unwrap();
    let Outcome::Found(recoding) = solve(&problem, &ENTRY, None, &Unobserved).outcome else { panic!() };
    assert_eq!(problem.objective.measure(&problem, &recoding.apply(&problem).tally()), 0.0);
}

#[test]
fn two_of_a_thousand_rows_hide_another() {
    let like = art::problem(50, 2, 1, 2, "lm");
    let attributes = like.attributes().iter().map(|a| (a.name.clone(), a.taxonomy.clone(), 1.0)).collect();
    let table = Table::from_rows(2, &[vec![[1, 2]; 1000], vec![[0, 0]]].concat());
    let problem = Problem::new(table, attributes, like.requirements.clone(), 0, like.objective).unwrap();
    let Outcome::Found(Recoding::Local(local)) = solve(&problem, &ENTRY, None, &Unobserved).outcome else {
        panic!("enough rows")
    };
    let parts = local.parts().expect("a tuple is divided");
    assert_eq!((parts.tuples(), parts.rows()), (&[0, 1, 1][..], &[1, 1, 999][..]));
    assert_eq!((local.column(0)[2], local.column(1)[2]), (1, 2));
    assert_eq!(local.column(0)[0], local.column(0)[1]);
}
