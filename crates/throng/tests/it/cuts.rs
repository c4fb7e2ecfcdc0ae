//! Cuts through hierarchies, all of them: counted, applied, judged and measured as the oracle does.

use std::collections::BTreeSet;

use throng::cut::{self, CutError};
use throng::lattice::Node;
use throng::loss;
use throng::privacy::Monotonicity;
use throng::problem::Problem;
use throng::recoding::Recoding;
use throng::release::Release;
use throng::run::{Run, Unobserved};
use throng::taxonomy::{Taxonomy, ValueId};
use throng::verify::{Verdict, verify};

use crate::agreement::assert_same_release;
use crate::case::Case;
use crate::evaluations::{assert_evaluated, assert_ordered, assert_verified, node_of};
use crate::models::Model;
use crate::oracle::{Cut, Oracle, Released, Value, is_close};
use throng::random::Random;

/// Cuts of all attributes that are compared of one case; if there are more, some of them.
const MOST: usize = 150;

/// A small case in which values that are not the same do not look alike: searches tell values apart by
/// what they are, readers by their labels.
fn small(seed: u64) -> Case {
    let random = &mut Random::new(seed);
    let (attributes, rows) = (1 + random.index(3), 1 + random.index(20));
    Case::random_asking_of(random, attributes, rows).with_names()
}

/// The id of a leaf's value at a level, or of what is above all.
pub(crate) fn id(taxonomy: &Taxonomy, leaf: usize, level: usize) -> ValueId {
    if level > taxonomy.height() { taxonomy.root() } else { taxonomy.generalise(leaf as ValueId, level) }
}

/// The crate's cut for one of the oracle's.
fn encode(taxonomy: &Taxonomy, cut: &Cut) -> cut::Cut {
    let of_leaf: Vec<ValueId> =
        cut.levels.iter().enumerate().map(|(leaf, &level)| id(taxonomy, leaf, level)).collect();
    let encoded = cut::Cut::new(taxonomy, &of_leaf).expect("a cut");
    assert_eq!(encoded.leaf_values(), of_leaf);
    encoded
}

pub(crate) fn encode_all(problem: &Problem, cuts: &[&Cut]) -> Vec<cut::Cut> {
    let attributes = problem.attributes().iter().zip(cuts);
    attributes.map(|(attribute, cut)| encode(&attribute.taxonomy, cut)).collect()
}

/// All combinations of one cut for each attribute, or some of them.
fn combinations<'o>(cuts: &'o [Vec<Cut>], random: &mut Random) -> Vec<Vec<&'o Cut>> {
    let mut all = vec![Vec::new()];
    for of_attribute in cuts {
        let extend = |some: &Vec<&'o Cut>| -> Vec<Vec<&'o Cut>> {
            of_attribute.iter().map(|cut| [&some[..], &[cut]].concat()).collect()
        };
        all = all.iter().flat_map(extend).collect();
        random.shuffle(&mut all);
        all.truncate(20 * MOST);
    }
    all.truncate(MOST);
    all
}

/// Calls `visit` with small cases, cuts of all their attributes and what the oracle makes of them.
fn for_each_case(seeds: u64, visit: impl Fn(&Oracle<'_>, &[Vec<&Cut>], &[Released<'_>], &str)) {
    for seed in 0..seeds {
        let case = small(seed);
        let oracle = Oracle::new(&case);
        let cuts: Vec<Vec<Cut>> = (0..case.hierarchies.len()).map(|a| oracle.cuts(a)).collect();
        let all = combinations(&cuts, &mut Random::new(seed));
        let released: Vec<Released<'_>> = all.iter().map(|cuts| oracle.recode_cuts(cuts)).collect();
        visit(&oracle, &all, &released, &format!("case {seed}"));
    }
}

#[test]
fn cuts_are_counted_as_the_oracle_does_and_cost_what_they_lose() {
    for_each_case(60, |oracle, cuts, released, context| {
        for measure in loss::measures().iter().filter(|measure| measure.name() != "level") {
            let problem = oracle.case.problem(measure.name());
            let encoded: Vec<Vec<cut::Cut>> = cuts.iter().map(|cuts| encode_all(&problem, cuts)).collect();
            let mut run = Run::new(&problem, None, &Unobserved);
            // Cuts are rolled up from nodes, too.
            let nodes: Vec<Node> = oracle.nodes().iter().map(|levels| node_of(levels)).collect();
            _ = run.probe_all(&nodes);
            let evaluations = run.check_cuts(&encoded).expect("nothing stops this run");
            let mut costs = Vec::new();
            for ((evaluation, released), cuts) in evaluations.iter().zip(released).zip(cuts) {
                let context = format!("{context}, {}, {cuts:?}", measure.name());
                assert_evaluated(oracle, evaluation, released, &context);
                costs.extend(evaluation.cost().map(|cost| (cost, oracle.loss(measure.name(), released))));
            }
            let least = costs.iter().map(|&(cost, _)| cost).min();
            assert_ordered(costs, &format!("{context}, {}", measure.name()));
            let (kept, _) = run.into_kept(None);
            assert_eq!(kept.first().and_then(|(_, evaluation)| evaluation.cost()), least, "{context}");
        }
    });
}

