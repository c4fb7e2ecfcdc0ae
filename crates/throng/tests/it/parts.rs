//! Tuples that are released in parts, against an oracle over single rows.

use std::collections::BTreeSet;

use throng::consistency::{Consistency, degrees};
use throng::loss;
use throng::notion::Notion;
use throng::problem::Problem;
use throng::recoding::{Local, Parts, Recoding};
use throng::release::Release;
use throng::requirement::Requirement;
use throng::table::Table;
use throng::taxonomy::ValueId;
use throng::verify::{Verdict, verify};

use crate::case::Case;
use crate::consistency::{Rows, matches, path};
use crate::cuts::id;
use crate::evaluations::{assert_degrees, assert_verified};
use crate::oracle::{Oracle, Released, is_close};
use throng::random::Random;

/// A table in which just those rows are one tuple that also have the same sensitive values and person: which of
/// its rows a part of a tuple has must not matter.
pub(crate) struct Told {
    pub(crate) table: Table,
    /// The tuple of each row.
    tuple_of: Vec<usize>,
}

impl Told {
    pub(crate) fn new(case: &Case) -> Told {
        let codes: Vec<Vec<u32>> = (0..case.sensitive[0].len()).map(|column| case.codes(column)).collect();
        let mut keys = case.encoded_rows();
        for (row, key) in keys.iter_mut().enumerate() {
            key.extend(codes.iter().map(|codes| codes[row]));
            key.extend(case.persons.iter().map(|persons| persons[row] as u32));
        }
        let distinct: BTreeSet<&Vec<u32>> = keys.iter().collect();
        let place = |key| distinct.iter().position(|other| *other == key).expect("listed");
        Told { table: case.table(&keys), tuple_of: keys.iter().map(place).collect() }
    }
}

/// How every single row is released.
#[derive(Clone, Debug)]
pub(crate) struct ByRow {
    pub(crate) values: Vec<Vec<ValueId>>,
    pub(crate) suppressed: BTreeSet<usize>,
}

impl ByRow {
    /// The rows at levels of their own.
    pub(crate) fn new(
        problem: &Problem,
        case: &Case,
        levels: &[Vec<usize>],
        suppressed: BTreeSet<usize>,
    ) -> ByRow {
        let attributes = problem.attributes();
        let value =
            |(a, (&leaf, &level)): (usize, (&u32, &usize))| id(&attributes[a].taxonomy, leaf as usize, level);
        let rows = case.encoded_rows();
        let values = rows.iter().zip(levels);
        let values =
            values.map(|(leaves, levels)| leaves.iter().zip(levels).enumerate().map(value).collect());
        ByRow { values: values.collect(), suppressed }
    }

    /// The recoding in parts, some of which could have been one; and the part of each row.
    pub(crate) fn encode(&self, told: &Told, random: &mut Random) -> (Recoding, Vec<usize>) {
        let key = |row: usize| (told.tuple_of[row], &self.values[row], self.suppressed.contains(&row));
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        random.shuffle(&mut order);
        order.sort_by_key(|&row| told.tuple_of[row]);
        order.sort_by(|&a, &b| key(a).cmp(&key(b)));
        let (mut parts, mut part_of) = (Parts::default(), vec![0; order.len()]);
        let mut columns = vec![Vec::new(); self.values[0].len()];
        for rows in order.chunk_by(|&a, &b| key(a) == key(b) && !random.once_in(3)) {
            rows.iter().for_each(|&row| part_of[row] = parts.rows().len());
            let (tuple, values, suppressed) = key(rows[0]);
            parts.push(tuple as u32, rows.len() as u32, suppressed);
            columns.iter_mut().zip(values).for_each(|(column, &value)| column.push(value));
        }
        (Recoding::Local(Local::new(columns).in_parts(parts)), part_of)
    }
}

/// A random release in parts, and what the oracle sees of it.
struct Divided<'c> {
    oracle: Oracle<'c>,
    released: Released<'c>,
    release: Release,
    /// The part of each row.
    part_of: Vec<usize>,
}

/// Levels of each row: most are at one of two nodes.
fn random_levels(random: &mut Random, case: &Case) -> Vec<Vec<usize>> {
    let heights = case.heights();
    let open = |a: usize| {
        let tops: BTreeSet<&String> = case.hierarchies[a].iter().map(|line| &line[heights[a]]).collect();
        usize::from(tops.len() > 1)
    };
    let most: Vec<usize> = (0..heights.len()).map(|a| heights[a] + open(a)).collect();
    let any = |random: &mut Random| most.iter().map(|&most| random.index(most + 1)).collect::<Vec<_>>();
    let nodes = [any(random), most.clone()];
    let mut row = || if random.once_in(8) { any(random) } else { nodes[random.index(2)].clone() };
    (0..case.rows.len()).map(|_| row()).collect()
}

/// The limit is what the release suppresses, sometimes one less.
fn random_suppressed(random: &mut Random, case: &mut Case) -> BTreeSet<usize> {
    let often = random.pick(&[3, 8, 1_000]);
    let suppressed: BTreeSet<usize> = (0..case.rows.len()).filter(|_| random.once_in(often)).collect();
    case.max_suppressed_rows = (suppressed.len() as u64).saturating_sub(u64::from(random.once_in(5)));
    suppressed
}

