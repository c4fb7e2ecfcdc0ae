//! The fast search against the plain quadratic one.

use std::path::PathBuf;

use proptest::prelude::*;

use super::distance::{ClusterShape, Measure};
use super::{DISTANCE, Manner, SHRINK};
use crate::algorithm::local::admissible::Admissibility;
use crate::algorithm::local::lend::lend;
use crate::algorithm::local::peel::peel;
use crate::algorithm::local::pieces::{Piece, recode};
use crate::algorithm::local::{closure::Closures, closures, records};
use crate::algorithm::{SettingKind, SettingValue, Settings, find};
use crate::loss;
use crate::privacy::KAnonymity;
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::requirement::Requirement;
use crate::run::{Run, Unobserved};
use crate::solve::{Outcome, solve};
use crate::table::Table;
use crate::taxonomy::{self, Taxonomy, ValueId};
use crate::verify::{Verdict, verify};

/// Algorithms 1 and 2 to the letter, but for tuples in the place of records, until the left-overs are
/// placed; then the shared last steps.
struct Plain<'p> {
    k: u32,
    closures: &'p Closures,
    measure: Measure,
    records: Vec<Vec<ValueId>>,
    weights: &'p [u32],
    oldest_first: &'p [u32],
    /// γ̂ and γ by number.
    active: Vec<Option<Cluster>>,
    ripe: Vec<(usize, Cluster)>,
    /// The nearest older active cluster of each active one.
    nearest: Vec<Option<(f64, usize)>>,
}

#[derive(Clone)]
struct Cluster {
    tuples: Vec<usize>,
    record: Vec<ValueId>,
    shape: ClusterShape,
}