#[test]
fn releases_of_cuts_are_those_of_the_oracle() {
    for_each_case(60, |oracle, cuts, released, context| {
        let problem = oracle.case.problem_with_target("ncp");
        let mut run = Run::new(&problem, None, &Unobserved);
        for (cuts, released) in cuts.iter().zip(released) {
            let context = format!("{context}, {cuts:?}");
            let encoded = encode_all(&problem, cuts);
            let release = Recoding::Cut(encoded.clone()).apply(&problem);
            assert_same_release(oracle, &release, released);
            assert_verified(oracle, verify(&release), released, &context);
            let tally = release.tally();
            for measure in loss::measures().iter().filter(|measure| measure.name() != "level") {
                let [value, expected] =
                    [measure.measure(&problem, &tally), oracle.measure(measure.name(), released)];
                assert!(is_close(value, expected), "{context}, {}: {value}, {expected}", measure.name());
            }
            let evaluation = release.evaluate(&tally);
            assert_evaluated(oracle, &evaluation, released, &context);
            let checked = run.check_cuts(&[encoded]).expect("nothing stops this run");
            assert_eq!(evaluation.cost(), checked[0].cost(), "{context}");
        }
    });
}

#[test]
fn a_cut_at_a_level_is_the_node() {
    for seed in 0..150 {
        let case = small(seed);
        let oracle = Oracle::new(&case);
        // A cut has no level.
        let measures: Vec<_> = loss::measures().iter().filter(|m| m.name() != "level").collect();
        let problem = case.problem(measures[seed as usize % measures.len()].name());
        let mut run = Run::new(&problem, None, &Unobserved);
        for levels in oracle.nodes() {
            let cuts: Vec<Cut> =
                levels.iter().enumerate().map(|(a, &level)| oracle.cut_at(a, level)).collect();
            let cuts = encode_all(&problem, &cuts.iter().collect::<Vec<_>>());
            for (a, cut) in cuts.iter().enumerate() {
                assert_eq!(*cut, cut::Cut::at_level(&problem.attributes()[a].taxonomy, levels[a]));
            }
            let as_node = run.check(&node_of(&levels)).expect("nothing stops this run");
            let as_cut = run.check_cuts(std::slice::from_ref(&cuts)).expect("nothing stops this run");
            assert_eq!(as_cut, [as_node], "case {seed}, {levels:?}");
            let recodings = [Recoding::FullDomain(node_of(&levels)), Recoding::Cut(cuts)];
            let [node, cut] = recodings.map(|recoding| recoding.apply(&problem));
            for part in 0..node.parts() {
                assert_eq!(node.is_suppressed(part), cut.is_suppressed(part));
                assert!((0..levels.len()).all(|a| node.value(part, a) == cut.value(part, a)));
            }
        }
    }
}

/// Two values of a cut may look alike. Searches count them as two, readers as one: what is monotone stays
/// safe by that, and what is not must be seen by the judge.
#[test]
fn values_that_look_alike_are_one_to_the_judge() {
    for seed in 0..60 {
        let random = &mut Random::new(seed);
        let (attributes, rows) = (1 + random.index(2), 1 + random.index(20));
        let case = Case::random_asking_of(random, attributes, rows);
        let (oracle, problem) = (Oracle::new(&case), case.problem("lm"));
        let cuts: Vec<Vec<Cut>> = (0..attributes).map(|a| oracle.cuts(a)).collect();
        for cuts in combinations(&cuts, random) {
            let release = Recoding::Cut(encode_all(&problem, &cuts)).apply(&problem);
            let suppressed = suppressed_rows(&case, &release);
            let released = oracle.look_at(oracle.recode_cuts(&cuts).levels, suppressed);
            let verdict = verify(&release);
            let admissible = release.evaluate(&release.tally()).admissible;
            let monotone = case.asks.iter().all(|ask| ask.model.monotonicity() == Monotonicity::Monotone);
            assert!(!admissible || !monotone || matches!(verdict, Verdict::Safe(_)), "case {seed}, {cuts:?}");
            assert_verified(&oracle, verdict, &released, &format!("case {seed}, {cuts:?}"));
        }
    }
}

