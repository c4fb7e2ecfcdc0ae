//! What adversaries can link, from two tables of text alone, against all largest pairings of their rows.

use std::collections::{BTreeMap, BTreeSet};

use throng::attack::{Attack, Known, Links, attack, attack_knowing};
use throng::consistency::{Reading, Released, degrees};
use throng::random::Random;
use throng::table::Table;
use throng::taxonomy::Taxonomy;

use crate::case::Case;
use crate::consistency::{Rows, path, random_problem, random_recoding};

/// An original table and what was released of it, or of another: rows of text, in any order.
struct Pair {
    case: Case,
    taxonomies: Vec<Taxonomy>,
    released: Vec<Vec<String>>,
    secrets: Vec<u32>,
}

impl Pair {
    /// Some rows are left out of the release, some may be of nobody, and no order is kept.
    fn random(random: &mut Random) -> Pair {
        let (attributes, size) = (1 + random.index(3), 1 + random.index(6));
        let (case, problem) = random_problem(random, attributes, size);
        let release = random_recoding(random, &problem, 2).apply(&problem);
        let mut released = Rows::new(&case, &release).released;
        released.sort_by_cached_key(|_| random.index(1000));
        released.truncate(released.len() - random.index(released.len().min(3)));
        if random.once_in(4) {
            let stranger = (0..attributes)
                .map(|a| case.hierarchies[a][random.index(case.hierarchies[a].len())][0].clone());
            released.push(stranger.collect());
        }
        let secrets = released.iter().map(|_| random.index(2) as u32).collect();
        let taxonomies = problem.attributes().iter().map(|attribute| attribute.taxonomy.clone()).collect();
        Pair { case, taxonomies, released, secrets }
    }

    /// `graph[i][j]`: whether original row i is consistent with released row j.
    fn graph(&self) -> Vec<Vec<bool>> {
        let leaves = self.case.encoded_rows();
        let fits = |row: &Vec<u32>, released: &Vec<String>| {
            let mut cells = row.iter().zip(released).enumerate();
            // A `*` says nothing, also where a hierarchy has it for some values only.
            cells
                .all(|(a, (&leaf, label))| label == "*" || path(&self.case, a, leaf as usize).contains(label))
        };
        leaves.iter().map(|row| self.released.iter().map(|released| fits(row, released)).collect()).collect()
    }

    fn attack(&self) -> Attack {
        let (originals, readings, released) = self.tables();
        attack(&originals, readings, &released)
    }

    /// As who knows the secrets of some original rows.
    fn attack_knowing(&self, known: &[Option<u32>], shown: &[Option<u32>]) -> Links {
        let (originals, readings, mut released) = self.tables();
        released.sensitive = vec![shown.to_vec()];
        let known = Known { of_originals: known.to_vec(), shown: shown.to_vec() };
        attack_knowing(&originals, readings, &released, &known)
    }

    fn tables(&self) -> (Table, Vec<Reading>, Released) {
        let rows = self.case.encoded_rows();
        let columns = |of: &dyn Fn(usize, usize) -> u32, rows: usize| -> Vec<Vec<u32>> {
            (0..self.taxonomies.len()).map(|a| (0..rows).map(|row| of(row, a)).collect()).collect()
        };
        let originals = Table::new(columns(&|row, a| rows[row][a], rows.len()), vec![1; rows.len()]);
        let labels: Vec<Vec<&str>> = (0..self.taxonomies.len())
            .map(|a| self.released.iter().map(|row| row[a].as_str()).collect::<BTreeSet<_>>())
            .map(|labels| labels.into_iter().collect())
            .collect();
        let code = |row: usize, a: usize| {
            labels[a].iter().position(|label| *label == self.released[row][a]).unwrap() as u32
        };
        let released = Released {
            columns: columns(&code, self.released.len()),
            weights: vec![1; self.released.len()],
            sensitive: vec![self.secrets.iter().copied().map(Some).collect()],
        };
        let read = |(taxonomy, labels): (&Taxonomy, &Vec<&str>)| {
            Reading::new(taxonomy, labels.iter().copied(), |_| None, |_| None).expect("all are known")
        };
        (originals, self.taxonomies.iter().zip(&labels).map(read).collect(), released)
    }
}

