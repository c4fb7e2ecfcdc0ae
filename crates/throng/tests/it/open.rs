//! Every local algorithm on random tables without hierarchies: numbers that become ranges, text that
//! becomes sets, codes that become prefixes. Releases are read as text and judged by that alone.

use std::collections::BTreeMap;

use throng::algorithm::Settings;
use throng::loss::{self, Kind};
use throng::notion::Notion;
use throng::privacy::KAnonymity;
use throng::problem::Problem;
use throng::random::Random;
use throng::release::Release;
use throng::requirement::Requirement;
use throng::run::Unobserved;
use throng::solve::{Outcome, solve};
use throng::table::Table;
use throng::taxonomy::{Taxonomy, prefixes, ranges, sets};
use throng::verify::{Verdict, verify};

use crate::local::{local, told};
use crate::oracle::is_close;

const CASES: u64 = 60;

/// Most members of a set.
const MOST: usize = 3;

/// What a column is generalised to.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Range,
    Set,
    Prefix,
}

/// A table of text.
struct Case {
    ways: Vec<Way>,
    rows: Vec<Vec<String>>,
    k: u64,
}

impl Case {
    fn random(seed: u64) -> Case {
        let mut random = Random::new(seed);
        let ways: Vec<Way> =
            (0..1 + random.index(4)).map(|_| random.pick(&[Way::Range, Way::Set, Way::Prefix])).collect();
        let rows = random.pick(&[1, 5, 20, 40]) + random.index(10);
        let with_missing = random.once_in(2);
        let sizes: Vec<usize> = ways.iter().map(|_| random.pick(&[1, 2, 5, 9, 80])).collect();
        let mut cell = |way: Way, size: usize| {
            let at = random.skewed_index(size) as i64;
            match way {
                _ if with_missing && random.once_in(6) => String::new(),
                Way::Range => format!("{}.{}", at * at - 5, at % 2 * 5),
                Way::Set => format!("v{at}"),
                Way::Prefix => format!("{:03}", at * 37),
            }
        };
        let rows = (0..rows).map(|_| ways.iter().zip(&sizes).map(|(&way, &size)| cell(way, size)).collect());
        let rows = rows.collect();
        Case { ways, rows, k: 2 + random.index(4) as u64 }
    }

    fn column(&self, a: usize) -> Vec<&str> {
        self.rows.iter().map(|row| row[a].as_str()).collect()
    }

    fn problem(&self, objective: &str) -> Problem {
        let taxonomies: Vec<Taxonomy> = (0..self.ways.len())
            .map(|a| match self.ways[a] {
                Way::Range => ranges(&self.column(a), None).expect("numbers"),
                Way::Set => sets(&self.column(a), MOST as u32).expect("text"),
                Way::Prefix => prefixes(&self.column(a)).expect("codes"),
            })
            .collect();
        let leaf = |(text, taxonomy): (&String, &Taxonomy)| {
            (0..taxonomy.leaf_total() as u32).find(|&leaf| taxonomy.label(leaf) == text).expect("a leaf")
        };
        let rows: Vec<Vec<u32>> =
            self.rows.iter().map(|row| row.iter().zip(&taxonomies).map(leaf).collect()).collect();
        let table = Table::from_rows(taxonomies.len(), &rows);
        let attributes = taxonomies.into_iter().enumerate().map(|(a, t)| (format!("column {a}"), t, 1.0));
        let requirement = Requirement::new(KAnonymity { k: self.k });
        let objective = loss::find(objective).expect("registered");
        Problem::new(table, attributes.collect(), requirement, 0, objective).expect("valid")
    }

    /// The distinct values of a column that a label stands for, by its text.
    fn stands_for(&self, a: usize, label: &str) -> Vec<&str> {
        let mut domain = self.column(a);
        domain.sort_unstable();
        domain.dedup();
        let number = |text: &str| text.parse::<f64>().ok();
        domain.retain(|&value| match self.ways[a] {
            _ if label == "*" || label == value => true,
            Way::Range => label.split_once('~').is_some_and(|(low, high)| {
                let at = number(value);
                at.is_some() && number(low) <= at && at <= number(high)
            }),
            Way::Set => {
                let member = if value.is_empty() { "\"\"" } else { value };
                let inner = label.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
                inner.is_some_and(|inner| inner.split(", ").any(|at| at == member))
            }
            Way::Prefix => {
                !value.is_empty() && label.ends_with('*') && value.starts_with(label.trim_end_matches('*'))
            }
        });
        domain
    }
}

/// A row of text and what is released for it, for every row of a release.
fn read(release: &Release) -> Vec<(Vec<String>, Vec<String>)> {
    let attributes = release.problem().attributes();
    let mut rows = Vec::new();
    for part in 0..release.parts() {
        let labels = |of: &dyn Fn(usize) -> String| (0..attributes.len()).map(of).collect::<Vec<String>>();
        let original = labels(&|a| attributes[a].taxonomy.label(release.leaf(part, a)).to_owned());
        let released = labels(&|a| release.label(a, release.value(part, a)).to_owned());
        rows.extend(std::iter::repeat_n((original, released), release.rows(part) as usize));
    }
    rows
}

