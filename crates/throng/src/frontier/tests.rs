use super::*;
use crate::loss;
use crate::privacy::{DistinctL, KAnonymity};
use crate::random::Random;
use crate::requirement::Requirement;
use crate::run::Unobserved;
use crate::table::{Carried, Table};
use crate::taxonomy::Taxonomy;

/// A table of random rows over two trees of eight leaves, with a sensitive column, and two objectives or four.
fn random(seed: u64, max_suppressed_rows: u64) -> (Problem, Vec<Objective>) {
    let mut random = Random::new(seed);
    let label =
        |leaf: usize| vec![format!("{leaf}"), format!("{}a", leaf / 2), format!("{}b", leaf / 4), "*".into()];
    let tree = || Taxonomy::from_rows(&(0..8).map(label).collect::<Vec<_>>()).unwrap();
    let mut rows: Vec<[u32; 3]> = (0..60)
        .map(|_| [random.index(8) as u32, random.skewed_index(8) as u32, random.index(4) as u32])
        .collect();
    rows.sort_unstable();
    let tuples: Vec<&[[u32; 3]]> = rows.chunk_by(|a, b| a[..2] == b[..2]).collect();
    let column = |a: usize| tuples.iter().map(|tuple| tuple[0][a]).collect();
    let values: Vec<Vec<u32>> = tuples.iter().map(|tuple| tuple.iter().map(|row| row[2]).collect()).collect();
    let weights = tuples.iter().map(|tuple| tuple.len() as u32).collect();
    let table =
        Table::new(vec![column(0), column(1)], weights).with_carried(vec![Carried::from_codes("s", &values)]);
    let all = vec![Requirement::new(KAnonymity { k: 1 }), Requirement::new(DistinctL { l: 1, column: 0 })];
    let attributes = vec![("a".to_owned(), tree(), 1.0), ("b".to_owned(), tree(), 1.0)];
    let glm = loss::find("glm").unwrap();
    let problem = Problem::new(table, attributes, all, max_suppressed_rows, glm).unwrap();
    let objectives = vec![Objective::K, Objective::L { column: 0 }, Objective::SpreadK, Objective::Loss(glm)];
    (problem, objectives)
}

/// By rows of text: k, l, the sum of class sizes and glm of a node, within the suppression limit.
fn by_hand(problem: &Problem, node: &Node) -> Vec<f64> {
    let table = problem.table();
    let mut classes: std::collections::BTreeMap<Vec<u32>, (u64, Vec<u32>)> = Default::default();
    for tuple in 0..table.tuples() {
        let value =
            |a: usize| problem.attributes()[a].taxonomy.generalise(table.column(a)[tuple], node.level(a));
        let class = classes.entry(vec![value(0), value(1)]).or_default();
        class.0 += u64::from(table.weights()[tuple]);
        class.1.extend(table.carried()[0].histogram(tuple).iter().map(|(code, _)| code));
    }
    let rows_below = |k: u64| classes.values().map(|(rows, _)| *rows).filter(|&rows| rows < k).sum::<u64>();
    let largest = classes.values().map(|(rows, _)| *rows).max().unwrap();
    let k = (1..=largest).rev().find(|&k| rows_below(k) <= problem.max_suppressed_rows).unwrap();
    let kept: Vec<_> = classes.iter().filter(|(_, (rows, _))| *rows >= k).collect();
    let l = kept.iter().map(|(_, (_, values))| {
        let mut values = values.clone();
        values.sort_unstable();
        values.dedup();
        values.len()
    });
    let cell = |a: usize, value: u32| {
        let leaves = (0..8).filter(|&leaf| problem.attributes()[a].taxonomy.covers(value, leaf)).count();
        (leaves as f64 - 1.0) / 7.0
    };
    let mut glm = 2.0 * rows_below(k) as f64;
    kept.iter().for_each(|(key, (rows, _))| glm += *rows as f64 * (cell(0, key[0]) + cell(1, key[1])));
    let spread: u64 = kept.iter().map(|(_, (rows, _))| rows * rows).sum();
    // Sums in another order are the same.
    vec![k as f64, l.min().unwrap() as f64, spread as f64, (glm * 1e9).round() / 1e9]
}