/// The size of a largest matching, and the edges that are in some, by listing all of them.
fn in_largest_matchings(graph: &[Vec<bool>], released: usize) -> (usize, Vec<Vec<bool>>) {
    struct Search<'g> {
        graph: &'g [Vec<bool>],
        chosen: Vec<Option<usize>>,
        largest: usize,
        found: Vec<Vec<bool>>,
    }
    fn extend(search: &mut Search<'_>) {
        let row = search.chosen.len();
        if row == search.graph.len() {
            let size = search.chosen.iter().flatten().count();
            if size > search.largest {
                search.largest = size;
                search.found.iter_mut().for_each(|row| row.fill(false));
            }
            if size == search.largest {
                for (i, j) in search.chosen.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?))) {
                    search.found[i][j] = true;
                }
            }
            return;
        }
        let free: Vec<usize> = (0..search.graph[row].len())
            .filter(|&j| search.graph[row][j] && !search.chosen.contains(&Some(j)))
            .collect();
        for choice in free.into_iter().map(Some).chain([None]) {
            search.chosen.push(choice);
            extend(search);
            search.chosen.pop();
        }
    }
    let found = vec![vec![false; released]; graph.len()];
    let mut search = Search { graph, chosen: Vec::new(), largest: 0, found };
    extend(&mut search);
    (search.largest, search.found)
}

/// Rows that are left with one sensitive value.
fn certain(linked: &[Vec<bool>], values: &[u32]) -> u64 {
    let seen = |row: &Vec<bool>| -> BTreeSet<u32> {
        row.iter().zip(values).filter(|(linked, _)| **linked).map(|(_, &value)| value).collect()
    };
    linked.iter().filter(|row| seen(row).len() == 1).count() as u64
}

fn assert_links(found: &Links, linked: &[Vec<bool>], secrets: &[u32], seed: u64) {
    let expected: Vec<u64> =
        linked.iter().map(|row| row.iter().filter(|&&edge| edge).count() as u64).collect();
    assert_eq!(found.rows, expected, "seed {seed}");
    assert_eq!(found.certain_rows, [certain(linked, secrets)], "seed {seed}");
    let linked_rows = expected.iter().filter(|&&links| links > 0).count() as u64;
    assert_eq!(found.distribution.values().sum::<u64>(), linked_rows, "seed {seed}");
}

#[test]
fn attacks_agree_with_brute_force_whatever_was_left_out() {
    let (mut telling, mut short, mut foreign) = (0, 0, 0);
    for seed in 0..800 {
        let pair = Pair::random(&mut Random::new(seed));
        let graph = pair.graph();
        let (largest, matches) = in_largest_matchings(&graph, pair.released.len());
        let found = pair.attack();
        assert_links(&found.neighbours, &graph, &pair.secrets, seed);
        assert_links(&found.matches, &matches, &pair.secrets, seed);
        assert_eq!(found.matched_rows, largest as u64, "seed {seed}");
        telling += u32::from(graph != matches);
        short += u32::from(pair.released.len() < graph.len());
        foreign += u32::from(largest < pair.released.len());
    }
    assert!(telling > 60 && short > 100 && foreign > 30, "{telling}, {short}, {foreign}");
}