fn for_each_release(
    seeds: u64,
    most_rows: usize,
    named: bool,
    visit: impl Fn(&Divided<'_>, &mut Random, &str),
) {
    for seed in 0..seeds {
        let random = &mut Random::new(seed);
        let (attributes, rows) = (1 + random.index(3), 1 + random.index(most_rows));
        let mut case = Case::random_asking_of(random, attributes, rows);
        let suppressed = random_suppressed(random, &mut case);
        let case = if named { case.with_names() } else { case };
        let levels = random_levels(random, &case);
        let told = Told::new(&case);
        let problem = case.problem_over(told.table.clone(), "lm");
        let by_row = ByRow::new(&problem, &case, &levels, suppressed.clone());
        let (recoding, part_of) = by_row.encode(&told, random);
        let oracle = Oracle::new(&case);
        let released = oracle.look_at(levels, suppressed);
        let divided = Divided { oracle, released, release: recoding.apply(&problem), part_of };
        visit(&divided, random, &format!("case {seed}"));
    }
}

#[test]
fn tallies_and_measures_are_those_of_single_rows() {
    for_each_release(400, 40, true, |divided, _, context| {
        let Divided { oracle, released, release, .. } = divided;
        let (problem, tally) = (release.problem(), release.tally());
        assert_eq!(tally.suppressed_rows, released.suppressed.len() as u64, "{context}");
        assert_eq!(tally.sizes.classes, released.classes.len() as u64, "{context}");
        for measure in
            loss::measures().iter().filter(|measure| measure.name() != "level" && measure.name() != "cm")
        {
            let [value, expected] =
                [measure.measure(problem, &tally), oracle.measure(measure.name(), released)];
            assert!(is_close(value, expected), "{context}, {}: {value}, {expected}", measure.name());
        }
        let evaluation = release.evaluate(&tally);
        assert_eq!(evaluation.suppressed_rows, tally.suppressed_rows, "{context}");
        assert_degrees(&evaluation.degrees, &oracle.noted_degrees(released), context);
        assert_eq!(evaluation.admissible, oracle.is_safe(released), "{context}");
    });
}

/// Readers tell classes apart by labels, also where several values have the same.
#[test]
fn the_judge_sees_single_rows() {
    let verdicts = std::cell::RefCell::new([0; 2]);
    for named in [true, false] {
        for_each_release(400, 40, named, |divided, _, context| {
            let Divided { oracle, released, release, .. } = divided;
            let verdict = verify(release);
            verdicts.borrow_mut()[usize::from(matches!(verdict, Verdict::Safe(_)))] += 1;
            assert_verified(oracle, verdict, released, context);
        });
    }
    let verdicts = verdicts.into_inner();
    assert!(verdicts.iter().all(|&times| times >= 60), "{verdicts:?}");
}

/// The rows that are released, as text.
fn rows_of(divided: &Divided<'_>) -> Rows {
    let Divided { oracle, released, part_of, .. } = divided;
    let (case, leaves) = (oracle.case, oracle.case.encoded_rows());
    let left: Vec<usize> = (0..case.rows.len()).filter(|row| !released.suppressed.contains(row)).collect();
    let paths =
        |row: usize| leaves[row].iter().enumerate().map(|(a, &leaf)| path(case, a, leaf as usize)).collect();
    let texts = |row: usize| released.labels[row].iter().map(|&label| label.to_owned()).collect();
    Rows {
        tuple: left.iter().map(|&row| part_of[row]).collect(),
        originals: left.iter().map(|&row| paths(row)).collect(),
        released: left.iter().map(|&row| texts(row)).collect(),
    }
}

#[test]
fn crowds_are_those_of_single_rows() {
    for named in [true, false] {
        for_each_release(300, 7, named, |divided, _, context| {
            let rows = rows_of(divided);
            let graph = rows.graph();
            let matches = matches(&graph);
            let expected = rows.degrees(&graph, &matches);
            assert_eq!(degrees(&divided.release), expected, "{context}");
            let found = Consistency::new(&divided.release);
            for (notion, linked) in [(Notion::OneK, &graph), (Notion::GlobalOneK, &matches)] {
                let crowds = found.crowds(notion);
                for (row, &part) in rows.tuple.iter().enumerate() {
                    let expected = linked[row].iter().filter(|&&edge| edge).count() as u64;
                    assert_eq!(crowds[part], expected, "{context}, row {row}");
                }
            }
            assert_notions_judged(divided, &expected, context);
        });
    }
}

/// The judge asks for no more and no less than the degree of each notion.
fn assert_notions_judged(divided: &Divided<'_>, expected: &throng::consistency::Degrees, context: &str) {
    let Divided { released, release, .. } = divided;
    let mut problem = release.problem().clone();
    problem.max_suppressed_rows = released.suppressed.len() as u64;
    for notion in Notion::ALL {
        for k in 1..4 {
            problem.requirements = Requirement::crowd(notion, k).into();
            let verdict = verify(&release.recoding().apply(&problem));
            let holds = released.classes.is_empty() || expected.degree(notion) >= k;
            match verdict {
                Verdict::Safe(achieved) => {
                    assert!(holds, "{context}, {}", notion.name());
                    assert_eq!(
                        achieved.degrees,
                        [expected.degree(notion) as f64],
                        "{context}, {}",
                        notion.name()
                    );
                }
                Verdict::Unsafe(reason) => assert!(!holds, "{context}, {}: {reason}", notion.name()),
            }
        }
    }
}