/// Values of a front are those of the releases, by every mean and preference.
#[test]
fn losses_of_a_front_are_those_of_its_releases() {
    for (seed, mean) in (0..30).flat_map(|seed| loss::Mean::ALL.map(|mean| (seed, mean))) {
        let (mut problem, _) = random(seed, [3, 12, 60][seed as usize % 3]);
        let preference = loss::Preference::new([0.5, 0.1, 0.9][seed as usize / 3 % 3]).unwrap();
        problem.aggregate = loss::Aggregate { mean, preference };
        let names = ["glm", "lm", "prec", "entropy", "non_uniform_entropy"];
        let losses = names.map(|name| Objective::Loss(loss::find(name).unwrap()));
        let objectives: Vec<Objective> = std::iter::once(Objective::K).chain(losses).collect();
        let front = exact(&problem, &objectives, Boxes::fine(objectives.len()), None, &Unobserved);
        for point in front.points {
            let mut asked = problem.clone();
            asked.requirements = vec![Requirement::new(KAnonymity { k: point.k })].into();
            let recoding = crate::recoding::Recoding::FullDomain(point.node.clone());
            let tally = recoding.apply(&asked).tally();
            for (name, value) in names.iter().zip(&point.values[1..]) {
                let expected = loss::find(name).unwrap().measure(&asked, &tally);
                assert!((value - expected).abs() < 1e-9, "case {seed}, {name}: {value}, not {expected}");
            }
        }
    }
}

fn is_dominated(objectives: &[Objective], by: &[f64], values: &[f64]) -> bool {
    let better = |(objective, (a, b)): (&Objective, (&f64, &f64))| {
        if objective.more_is_better() { a.total_cmp(b) } else { b.total_cmp(a) }
    };
    let compared: Vec<_> = objectives.iter().zip(by.iter().zip(values)).map(better).collect();
    compared.iter().all(|order| order.is_ge()) && compared.iter().any(|order| order.is_gt())
}

#[test]
fn the_exact_front_is_that_of_all_nodes() {
    for seed in 0..20 {
        let (problem, objectives) = random(seed, [0, 3, 12, 60][seed as usize % 4]);
        for chosen in [vec![0, 3], vec![0, 1, 3], vec![2, 3], vec![0, 1, 2, 3]] {
            let chosen_objectives: Vec<Objective> = chosen.iter().map(|&at| objectives[at].clone()).collect();
            let of = |node: &Node| -> Vec<f64> {
                let all = by_hand(&problem, node);
                chosen.iter().map(|&at: &usize| all[at]).collect()
            };
            let all: Vec<Vec<f64>> = problem.lattice().nodes().map(|node| of(&node)).collect();
            let front = exact(&problem, &chosen_objectives, Boxes::fine(chosen.len()), None, &Unobserved);
            assert_eq!((front.evaluated_nodes, front.stopped), (16, None));
            for point in &front.points {
                let expected = of(&point.node);
                let close = point.values.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9);
                assert!(close, "case {seed}: {:?} {expected:?}", point.values);
                assert!(!all.iter().any(|other| is_dominated(&chosen_objectives, other, &expected)));
            }
            // One node of each vector that no other dominates.
            let mut minimal: Vec<&Vec<f64>> = all
                .iter()
                .filter(|v| !all.iter().any(|other| is_dominated(&chosen_objectives, other, v)))
                .collect();
            minimal.sort_by(|a, b| a.partial_cmp(b).unwrap());
            minimal.dedup();
            assert_eq!(front.points.len(), minimal.len(), "case {seed}");
        }
    }
}

/// Theorems 1 and 2: what the archive has no other node dominates, and each box has one; no archive has more
/// points than the boxes of all sides but the longest allow.
#[test]
fn archives_hold_minimal_points_one_in_a_box() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let objectives = [Objective::K, Objective::SpreadK, Objective::Loss(loss::find("glm").unwrap())];
        let sides =
            [1.0 + random.index(5) as f64, 1.0 + random.index(7) as f64, 1.0 + random.index(9) as f64];
        let boxes = Boxes::build(&sides).unwrap();
        let point = |random: &mut Random| Point {
            node: Node::new(vec![0]),
            values: (0..3).map(|_| random.index(30) as f64).collect(),
            k: 1,
            suppressed_rows: 0,
        };
        let points: Vec<Point> = (0..150).map(|_| point(&mut random)).collect();
        let mut archive = boxes::BoxArchive::new(&objectives, boxes.clone());
        points.iter().for_each(|point| archive.update(point));
        let kept = archive.into_sorted();
        let place = |point: &Point| boxes.place(&point.values);
        for point in &kept {
            assert!(
                !points.iter().any(|other| is_dominated(&objectives, &place(other), &place(point))),
                "{seed}"
            );
            let same = points.iter().filter(|other| place(other) == place(point));
            assert!(!same.into_iter().any(|other| is_dominated(&objectives, &other.values, &point.values)));
            assert_eq!(kept.iter().filter(|other| place(other) == place(point)).count(), 1);
        }
        let mut counts = sides.map(|side| (30.0 / side).ceil());
        counts.sort_by(f64::total_cmp);
        assert!(kept.len() as f64 <= counts[1] * counts[2], "{seed}");
    }
}