/// The values that each label of a release stands for, by column.
type Meanings<'c> = BTreeMap<(usize, String), Vec<&'c str>>;

fn meanings<'c>(case: &'c Case, rows: &[(Vec<String>, Vec<String>)]) -> Meanings<'c> {
    let mut meanings = Meanings::new();
    for (a, label) in rows.iter().flat_map(|(_, released)| released.iter().enumerate()) {
        meanings.entry((a, label.clone())).or_insert_with(|| case.stands_for(a, label));
    }
    meanings
}

/// Fewest original rows that are consistent with a released one, fewest released rows consistent
/// with an original one, and rows in the smallest class.
fn degrees(rows: &[(Vec<String>, Vec<String>)], meanings: &Meanings<'_>) -> (u64, u64, u64) {
    let means = |(_, released): &(Vec<String>, Vec<String>)| {
        let cells = released.iter().enumerate();
        cells.map(|(a, label)| meanings[&(a, label.clone())].as_slice()).collect::<Vec<&[&str]>>()
    };
    let released: Vec<Vec<&[&str]>> = rows.iter().map(means).collect();
    let consistent = |i: usize, j: usize| {
        rows[i].0.iter().zip(&released[j]).all(|(value, leaves)| leaves.contains(&value.as_str()))
    };
    let all = 0..rows.len();
    assert!(all.clone().all(|row| consistent(row, row)), "some value does not cover");
    let of_released = |j: usize| all.clone().filter(|&i| consistent(i, j)).count() as u64;
    let of_original = |i: usize| all.clone().filter(|&j| consistent(i, j)).count() as u64;
    let class = |i: usize| rows.iter().filter(|row| row.1 == rows[i].1).count() as u64;
    let least = |of: &dyn Fn(usize) -> u64| all.clone().map(of).min().unwrap_or(0);
    (least(&of_released), least(&of_original), least(&class))
}

/// What the cells of a column with a label lose by a measure; none if it is not known here.
fn cell_loss(
    name: &str,
    case: &Case,
    a: usize,
    leaves: &[&str],
    rows: &[(Vec<String>, Vec<String>)],
) -> Option<f64> {
    let all = case.stands_for(a, "*");
    let (n, domain) = (leaves.len() as f64, all.len() as f64);
    let span = |values: &[&str]| {
        let numbers: Vec<f64> = values.iter().filter_map(|value| value.parse().ok()).collect();
        let most = numbers.iter().copied().reduce(f64::max)?;
        Some(most - numbers.iter().copied().reduce(f64::min)?)
    };
    let count = |leaf: &&str| rows.iter().filter(|row| row.0[a] == **leaf).count() as f64;
    Some(match name {
        "lm" | "glm" => (n - 1.0) / (domain - 1.0).max(1.0),
        "iloss" => (n - 1.0) / domain,
        "md" => f64::from(n > 1.0),
        "entropy" => {
            let counts: Vec<f64> = leaves.iter().map(count).collect();
            let total: f64 = counts.iter().sum();
            counts.iter().map(|count| -count / total * (count / total).log2()).sum()
        }
        "ncp" if case.ways[a] == Way::Range => {
            let of_numbers = match (span(leaves), span(&all)) {
                (Some(part), Some(whole)) if whole > 0.0 => part / whole,
                _ => 0.0,
            };
            let has_missing = n > 1.0 && leaves.iter().any(|leaf| leaf.is_empty());
            if has_missing { of_numbers.max(n / domain) } else { of_numbers }
        }
        "ncp" if n == 1.0 => 0.0,
        "ncp" => n / domain,
        _ => return None,
    })
}

/// A measure of a release from the labels of its rows.
fn measure(
    name: &str,
    case: &Case,
    rows: &[(Vec<String>, Vec<String>)],
    meanings: &Meanings<'_>,
) -> Option<f64> {
    let mut sum = 0.0;
    for ((a, label), leaves) in meanings {
        let cells = rows.iter().filter(|row| row.1[*a] == *label).count() as f64;
        sum += cells * cell_loss(name, case, *a, leaves, rows)?;
    }
    let cells = (rows.len() * case.ways.len()) as f64;
    Some(if ["lm", "entropy", "ncp"].contains(&name) { sum / cells } else { sum })
}

fn settings(seed: u64) -> Settings {
    let distance = ["1", "2", "3", "4", "nergiz-clifton"][(seed % 5) as usize];
    let block_rows = seed.is_multiple_of(4).then_some(6 + seed % 11);
    told(distance, seed.is_multiple_of(2), block_rows)
}

