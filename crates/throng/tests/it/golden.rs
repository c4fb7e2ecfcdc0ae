//! Results worked out by hand.

use throng::algorithm;
use throng::lattice::{Lattice, Node};
use throng::loss;
use throng::privacy::KAnonymity;
use throng::problem::Problem;
use throng::recoding::Recoding;
use throng::requirement::Requirement;
use throng::run::Unobserved;
use throng::solve::{Outcome, Solution, solve};
use throng::table::Table;
use throng::taxonomy::{self, MaskSide, Taxonomy};

use crate::case::Case;
use crate::oracle::is_close;

fn search(case: &Case, algorithm: &str, measure: &str) -> Solution {
    solve(&case.problem(measure), algorithm::find(algorithm).expect("registered"), None, &Unobserved)
}

/// The levels that an algorithm finds for `lm`.
fn found(case: &Case, algorithm: &str) -> Vec<u16> {
    match search(case, algorithm, "lm").outcome {
        Outcome::Found(Recoding::FullDomain(node)) => node.levels().to_vec(),
        other => panic!("{algorithm}: {other:?}"),
    }
}

/// A measure of the release of a node.
fn measured(case: &Case, levels: &[u16], measure: &str) -> f64 {
    let problem = case.problem(measure);
    let release = Recoding::FullDomain(Node::new(levels.to_vec())).apply(&problem);
    problem.objective.measure(&problem, &release.tally())
}

const RACE: &str = "asian person, black person, white person";
const ZIP: &str = "02138 0213* 021**, 02139 0213* 021**, 02141 0214* 021**, 02142 0214* 021**";

/// Every race in every ZIP code once, in the manner of Samarati and Sweeney.
///
/// Sizes of the classes: (0,0) 1, (1,0) 3, (0,1) 2, (1,1) 6, (0,2) 4, (1,2) 12.
fn race_and_zip(k: u64) -> Case {
    let races = ["asian", "black", "white"];
    let rows =
        races.map(|race| ["02138", "02139", "02141", "02142"].map(|zip| format!("{race} {zip}")).join(","));
    Case::new(&[RACE, ZIP], &rows.join(","), k, 0)
}

#[test]
fn race_and_zip_with_two_of_a_kind() {
    // (1,0) and (0,1) are minimal. lm of (0,1): race 0, ZIP 1/3, hence 1/6; of (1,0): 1/2.
    let case = race_and_zip(2);
    for algorithm in ["samarati", "flash", "ola", "incognito", "exhaustive"] {
        assert_eq!(found(&case, algorithm), [0, 1], "{algorithm}");
    }
    assert!(is_close(measured(&case, &[0, 1], "lm"), 1.0 / 6.0));
    // Four ZIP codes are more than three races.
    assert_eq!(found(&case, "datafly"), [0, 1]);
    // 3 beats 2, whatever it costs.
    assert_eq!(found(&case, "improved-greedy"), [1, 0]);
}

#[test]
fn race_and_zip_with_four_of_a_kind() {
    // Of height 2, (0,2) has classes of 4 at lm 1/2, (1,1) classes of 6 at lm 2/3.
    let case = race_and_zip(4);
    for algorithm in ["samarati", "flash", "ola", "incognito", "exhaustive"] {
        assert_eq!(found(&case, algorithm), [0, 2], "{algorithm}");
    }
    // ZIP first (4 > 3); then there are two areas, so race.
    assert_eq!(found(&case, "datafly"), [1, 1]);
    // Race first (3 > 2), then ZIP, the only one left.
    assert_eq!(found(&case, "improved-greedy"), [1, 1]);
}

#[test]
fn race_and_zip_cannot_have_thirteen_of_a_kind() {
    for entry in crate::full_domain() {
        let solution = search(&race_and_zip(13), entry.name, "lm");
        assert_eq!(solution.outcome, Outcome::Infeasible { reach: vec![12.0] }, "{}", entry.name);
        assert_eq!((solution.optimal, solution.lattice_nodes), (false, 6));
    }
}

#[test]
fn a_tie_in_anonymity_goes_to_the_most_distinct_values() {
    // Either attribute alone gives anonymity 2: three pairs, or a group of 4 and a pair. The
    // second has three values, the first two. The two that do not occur do not count.
    let first = "a *, b *, c *, d *";
    let second = "x *, y *, z *";
    let case = Case::new(&[first, second], "b x, b y, a x, a y, a z, a z", 2, 0);
    assert_eq!(found(&case, "improved-greedy"), [0, 1]);
    assert_eq!(found(&case, "datafly"), [0, 1]);
}

#[test]
fn distinct_values_are_those_of_the_table_as_generalised_so_far() {
    // The first attribute has four values, then two; the second always three. Each pair of
    // values occurs once, so with the first at level 1 classes have 2 rows, and at k = 5
    // Datafly must go on: with the second (3 > 2), not the first (4 > 3).
    let first = "a ab *, b ab *, c cd *, d cd *";
    let second = "x *, y *, z *";
    let rows = ["a", "b", "c", "d"].map(|v| format!("{v} x, {v} y, {v} z")).join(",");
    assert_eq!(found(&Case::new(&[first, second], &rows, 5, 0), "datafly"), [1, 1]);
}