#[test]
fn evolution_finds_the_front_of_a_small_lattice_and_depends_on_its_seed_alone() {
    let (problem, objectives) = random(3, 3);
    let whole = exact(&problem, &objectives, Boxes::fine(4), None, &Unobserved);
    let found = pbg_ea(&problem, &objectives, Boxes::fine(4), Evolution::default(), None, &Unobserved);
    let values = |front: &Front| front.points.iter().map(|point| point.values.clone()).collect::<Vec<_>>();
    assert_eq!(values(&found), values(&whole));
    assert!(found.evaluated_nodes <= 16);
    let one = Evolution { generations: 1, population: 4, ..Evolution::default() };
    let run = |evolution| pbg_ea(&problem, &objectives, Boxes::fine(4), evolution, None, &Unobserved);
    assert_eq!(run(one), run(one));
    assert!((2..9).any(|seed| run(Evolution { seed, ..one }) != run(one)));
    // Every setting tells.
    let few = Evolution { generations: 3, population: 4, ..Evolution::default() };
    for other in [
        Evolution { generations: 4, ..few },
        Evolution { population: 6, ..few },
        Evolution { crossover: 0.0, ..few },
        Evolution { mutation: Some(0.0), ..few },
    ] {
        let differs = |seed| run(Evolution { seed, ..few }) != run(Evolution { seed, ..other });
        assert!((1..20).any(differs), "{other:?}");
    }
}

#[test]
fn a_walk_finds_the_front_of_a_small_lattice_within_its_budget() {
    for seed in 0..20 {
        let (problem, objectives) = random(seed, [0, 3, 12][seed as usize % 3]);
        let whole = exact(&problem, &objectives, Boxes::fine(4), None, &Unobserved);
        let walk = |nodes| {
            front_walk(&problem, &objectives, Boxes::fine(4), Walk { nodes, seed }, None, &Unobserved)
        };
        let found = walk(1_000);
        let values =
            |front: &Front| front.points.iter().map(|point| point.values.clone()).collect::<Vec<_>>();
        assert_eq!(values(&found), values(&whole), "case {seed}");
        assert!(found.evaluated_nodes <= 16);
        for nodes in 1..16 {
            let front = walk(nodes);
            assert!(front.evaluated_nodes <= nodes && !front.points.is_empty());
            assert_eq!(front, walk(nodes));
        }
    }
}

/// The order in which the sweep meets nodes, and where it shares them between threads, change nothing.
#[test]
fn a_sweep_sees_what_a_look_at_each_node_does() {
    for seed in 0..10 {
        let (problem, objectives) = random(seed, [0, 3, 12][seed as usize % 3]);
        let mut by_sweep = Vec::new();
        let search = || Search::new(&problem, &objectives, Boxes::fine(4), None, &Unobserved);
        let Search { mut run, visitor, .. } = search();
        run.sweep(&*visitor, &mut |seen| by_sweep.extend(seen)).unwrap();
        by_sweep.sort_by(|a, b| a.0.cmp(&b.0));
        let nodes: Vec<Node> = problem.lattice().nodes().collect();
        let by_look = search().look(&nodes).unwrap();
        let by_sweep: Vec<Point> = by_sweep.into_iter().map(|(node, seen)| Point::new(node, seen)).collect();
        assert_eq!(by_sweep, by_look);
    }
}

#[test]
fn a_side_must_be_positive() {
    assert_eq!(Boxes::build(&[5.0, 0.0]), Err(0.0));
    assert!(Boxes::build(&[f64::NAN]).is_err() && Boxes::build(&[-1.0]).is_err());
    assert_eq!(Boxes::build(&[5.0, 100.0]).unwrap().place(&[12.0, 250.0]), [2.0, 2.0]);
}

#[test]
fn a_search_without_time_has_the_front_so_far() {
    let (problem, objectives) = random(3, 3);
    let limit = Some(Duration::ZERO);
    let (boxes, none) = (|| Boxes::fine(4), &Unobserved);
    for front in [
        exact(&problem, &objectives, boxes(), limit, none),
        pbg_ea(&problem, &objectives, boxes(), Evolution::default(), limit, none),
        front_walk(&problem, &objectives, boxes(), Walk::default(), limit, none),
    ] {
        assert_eq!((front.stopped, front.points.len()), (Some(Stop::TimeLimit), 0));
    }
}

