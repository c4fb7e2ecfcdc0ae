use super::*;
use crate::loss;
use crate::privacy::KAnonymity;
use crate::requirement::Requirement;
use crate::run::Unobserved;
use crate::table::Table;
use crate::taxonomy::Taxonomy;

fn problem(trees: &[&[&[&str]]], table: &[(&[u32], u32)], k: u64) -> Problem {
    let columns = (0..trees.len()).map(|a| table.iter().map(|(leaves, _)| leaves[a]).collect()).collect();
    let table = Table::new(columns, table.iter().map(|&(_, rows)| rows).collect());
    let attribute = |rows: &&[&[&str]]| ("a".to_owned(), Taxonomy::from_rows(rows).unwrap(), 1.0);
    let attributes = trees.iter().map(attribute).collect();
    Problem::new(table, attributes, Requirement::new(KAnonymity { k }), 0, loss::find("lm").unwrap()).unwrap()
}

/// Violating rows and all rows of the tables that are generated, the given one first, by each pass.
fn trace(problem: &Problem) -> [Vec<(u64, u64)>; 2] {
    let trees = Trees::new(problem);
    let counter = cut_counter(problem, &trees, &|| Ok(())).unwrap();
    let mut run = Run::new(problem, None, &Unobserved);
    let mut search = Search::new(&trees, &*counter, false);
    search.start(&mut run).unwrap();
    search.go_through(Grain::Attribute, &mut run).unwrap();
    let first = search.states.len();
    search.reopen();
    search.go_through(Grain::Value, &mut run).unwrap();
    let seen: Vec<(u64, u64)> =
        search.states.iter().map(|state| (state.look.violating, state.look.classes)).collect();
    [seen[..first].to_vec(), seen[first..].to_vec()]
}

/// Figures 4 and 5: the states in the order in which they are generated.
#[test]
fn the_search_tree_of_section_4_3() {
    let education: &[&[&str]] = &[
        &["9th", "High", "Secondary", "Any"],
        &["10th", "High", "Secondary", "Any"],
        &["12th", "High", "Secondary", "Any"],
    ];
    let sex: &[&[&str]] = &[&["M", "Any"], &["F", "Any"]];
    let hours: &[&[&str]] = &[&["30", "[1,40)", "[1,99)"], &["40", "[40,99)", "[1,99)"]];
    let table: [(&[u32], u32); 7] = [
        (&[1, 0, 1], 20),
        (&[1, 0, 0], 4),
        (&[0, 0, 0], 2),
        (&[0, 1, 0], 4),
        (&[0, 1, 1], 6),
        (&[2, 1, 0], 2),
        (&[2, 1, 1], 2),
    ];
    let given = (3, 7);
    let from_given = [(0, 4), (2, 6), (3, 7)];
    let from_t3 = [(0, 4), (2, 6), (1, 4)];
    // That on hours is T5 again.
    let from_t2 = [(0, 2)];
    let from_t5 = [(0, 2), (0, 3)];
    let tree = [&[given][..], &from_given, &from_t3, &from_t2, &from_t5].concat();
    let [first, second] = trace(&problem(&[education, sex, hours], &table, 4));
    assert_eq!(first, tree);
    assert_eq!(second, []);
}

/// Two rows that are best mended in different attributes: (a, x) by its sibling b, (c, z) by w beside z. To
/// generalise both rows on either attribute loses more.
#[test]
fn single_values_find_what_whole_attributes_miss() {
    let letters: &[&[&str]] = &[&["a", "ab", "*"], &["b", "ab", "*"], &["c", "cd", "*"], &["d", "cd", "*"]];
    let others: &[&[&str]] = &[&["x", "xy", "*"], &["y", "xy", "*"], &["z", "zw", "*"], &["w", "zw", "*"]];
    let table: [(&[u32], u32); 8] = [
        (&[0, 0], 1),
        (&[1, 0], 2),
        (&[2, 2], 1),
        (&[2, 3], 2),
        // What is lost if c and d, or x and y, go together.
        (&[2, 1], 2),
        (&[3, 1], 2),
        (&[3, 0], 2),
        (&[2, 0], 2),
    ];
    let [first, second] = trace(&problem(&[letters, others], &table, 2));
    let best = |states: &[(u64, u64)]| states.iter().filter(|state| state.0 == 0).map(|state| state.1).max();
    assert!(best(&second) > best(&first), "{first:?}, {second:?}");
}