#[test]
fn a_tie_in_distinct_values_goes_to_the_first_column() {
    let (letters, figures) = ("a *, b *", "1 *, 2 *");
    for (hierarchies, rows) in
        [([letters, figures], "a 1, a 2, b 1, b 2"), ([figures, letters], "1 a, 2 a, 1 b, 2 b")]
    {
        let case = Case::new(&hierarchies, rows, 2, 0);
        assert_eq!(found(&case, "improved-greedy"), [1, 0]);
        assert_eq!(found(&case, "datafly"), [1, 0]);
    }
}

/// Two rows of p, one of r, one of s.
fn two_loners(max_suppressed_rows: u64) -> Case {
    Case::new(&["p pq *, q pq *, r rs *, s rs *"], "p, p, r, s", 2, max_suppressed_rows)
}

#[test]
fn the_optimum_may_lie_above_every_minimal_node() {
    // The raw table may be released without r and s, which costs 2/4. It is the only minimal
    // node. But in pairs all four rows stay, at 1/3 each.
    let case = two_loners(2);
    assert!(is_close(measured(&case, &[0], "lm"), 1.0 / 2.0));
    assert!(is_close(measured(&case, &[1], "lm"), 1.0 / 3.0));
    assert!(is_close(measured(&case, &[2], "lm"), 1.0));
    for algorithm in ["flash", "ola", "incognito", "exhaustive"] {
        assert_eq!(found(&case, algorithm), [1], "{algorithm}");
    }
    assert_eq!(found(&case, "samarati"), [0], "the least height, by definition");
}

#[test]
fn generalising_more_may_cost_less_entropy() {
    // Level 1 leaves one bit open of a and b, and 0 of c, of which there are fourteen more.
    // At the top the frequent c makes a and b less uncertain, but every row is uncertain:
    // H = 2 · 1/16 · 4 + 14/16 · log2(16/14) = 0.6686 bits instead of 2/16.
    let rows = format!("a, b, {}", ["c"; 14].join(","));
    let case = Case::new(&["a ab *, b ab *, c c *"], &rows, 2, 16);
    let top = 0.5 + 14.0 / 16.0 * (16.0f64 / 14.0).log2();
    assert!(is_close(measured(&case, &[1], "entropy"), 2.0 / 16.0));
    assert!(is_close(measured(&case, &[2], "entropy"), top));
    // Suppressing a and b leaves the bits of the whole domain open for two rows only.
    assert!(is_close(measured(&case, &[0], "entropy"), top * 2.0 / 16.0));
    let solution = search(&case, "flash", "entropy");
    assert_eq!(solution.outcome, Outcome::Found(Recoding::FullDomain(Node::new(vec![0]))));
}

#[test]
fn every_measure_of_a_small_release() {
    // p, p released; r, s suppressed. The domain has four leaves; H = 1.5 bits.
    let expected = [
        ("iloss", 2.0 * 3.0 / 4.0),
        ("lm", 0.5),
        ("entropy", 2.0 * 1.5 / 4.0),
        // Suppressed ones stand for all rows.
        ("monotone_entropy", 2.0 * 1.0 * 1.5 / 4.0),
        // Both had a value that one row of four has.
        ("non_uniform_entropy", 2.0 * 2.0 / 4.0),
        ("ncp", 0.5),
        ("prec", 0.5),
        ("tree", 0.5),
        ("dm", 4.0 + 2.0 * 4.0),
        ("md", 2.0),
        ("glm", 2.0),
        ("aecs", 4.0 / (1.0 * 2.0)),
        // Of the two that are released, one has the other label.
        ("cm", 3.0 / 4.0),
        ("level", 0.0),
        ("classes", 1.0),
        ("smallest_class", 2.0),
        ("mean_class", 2.0),
        ("largest_class", 2.0),
    ];
    assert_eq!(
        expected.map(|(name, _)| name),
        *loss::measures().iter().map(|m| m.name()).collect::<Vec<_>>()
    );
    for (name, value) in expected {
        let measure = measured(&two_loners(2).with_labels("yes no yes yes"), &[0], name);
        assert!(is_close(measure, value), "{name}: {measure} instead of {value}");
    }
}

/// Proposition 1 of the Improved Greedy paper, with the heights of its two tables.
#[test]
fn the_lattice_has_the_product_of_heights_plus_one_nodes() {
    for (heights, size) in [(vec![3, 2, 2, 2, 2, 1, 1, 3], 5_184), (vec![4, 3, 4, 4, 3], 2_000)] {
        let lattice = Lattice::new(&heights);
        assert_eq!(lattice.size(), size);
        // The number of nodes at each height: the coefficients of eq. 4, of which the middle
        // one is the largest (lemma 1).
        let by_height: Vec<usize> =
            (0..=heights.iter().sum()).map(|h| lattice.at_height(h).count()).collect();
        assert_eq!(by_height, coefficients(&heights));
        assert_eq!(by_height.iter().sum::<usize>() as u128, size);
        assert_eq!(by_height.iter().max(), Some(&by_height[by_height.len() / 2]));
    }
}