/// What she knows is true of most, as in a release of the table, but of some no row shows it, and some rows show nothing.
fn random_known(
    random: &mut Random,
    pair: &Pair,
    graph: &[Vec<bool>],
) -> (Vec<Option<u32>>, Vec<Option<u32>>) {
    let secrets = pair.secrets.iter().map(|_| Some(random.index(3) as u32).filter(|_| !random.once_in(6)));
    let shown: Vec<Option<u32>> = secrets.collect();
    let known = graph.iter().map(|row| {
        let fitting: Vec<usize> = (0..shown.len()).filter(|&j| row[j]).collect();
        let value = match fitting.is_empty() || random.once_in(8) {
            true => Some(random.index(4) as u32),
            false => shown[random.pick(&fitting)],
        };
        value.filter(|_| random.once_in(2))
    });
    (known.collect(), shown)
}

/// By definition: the pairs that are in some largest pairing once those that differ in a known value are struck out.
#[test]
fn the_third_adversary_agrees_with_brute_force() {
    let (mut telling, mut certain_of_one, mut nobody) = (0, 0, 0);
    for seed in 0..800 {
        let random = &mut Random::new(seed);
        let pair = Pair::random(random);
        let graph = pair.graph();
        let (known, shown) = random_known(random, &pair, &graph);
        let agrees = |i: usize, j: usize| match (known[i], shown[j]) {
            (Some(known), Some(shown)) => known == shown,
            _ => true,
        };
        let struck: Vec<Vec<bool>> = graph
            .iter()
            .enumerate()
            .map(|(i, row)| row.iter().enumerate().map(|(j, &edge)| edge && agrees(i, j)).collect())
            .collect();
        let (_, matches) = in_largest_matchings(&struck, shown.len());
        let found = pair.attack_knowing(&known, &shown);
        let (mut certain_rows, mut distribution) = (0, BTreeMap::new());
        for (i, row) in matches.iter().enumerate() {
            let linked: Vec<usize> = (0..shown.len()).filter(|&j| row[j] && known[i].is_none()).collect();
            assert_eq!(found.rows[i], linked.len() as u64, "seed {seed}, row {i}");
            let values: BTreeSet<u32> = linked.iter().filter_map(|&j| shown[j]).collect();
            certain_rows += u64::from(!linked.is_empty() && values.len() < 2);
            if !linked.is_empty() {
                *distribution.entry(linked.len() as u64).or_insert(0) += 1;
            }
        }
        assert_eq!(
            (&found.certain_rows, &found.distribution),
            (&vec![certain_rows], &distribution),
            "seed {seed}"
        );
        let without = pair.attack_knowing(&vec![None; known.len()], &shown);
        assert_eq!(without.rows, pair.attack().matches.rows, "seed {seed}: who knows nothing is the second");
        telling += u32::from((0..known.len()).any(|i| known[i].is_none() && found.rows[i] < without.rows[i]));
        certain_of_one += u32::from(certain_rows > without.certain_rows[0]);
        nobody += u32::from(known.iter().all(Option::is_some));
    }
    assert!(telling > 60 && certain_of_one > 20 && nobody > 5, "{telling}, {certain_of_one}, {nobody}");
}

/// With nothing left out, the two tables tell as much as the pairing does.
#[test]
fn degrees_without_the_pairing_are_those_with_it() {
    let mut compared = 0;
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let (attributes, size) = (1 + random.index(3), 1 + random.index(40));
        let (case, problem) = random_problem(random, attributes, size);
        let is_partial = |taxonomy: &Taxonomy| {
            (0..).zip(taxonomy.values()).any(|(id, value)| value.label == "*" && id != taxonomy.root())
        };
        if problem.attributes().iter().any(|attribute| is_partial(&attribute.taxonomy)) {
            continue;
        }
        compared += 1;
        let release = random_recoding(random, &problem, 3).apply(&problem);
        let mut released = Rows::new(&case, &release).released;
        released.sort_by_cached_key(|_| random.index(1000));
        let taxonomies = problem.attributes().iter().map(|attribute| attribute.taxonomy.clone()).collect();
        let pair = Pair { case, taxonomies, secrets: vec![0; released.len()], released };
        assert_eq!(pair.attack().degrees, degrees(&release), "seed {seed}");
    }
    assert!(compared > 100, "{compared}");
}