impl Plain<'_> {
    fn cluster(&self, mut tuples: Vec<usize>) -> Cluster {
        tuples.sort_unstable();
        let mut record = self.records[tuples[0]].clone();
        tuples.iter().for_each(|&tuple| self.closures.extend(&mut record, &self.records[tuple]));
        let size = tuples.iter().map(|&tuple| self.weights[tuple]).sum();
        let shape = ClusterShape { size, cost: self.closures.cost(&record) };
        Cluster { tuples, record, shape }
    }

    fn find_nearest(&self, newer: usize) -> Option<(f64, usize)> {
        let cluster = self.active[newer].as_ref()?;
        let distance = |older: usize| {
            let other = self.active[older].as_ref()?;
            let union = self.closures.join_cost(&other.record, &cluster.record);
            Some((self.measure.between(other.shape, cluster.shape, union), older))
        };
        (0..newer).filter_map(distance).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn add(&mut self, cluster: Cluster) {
        self.active.push(Some(cluster));
        self.nearest.push(self.find_nearest(self.active.len() - 1));
    }

    fn take(&mut self, number: usize) -> Vec<usize> {
        self.nearest[number] = None;
        let tuples = self.active[number].take().expect("active").tuples;
        for newer in number + 1..self.active.len() {
            if self.nearest[newer].is_some_and(|(_, older)| older == number) {
                self.nearest[newer] = self.find_nearest(newer);
            }
        }
        tuples
    }

    fn agglomerate(&mut self, shrink: bool) {
        let pairs = |plain: &Self| {
            let pairs =
                plain.nearest.iter().enumerate().filter_map(|(newer, n)| n.map(|(d, o)| (d, o, newer)));
            pairs.min_by(|a, b| a.0.total_cmp(&b.0).then((a.2, a.1).cmp(&(b.2, b.1))))
        };
        while let Some((_, a, b)) = pairs(self) {
            let mut tuples = self.take(a);
            tuples.extend(self.take(b));
            let mut union = self.cluster(tuples);
            if union.shape.size < self.k {
                self.add(union);
                continue;
            }
            let number = self.active.len();
            self.active.push(None);
            self.nearest.push(None);
            while let Some(tuple) = self.worst(&union).filter(|_| shrink) {
                union = self.cluster(union.tuples.iter().copied().filter(|&t| t != tuple).collect());
                self.add(self.cluster(vec![tuple]));
            }
            self.ripe.push((number, union));
        }
    }

    fn worst(&self, cluster: &Cluster) -> Option<usize> {
        let spare = cluster.shape.size - self.k;
        let may_go = cluster.tuples.iter().copied().filter(|&tuple| self.weights[tuple] <= spare);
        let distance = |tuple: usize| {
            let rest = self.cluster(cluster.tuples.iter().copied().filter(|&t| t != tuple).collect());
            self.measure.leaving(cluster.shape, rest.shape)
        };
        may_go.rev().max_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    }

    fn place_left_overs(&mut self) -> Vec<Vec<Piece>> {
        self.ripe.sort_by_key(|&(number, _)| number);
        let mut classes: Vec<(Vec<Piece>, Cluster)> = Vec::new();
        for (_, ripe) in &self.ripe {
            let pieces = ripe.tuples.iter().map(|&tuple| self.piece(tuple, self.weights[tuple])).collect();
            classes.push((pieces, ripe.clone()));
        }
        let left: Vec<usize> = self.active.iter().flatten().flat_map(|left| left.tuples.clone()).collect();
        for tuple in left {
            let single = self.cluster(vec![tuple]);
            let is_mass = |at: usize| classes[at].0.len() == 1 && classes[at].0[0].rows >= 2 * self.k;
            let distance = |at: usize| {
                let mut ripe = classes[at].1.shape;
                ripe.size = if is_mass(at) { self.k } else { ripe.size };
                let union = self.closures.join_cost(&single.record, &classes[at].1.record);
                self.measure.toward(single.shape, ripe, union)
            };
            let nearest = (0..classes.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            let Some(nearest) = nearest else { return Vec::new() };
            if is_mass(nearest) {
                let (mut others, mut ripe) = classes[nearest].clone();
                others[0].rows -= self.k;
                ripe.shape.size = others[0].rows;
                classes[nearest].0[0].rows = self.k;
                classes.push((others, ripe));
            }
            let (pieces, ripe) = &mut classes[nearest];
            pieces.push(self.piece(tuple, self.weights[tuple]));
            let mut tuples = ripe.tuples.clone();
            tuples.push(tuple);
            *ripe = self.cluster(tuples);
            ripe.shape.size = pieces.iter().map(|piece| piece.rows).sum();
        }
        classes.into_iter().map(|(pieces, _)| pieces).collect()
    }

    fn piece(&self, tuple: usize, rows: u32) -> Piece {
        Piece { tuple: self.oldest_first[tuple], rows }
    }
}

/// Tuples of more records are newer.
fn plain(problem: &Problem) -> Option<Recoding> {
    let mut oldest_first: Vec<u32> = (0..problem.table().tuples() as u32).collect();
    oldest_first.sort_by_key(|&tuple| problem.table().weights()[tuple as usize]);
    let (whole, problem) = (problem, &problem.part(&oldest_first));
    let (closures, k) = (closures(problem), problem.requirements.k());
    let mut plain = Plain {
        k: k as u32,
        closures: &closures,
        measure: Measure::new(Manner::from_settings(&problem.settings).distance, k),
        records: records(problem, 0..closures.attributes())
            .chunks(closures.attributes())
            .map(<[_]>::to_vec)
            .collect(),
        weights: problem.table().weights(),
        oldest_first: &oldest_first,
        active: Vec::new(),
        ripe: Vec::new(),
        nearest: Vec::new(),
    };
    for tuple in 0..problem.table().tuples() {
        let single = plain.cluster(vec![tuple]);
        if u64::from(single.shape.size) < k {
            plain.add(single);
        } else {
            plain.active.push(None);
            plain.nearest.push(None);
            plain.ripe.push((tuple, single));
        }
    }
    plain.agglomerate(problem.settings.flag(&SHRINK));
    let classes = plain.place_left_overs();
    let admissibility = Admissibility::new(whole);
    let classes =
        lend(whole, &closures, &admissibility, classes, &Run::new(whole, None, &Unobserved)).unwrap();
    let classes = peel(whole, &closures, &admissibility, classes, &|| Ok(())).unwrap();
    (!classes.is_empty()).then(|| Recoding::Local(recode(whole, &classes, &|| Ok(())).unwrap()))
}

fn fast(problem: &Problem) -> Option<Recoding> {
    let entry = find("agglomerative").expect("registered");
    match solve(problem, entry, None, &Unobserved).outcome {
        Outcome::Found(recoding) => Some(recoding),
        Outcome::Infeasible { .. } => None,
        Outcome::Stopped { .. } => panic!("nothing stops this run"),
    }
}

/// Every distance, with and without shrinking.
fn variants() -> impl Iterator<Item = Settings> {
    let SettingKind::Choice(distances) = DISTANCE.kind else { panic!("a choice") };
    let each = distances.iter().flat_map(|distance| [(distance, false), (distance, true)]);
    each.map(|(distance, shrink)| {
        let mut settings = Settings::default();
        settings.set(&DISTANCE, SettingValue::Choice(distance));
        settings.set(&SHRINK, SettingValue::Flag(shrink));
        settings
    })
}

/// A tree, a flat attribute and an unbalanced tree.
fn taxonomies() -> Vec<Taxonomy> {
    let tree = (0..12).map(|i| [i.to_string(), format!("a{}", i / 3), format!("b{}", i / 6), "*".into()]);
    let lopsided = [["x", "x", "*"], ["y", "z", "*"], ["v", "z", "*"], ["w", "z", "*"]];
    vec![
        Taxonomy::from_rows(&tree.collect::<Vec<_>>()).unwrap(),
        Taxonomy::flat(&["p", "q", "r"]).unwrap(),
        Taxonomy::from_rows(&lopsided).unwrap(),
    ]
}

/// Numbers of which one is missing, sets of any size and sets of few; of as many leaves.
fn open_taxonomies() -> Vec<Taxonomy> {
    let numbers: Vec<String> = (0..11).map(|i: i32| (i * i - 9).to_string()).chain([String::new()]).collect();
    vec![
        taxonomy::ranges(&numbers, None).unwrap(),
        taxonomy::sets(&["p", "q", "r"], 9).unwrap(),
        taxonomy::sets(&["v", "w", "", "x"], 2).unwrap(),
    ]
}

fn problem(rows: &[[u32; 3]], k: u64, objective: &str) -> Problem {
    problem_with(taxonomies(), rows, k, objective)
}

fn problem_with(taxonomies: Vec<Taxonomy>, rows: &[[u32; 3]], k: u64, objective: &str) -> Problem {
    let attributes = taxonomies.into_iter().enumerate().map(|(a, t)| (a.to_string(), t, 1.0));
    let requirement = Requirement::new(KAnonymity { k });
    let objective = loss::find(objective).expect("registered");
    Problem::new(Table::from_rows(3, rows), attributes.collect(), requirement, 0, objective).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn gives_the_release_of_the_plain_algorithm(
        rows in prop::collection::vec((0u32..12, 0u32..3, 0u32..4).prop_map(|(a, b, c)| [a, b, c]), 1..120),
        k in 1u64..9,
        objective in prop::sample::select(vec!["lm", "entropy", "ncp"]),
        trees in any::<bool>(),
    ) {
        let taxonomies = if trees { taxonomies() } else { open_taxonomies() };
        let mut problem = problem_with(taxonomies, &rows, k, objective);
        for settings in variants() {
            problem.settings = settings;
            let found = fast(&problem);
            prop_assert_eq!(&found, &plain(&problem), "{:?}", problem.settings);
            prop_assert_eq!(found.is_some(), rows.len() as u64 >= k);
            if let Some(recoding) = found {
                prop_assert!(matches!(verify(&recoding.apply(&problem)), Verdict::Safe(a) if a.k >= k));
            }
        }
    }
}

#[test]
fn merges_the_closest_and_places_what_is_left() {
    // {0, 1} and {6, 7} are closest; 3 is left over and nearer to the first.
    let problem = problem(&[[0, 0, 0], [1, 0, 0], [6, 0, 0], [7, 0, 0], [3, 0, 0]], 2, "lm");
    let recoding = fast(&problem).expect("five records");
    let release = recoding.apply(&problem);
    let labels = |tuple| problem.attributes()[0].taxonomy.label(release.value(tuple, 0));
    assert_eq!((0..5).map(labels).collect::<Vec<_>>(), ["b0", "b0", "b0", "a2", "a2"]);
}

#[test]
fn two_of_a_thousand_records_hide_another() {
    let rows = [vec![[9, 0, 0]; 1000], vec![[2, 0, 0]]].concat();
    let mut problem = problem(&rows, 2, "lm");
    for settings in variants() {
        problem.settings = settings;
        let Some(Recoding::Local(local)) = fast(&problem) else { panic!("enough records") };
        let (parts, top) =
            (local.parts().expect("a tuple is divided"), problem.attributes()[0].taxonomy.root());
        assert_eq!((parts.tuples(), parts.rows()), (&[0, 1, 1][..], &[1, 1, 999][..]));
        assert_eq!(local.column(0), [top, top, 9], "{:?}", problem.settings);
    }
}

#[test]
fn a_tuple_of_k_records_keeps_its_values() {
    let problem = problem(&[[0, 0, 0], [0, 0, 0], [1, 0, 0], [4, 1, 1]], 2, "lm");
    let Some(Recoding::Local(local)) = fast(&problem) else { panic!("four records") };
    assert_eq!((local.column(0)[0], local.column(1)[0], local.column(2)[0]), (0, 0, 0));
}

/// Two thousand rows of Adult, all nine columns; none if the data is not there.
fn adult(k: u64) -> Option<Problem> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult");
    let text = std::fs::read_to_string(folder.join("adult.csv")).ok()?;
    let mut lines = text.lines().map(|line| line.split(';'));
    let columns: Vec<&str> = lines.next()?.collect();
    let read = |column: &&str| {
        let file = folder.join(format!("adult_hierarchy_{column}.csv"));
        taxonomy::parse(&std::fs::read_to_string(file).expect("a hierarchy a column")).expect("valid")
    };
    let taxonomies: Vec<Taxonomy> = columns.iter().map(read).collect();
    let leaf = |(label, taxonomy): (&str, &Taxonomy)| {
        (0..taxonomy.leaf_total() as u32).find(|&leaf| taxonomy.label(leaf) == label).expect("a leaf")
    };
    let rows: Vec<Vec<u32>> =
        lines.step_by(15).take(2000).map(|line| line.zip(&taxonomies).map(leaf).collect()).collect();
    let table = Table::from_rows(columns.len(), &rows);
    let attributes = columns.iter().map(ToString::to_string).zip(taxonomies).map(|(c, t)| (c, t, 1.0));
    let requirement = Requirement::new(KAnonymity { k });
    let lm = loss::find("lm").expect("registered");
    Some(Problem::new(table, attributes.collect(), requirement, 0, lm).expect("valid"))
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn gives_the_release_of_the_plain_algorithm_on_adult() {
    for (k, objective) in [(5, "lm"), (20, "entropy")] {
        let Some(mut problem) = adult(k) else {
            eprintln!("skipped: no ../shared/data");
            return;
        };
        problem.objective = loss::find(objective).expect("registered");
        for settings in variants() {
            problem.settings = settings;
            assert!(fast(&problem) == plain(&problem), "k = {k}, {:?}", problem.settings);
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_release() {
    let rows: Vec<[u32; 3]> = (0..400u32).map(|i| [i * 7 % 12, i / 3 % 3, i * i % 4]).collect();
    let problem = problem(&rows, 30, "entropy");
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fast(&problem))
    };
    assert_eq!(on(1), on(3));
}
