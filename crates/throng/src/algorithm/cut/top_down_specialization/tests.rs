use super::*;
use crate::loss;
use crate::privacy::KAnonymity;
use crate::requirement::Requirement;
use crate::run::Unobserved;
use crate::table::{Carried, Table};
use crate::taxonomy::{Taxonomy, ranges};

fn taxonomy(lines: &str) -> Taxonomy {
    let rows: Vec<Vec<&str>> = lines.split(", ").map(|line| line.split(' ').collect()).collect();
    Taxonomy::from_rows(&rows).unwrap()
}

/// The table of figure 13(a), with the trees of figure 12 as the text and figures 14 and 15 have them.
fn case_2() -> Problem {
    let education = "9th Junior Secondary Any, 10th Junior Secondary Any, 11th Senior Secondary Any, \
                     12th Senior Secondary Any, Bac Bac University Any, Mas Graduate University Any, \
                     Doc Graduate University Any";
    let hours = "30 [1-35) [1-37) [1-99), 32 [1-35) [1-37) [1-99), 35 [35-37) [1-37) [1-99), \
                 37 [37-99) [37-99) [1-99), 42 [37-99) [37-99) [1-99), 44 [37-99) [37-99) [1-99)";
    let taxonomies = [("Edu", education), ("Sex", "M Any, F Any"), ("Hrs", hours)];
    let columns = vec![
        vec![0, 1, 2, 3, 4, 4, 5, 5, 6],
        vec![0, 0, 0, 1, 1, 1, 0, 1, 1],
        vec![0, 1, 2, 3, 4, 5, 5, 5, 5],
    ];
    let labels: [&[(u32, u32)]; 9] = [
        &[(1, 3)],
        &[(1, 4)],
        &[(0, 2), (1, 3)],
        &[(0, 3), (1, 1)],
        &[(0, 4), (1, 2)],
        &[(0, 4)],
        &[(0, 4)],
        &[(0, 3)],
        &[(0, 1)],
    ];
    let table = Table::new(columns, vec![3, 4, 5, 4, 6, 4, 4, 3, 1])
        .with_carried(vec![Carried::new("class", 2, labels)]);
    let asked = vec![
        Requirement::new(KAnonymity { k: 4 }).over([0, 1]),
        Requirement::new(KAnonymity { k: 11 }).over([1, 2]),
    ];
    let attributes = taxonomies.map(|(name, lines)| (name.to_owned(), taxonomy(lines), 1.0));
    let lm = loss::find("lm").unwrap();
    Problem::new(table, attributes.to_vec(), asked, 0, lm).unwrap().with_target(0)
}

/// Labels of the values that are divided, in order.
fn steps(problem: &Problem, by_size: bool) -> Vec<String> {
    let mut run = Run::new(problem, None, &Unobserved);
    let mut search = Search::new(CutValues::top(problem, Description::Improved), &run).unwrap();
    search.by_size &= by_size;
    let mut divided = Vec::new();
    while let Some(slot) = search.next(&mut run).unwrap() {
        let of = &search.slots.all[slot as usize];
        let taxonomy = &problem.attributes()[of.attribute].taxonomy;
        divided.push(match &of.value {
            Closure::Value(value) => taxonomy.label(*value).to_owned(),
            Closure::Made(made) => taxonomy.describe(made).label,
        });
        search.divide(slot, &run).unwrap();
    }
    divided
}

/// Figure 14: hours, education, secondary, senior, university.
#[test]
fn the_steps_of_figure_14() {
    let problem = case_2();
    for by_size in [true, false] {
        assert_eq!(steps(&problem, by_size), ["[1-99)", "Any", "Secondary", "Senior", "University"]);
    }
}

/// Hours without a tree: what tells A from B best is a cut between 35 and 37 (figure 14's 37), and no part
/// of fewer than 11 rows may be cut off after that.
#[test]
fn numbers_are_cut_where_the_gain_is_highest() {
    let with_tree = case_2();
    let hours = ranges(&["30", "32", "35", "37", "42", "44"], None).unwrap();
    let attributes = with_tree.attributes().iter().map(|of| (of.name.clone(), of.taxonomy.clone(), 1.0));
    let mut attributes: Vec<(String, Taxonomy, f64)> = attributes.collect();
    attributes[2].1 = hours;
    let (table, asked) = (with_tree.table().clone(), with_tree.requirements.clone());
    let problem = Problem::new(table, attributes, asked, 0, with_tree.objective).unwrap().with_target(0);
    assert_eq!(steps(&problem, true), ["*", "Any", "Secondary", "Senior", "University"]);
    let solution = crate::solve::solve(&problem, &ENTRY, None, &Unobserved);
    let release = solution.outcome.recoding().unwrap().apply(&problem);
    let shown: Vec<&str> = (0..9).map(|tuple| release.label(2, release.value(tuple, 2))).collect();
    assert_eq!(shown, ["30~35", "30~35", "30~35", "37~44", "37~44", "37~44", "37~44", "37~44", "37~44"]);
}