fn judge(case: &Case, problem: &Problem, release: &Release, context: &str) {
    let Verdict::Safe(achieved) = verify(release) else { panic!("{context}: refused by verify") };
    let rows = read(release);
    let meanings = meanings(case, &rows);
    let (k_one, one_k, k) = degrees(&rows, &meanings);
    let need = case.k;
    assert!((achieved.degrees[0] as u64) >= need && achieved.k == k, "{context}");
    match problem.requirements.notion() {
        Notion::K => assert_eq!((achieved.degrees[0] as u64), k, "{context}"),
        Notion::OneK => assert_eq!((achieved.degrees[0] as u64), one_k, "{context}"),
        Notion::GlobalOneK => assert!((achieved.degrees[0] as u64) <= one_k, "{context}"),
        Notion::KOne => assert_eq!((achieved.degrees[0] as u64), k_one, "{context}"),
        Notion::KK => assert_eq!((achieved.degrees[0] as u64), one_k.min(k_one), "{context}"),
    }
    let tally = release.tally();
    for loss in loss::measures().iter().filter(|loss| matches!(loss.kind(), Kind::Cells(_))) {
        let found = loss.measure(problem, &tally);
        if let Some(expected) = measure(loss.name(), case, &rows, &meanings) {
            assert!(is_close(found, expected), "{context}, {}: {found} instead of {expected}", loss.name());
        }
    }
}

#[test]
fn releases_have_the_notion_asked_for_and_lose_what_their_labels_say() {
    let (mut found, mut made) = (0, 0);
    for seed in 0..CASES {
        let case = Case::random(seed);
        let mut problem = case.problem(["lm", "entropy", "ncp", "iloss"][(seed % 4) as usize]);
        problem.settings = settings(seed);
        for entry in local() {
            for &notion in entry.notions {
                problem.requirements = Requirement::crowd(notion, problem.requirements.k()).into();
                let context = format!("case {seed}, {} for {}", entry.name, notion.text());
                match solve(&problem, entry, None, &Unobserved).outcome {
                    Outcome::Found(recoding) => {
                        let release = recoding.apply(&problem);
                        judge(&case, &problem, &release, &context);
                        found += 1;
                        made += usize::from((0..case.ways.len()).any(|a| !release.made(a).is_empty()));
                    }
                    Outcome::Infeasible { .. } => {
                        assert!((case.rows.len() as u64) < case.k, "{context}");
                    }
                    stopped => panic!("{context}: {stopped:?}"),
                }
            }
        }
    }
    assert!(made * 2 > found, "{made} of {found} releases have ranges or sets");
}

/// A range has all numbers between its ends, whatever their spelling, and one number is no range.
fn judge_spellings(release: &Release, context: &str) {
    assert!(matches!(verify(release), Verdict::Safe(_)), "{context}: refused by verify");
    let number = |text: &str| text.parse::<f64>().expect("a number");
    for (a, attribute) in release.problem().attributes().iter().enumerate() {
        let taxonomy = &attribute.taxonomy;
        for (made, id) in release.made(a).iter().zip(taxonomy.values().len() as u32..) {
            let label = release.label(a, id);
            let (low, high) = label.split_once('~').unwrap_or((label, label));
            assert!(number(low) < number(high) || low == label, "{context}: {label}");
            for leaf in 0..taxonomy.leaf_total() as u32 {
                let between = (number(low)..=number(high)).contains(&number(taxonomy.label(leaf)));
                assert_eq!(made.contains(leaf), between, "{context}: {label}");
            }
        }
    }
}

#[test]
fn equal_numbers_are_covered_however_they_are_spelled() {
    for seed in 0..CASES / 3 {
        let mut random = Random::new(seed);
        let mut cell = || format!("{}{}", random.index(12), random.pick(&["", ".0", ".00"]));
        let rows = (0..30).map(|_| vec![cell(), cell()]).collect();
        let case = Case { ways: vec![Way::Range; 2], rows, k: 3 };
        let mut problem = case.problem(["ncp", "lm"][(seed % 2) as usize]);
        problem.settings = settings(seed);
        for entry in local() {
            for &notion in entry.notions {
                problem.requirements = Requirement::crowd(notion, problem.requirements.k()).into();
                let context = format!("case {seed}, {} for {}", entry.name, notion.text());
                let outcome = solve(&problem, entry, None, &Unobserved).outcome;
                let Outcome::Found(recoding) = outcome else { panic!("{context}: no release") };
                judge_spellings(&recoding.apply(&problem), &context);
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let pools = [1, 2, 4].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("a pool"));
    for seed in 0..CASES / 3 {
        let case = Case::random(seed);
        let mut problem = case.problem(["lm", "entropy"][(seed % 2) as usize]);
        problem.settings = settings(seed);
        for entry in local() {
            problem.requirements =
                Requirement::crowd(*entry.notions.last().expect("a notion"), problem.requirements.k()).into();
            let solutions: Vec<_> =
                pools.iter().map(|pool| pool.install(|| solve(&problem, entry, None, &Unobserved))).collect();
            assert!(solutions.windows(2).all(|pair| pair[0] == pair[1]), "case {seed}, {}", entry.name);
        }
    }
}