/// Stops after so many looks.
struct After(u64, std::sync::atomic::AtomicU64);

impl crate::run::Observer for After {
    fn checked(&self, nodes: u64) {
        self.1.fetch_max(nodes, std::sync::atomic::Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.1.load(std::sync::atomic::Ordering::Relaxed) >= self.0
    }
}

#[test]
fn what_was_seen_before_a_stop_is_the_front_so_far() {
    let (problem, objectives) = random(3, 3);
    let front = exact(&problem, &objectives, Boxes::fine(4), None, &After(5, 0.into()));
    assert_eq!(front.stopped, Some(Stop::Cancelled));
    assert!((1..=5).contains(&front.evaluated_nodes), "{}", front.evaluated_nodes);
    assert!(!front.points.is_empty());
}

/// A node as a release is worth what it is on the front, whichever objectives there are.
#[test]
fn a_release_of_a_node_is_worth_what_the_front_says() {
    let models: [Arc<dyn crate::privacy::PrivacyModel>; 3] = [
        Arc::new(crate::privacy::EntropyL { l: 1.0, column: 0 }),
        Arc::new(DistinctL { l: 1, column: 0 }),
        Arc::from(t_closeness()),
    ];
    for seed in 0..12 {
        let (problem, mut objectives) = random(seed, [0, 3, 12][seed as usize % 3]);
        objectives.push(Objective::SpreadL { column: 0 });
        objectives.extend(models.iter().cloned().map(Objective::Degree));
        objectives.extend(["dm", "prec", "entropy"].map(|name| Objective::Loss(loss::find(name).unwrap())));
        let front = exact(&problem, &objectives, Boxes::fine(objectives.len()), None, &Unobserved);
        assert!(!front.points.is_empty());
        for point in front.points.iter().filter(|point| point.k > 1) {
            let mut required = problem.clone();
            let values = Requirement::new(DistinctL { l: 1, column: 0 });
            required.requirements = vec![Requirement::new(KAnonymity { k: point.k }), values].into();
            let solution = crate::solve::solve_at(&required, &point.node);
            let judged = crate::solve::judge(&required, solution.outcome.recoding().unwrap()).unwrap();
            assert_eq!(judged.tally.suppressed_rows, point.suppressed_rows);
            assert_eq!(of_release(&judged.release, &judged.tally, &objectives), point.values, "case {seed}");
            required.requirements = Requirement::new(KAnonymity { k: point.k + 1 }).into();
            let refused = crate::solve::solve_at(&required, &point.node).outcome;
            assert_eq!(refused, crate::solve::Outcome::Infeasible { reach: vec![point.k as f64] });
        }
    }
}

/// The sums of the property vectors are what the front calls sk and sl, and their least is k; of two releases the one of
/// the larger sum has the larger spread over the other, as the paper observes.
#[test]
fn property_vectors_say_of_each_record_what_objectives_say_of_all() {
    for seed in 0..12 {
        let (problem, mut objectives) = random(seed, [0, 3, 12][seed as usize % 3]);
        objectives.push(Objective::SpreadL { column: 0 });
        let front = exact(&problem, &objectives, Boxes::fine(5), None, &Unobserved);
        let vectors = |property: Property| -> Vec<PropertyVector> {
            let release = |point: &Point| release_of_point(&problem, point);
            front.points.iter().map(|point| PropertyVector::from_release(&release(point), property)).collect()
        };
        let (sizes, same) = (vectors(Property::ClassSize), vectors(Property::SameValue(0)));
        for (point, (size, same)) in front.points.iter().zip(sizes.iter().zip(&same)) {
            assert_eq!(
                [size.sum() as f64, same.sum() as f64],
                [point.values[2], point.values[4]],
                "case {seed}"
            );
            assert_eq!(size.least(), Some(point.k));
            assert_eq!(size.values().filter(|&value| value == 0).count() as u64, point.suppressed_rows);
            assert_eq!((size.records(), same.records()), (60, 60));
        }
        for all in [&sizes, &same] {
            for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
                let by_record = |(a, b): (u64, u64)| u128::from(a.saturating_sub(b));
                assert_eq!(a.spread_over(b), a.values().zip(b.values()).map(by_record).sum());
                assert_eq!(a.spread_over(b) > b.spread_over(a), a.sum() > b.sum());
            }
        }
    }
}

fn t_closeness() -> Box<dyn crate::privacy::PrivacyModel> {
    let column = crate::privacy::SensitiveColumn { texts: vec!["".into(); 4], ..Default::default() };
    crate::privacy::find("t-closeness").unwrap().model(&[("t", 1.0.into())], Some(&column)).unwrap()
}