/// The coefficients of the product of 1 + x + … + x^h over the heights.
fn coefficients(heights: &[usize]) -> Vec<usize> {
    heights.iter().fold(vec![1], |product, &height| {
        let mut next = vec![0; product.len() + height];
        for (i, coefficient) in product.iter().enumerate() {
            next[i..=i + height].iter_mut().for_each(|sum| *sum += coefficient);
        }
        next
    })
}

/// The released labels of a table without hierarchies, tuple by tuple; k = 2.
fn released(algorithm: &str, attributes: Vec<(&str, Taxonomy)>, rows: &[&[&str]]) -> Vec<String> {
    let leaf = |(cell, (_, taxonomy)): (&&str, &(&str, Taxonomy))| {
        (0..taxonomy.leaf_total() as u32).find(|&leaf| taxonomy.label(leaf) == *cell).expect("a leaf")
    };
    let columns =
        (0..attributes.len()).map(|a| rows.iter().map(|row| leaf((&row[a], &attributes[a]))).collect());
    let table = Table::new(columns.collect(), vec![1; rows.len()]);
    let attributes =
        attributes.into_iter().map(|(name, taxonomy)| (name.to_owned(), taxonomy, 1.0)).collect();
    let requirement = Requirement::new(KAnonymity { k: 2 });
    let problem = Problem::new(table, attributes, requirement, 0, loss::find("ncp").expect("registered"));
    let problem = problem.expect("valid");
    let entry = algorithm::find(algorithm).expect("registered");
    let Outcome::Found(recoding) = solve(&problem, entry, None, &Unobserved).outcome else {
        panic!("{algorithm}: feasible")
    };
    let release = recoding.apply(&problem);
    let attributes = 0..problem.attributes().len();
    let record = |tuple: usize| {
        let labels = attributes.clone().map(|a| release.label(a, release.value(tuple, a)).to_owned());
        labels.collect::<Vec<_>>().join(" ")
    };
    (0..rows.len()).map(record).collect()
}

/// Tables 1(a) and 2 of the SpatialDistance paper.
#[test]
fn patients_by_range_of_age_and_prefix_of_zip() {
    let rows: [&[&str]; 4] = [&["25", "22370"], &["35", "22410"], &["40", "55490"], &["45", "55410"]];
    for algorithm in ["spatial-distance", "mondrian"] {
        let ages = taxonomy::ranges(&["25", "35", "40", "45"], None).expect("numbers");
        let zips = ["22370", "22410", "55490", "55410"];
        let zips = taxonomy::mask(&zips, MaskSide::Right).expect("codes");
        let records = released(algorithm, vec![("age", ages), ("zip", zips)], &rows);
        assert_eq!(records, ["25~35 22***", "25~35 22***", "40~45 554**", "40~45 554**"], "{algorithm}");
    }
}

/// The example of the Mondrian paper, cut first by sex: of attributes as wide the first.
#[test]
fn patients_by_strict_multidimensional_parts() {
    let rows: [&[&str]; 6] = [
        &["Male", "25", "53711"],
        &["Female", "25", "53712"],
        &["Male", "26", "53711"],
        &["Male", "27", "53710"],
        &["Female", "27", "53712"],
        &["Male", "28", "53711"],
    ];
    let sexes = taxonomy::sets(&["Male", "Female"], 2).expect("text");
    let ages = taxonomy::ranges(&["25", "26", "27", "28"], None).expect("numbers");
    let zips = taxonomy::ranges(&["53710", "53711", "53712"], None).expect("numbers");
    let records = released("mondrian", vec![("sex", sexes), ("age", ages), ("zip", zips)], &rows);
    let [young, women, old] = ["Male 25~26 53711", "Female 25~27 53712", "Male 27~28 53710~53711"];
    assert_eq!(records, [young, women, young, old, women, old]);
}

/// A thousand rows of 9 and one of -5 at k = 2: two rows need be generalised, not all.
#[test]
fn one_row_takes_one_of_a_thousand_with_it() {
    let flat = Taxonomy::flat(&["9", "-5"]).expect("distinct");
    let table = Table::new(vec![vec![0, 1]], vec![1_000, 1]);
    let lm = loss::find("lm").expect("registered");
    let k = Requirement::new(KAnonymity { k: 2 });
    let problem = Problem::new(table, vec![("x".into(), flat, 1.0)], k, 0, lm).expect("valid");
    for algorithm in ["agglomerative", "forest", "sequential", "mondrian", "spatial-distance"] {
        let entry = algorithm::find(algorithm).expect("registered");
        let outcome = solve(&problem, entry, None, &Unobserved).outcome;
        let tally = outcome.recoding().expect("feasible").apply(&problem).tally();
        assert_eq!(tally.cells[0], [999, 0, 2], "{algorithm}");
    }
}