/// Two rows and one that a reader sees as three.
#[test]
fn a_cut_that_is_not_what_it_looks_like_is_refused() {
    let case = Case::new(&["a * x, b * x, c c *, d d *"], "a, a, c", 1, 0).asking(Model::NoThrees(1));
    let problem = case.problem("lm");
    let cut = encode(&problem.attributes()[0].taxonomy, &Cut { levels: vec![1, 1, 2, 2] });
    let mut run = Run::new(&problem, None, &Unobserved);
    assert!(run.check_cuts(&[vec![cut.clone()]]).expect("nothing stops this run")[0].admissible);
    let verdict = verify(&Recoding::Cut(vec![cut]).apply(&problem));
    assert_eq!(verdict, Verdict::Unsafe("1 classes do not satisfy own = 1: the worst has 0".into()));
}

/// The rows that a release of whole tuples suppresses.
fn suppressed_rows(case: &Case, release: &Release) -> BTreeSet<usize> {
    let table = release.problem().table();
    let leaves = |tuple: usize| (0..table.attributes()).map(|a| table.column(a)[tuple]).collect::<Vec<_>>();
    let gone: BTreeSet<Vec<u32>> =
        (0..release.parts()).filter(|&tuple| release.is_suppressed(tuple)).map(leaves).collect();
    let rows = case.encoded_rows().into_iter().enumerate();
    rows.filter(|(_, leaves)| gone.contains(leaves)).map(|(row, _)| row).collect()
}

/// Any values of the tree are a cut just if every leaf is below one of them.
#[test]
fn values_that_leave_a_leaf_out_or_cover_it_twice_are_no_cut() {
    let [mut open, mut nested, mut cuts] = [0; 3];
    for seed in 0..1_000 {
        let case = small(seed);
        let (oracle, problem) = (Oracle::new(&case), case.problem("lm"));
        let (mut values, taxonomy) = (oracle.values(0), &problem.attributes()[0].taxonomy);
        let random = &mut Random::new(seed);
        random.shuffle(&mut values);
        values.truncate(1 + random.index(5));
        let covered = |leaf: usize| values.iter().filter(|value| value.leaves.contains(&leaf)).count();
        let times: Vec<usize> = (0..taxonomy.leaf_total()).map(covered).collect();
        let left_out = times.iter().filter(|&&times| times == 0).count();
        let chosen: Vec<ValueId> = values.iter().map(|value| id_of(taxonomy, value)).collect();
        match cut::Cut::new(taxonomy, &chosen) {
            Err(CutError::Open { leaves }) => {
                assert_eq!(leaves, left_out);
                open += 1;
            }
            Err(CutError::Nested) => {
                assert!(left_out == 0 && times.iter().any(|&times| times > 1));
                nested += 1;
            }
            Ok(_) => {
                assert!(times.iter().all(|&times| times == 1));
                cuts += 1;
            }
        }
    }
    assert!(open > 50 && nested > 50 && cuts > 50, "{open}, {nested}, {cuts}");
}

fn id_of(taxonomy: &Taxonomy, value: &Value) -> ValueId {
    id(taxonomy, *value.leaves.first().expect("a value has leaves"), value.level)
}

/// A value that rises takes just those leaves with it that its parent stands for.
#[test]
fn a_raised_cut_is_the_cut_with_the_parent() {
    for seed in 0..100 {
        let case = small(seed);
        let (oracle, problem) = (Oracle::new(&case), case.problem("lm"));
        let taxonomy = &problem.attributes()[0].taxonomy;
        let values = oracle.values(0);
        for cut in oracle.cuts(0).iter().take(30) {
            for value in
                values.iter().filter(|value| value.leaves.iter().all(|&l| cut.levels[l] == value.level))
            {
                // A value of the same leaves may have another level: it is above or below.
                let above =
                    |other: &&Value| (other.leaves.is_superset(&value.leaves)) && other.level > value.level;
                let parent =
                    values.iter().filter(above).min_by_key(|other| (other.leaves.len(), other.level));
                let parent = parent.unwrap_or(value);
                let mut raised = cut.clone();
                parent.leaves.iter().for_each(|&leaf| raised.levels[leaf] = parent.level);
                let found = encode(taxonomy, cut).raise(taxonomy, id_of(taxonomy, value));
                assert_eq!(found, encode(taxonomy, &raised), "case {seed}, {cut:?}, {value:?}");
            }
        }
    }
}
