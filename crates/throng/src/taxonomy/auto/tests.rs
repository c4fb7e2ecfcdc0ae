use proptest::prelude::*;

use super::*;
use crate::taxonomy::tests::{assert_topped, level_labels};
use crate::taxonomy::{parse, to_text};

fn iso() -> Shape {
    Shape::Dates { formats: vec![None, Some("%d/%m/%Y".to_owned())] }
}

fn shapes() -> Vec<Shape> {
    let mixed = Shape::Mixed { formats: vec![Some("%d/%m/%Y".to_owned()), None] };
    vec![Shape::Numbers, iso(), mixed, Shape::Characters, Shape::Categories]
}

/// Checks all that [`Auto`] promises.
fn assert_sound(values: &[String], taxonomy: &Taxonomy, max_levels: usize) {
    assert_topped(taxonomy);
    assert!(taxonomy.height() <= max_levels + 1);
    let mut leaves = level_labels(taxonomy, 0);
    let mut expected: Vec<&str> = values.iter().map(String::as_str).collect();
    leaves.sort_unstable();
    expected.sort_unstable();
    assert_eq!(leaves, expected);
    let read = parse(&to_text(taxonomy)).unwrap();
    assert_eq!(&read.to_rows(), &taxonomy.to_rows());
    // Other dates than those of ISO 8601 are text in a file.
    assert!(read == *taxonomy || taxonomy.extent().is_some() && read.extent().is_none());
    assert_told_apart(taxonomy);
}

/// A label means one set of leaves, or sets of which one holds the other; and `*` says nothing.
fn assert_told_apart(taxonomy: &Taxonomy) {
    let values = taxonomy.values();
    for (a, value) in values.iter().enumerate() {
        for (b, other) in values.iter().enumerate().take(a) {
            if value.label == other.label {
                assert!(taxonomy.covers(a as u32, b as u32), "{:?}", value.label);
            }
        }
        assert!(value.label != ANY || a as u32 == taxonomy.root() || a < taxonomy.leaf_total());
    }
}

#[test]
fn numbers_and_words_are_strands_of_their_own() {
    let values = ["5", "12", "", "18", "n/a", "23", "31", "NaN", "44", "?"];
    let taxonomy = Auto::new(Shape::Numbers, &[3, 3, 1, 3, 1, 3, 3, 1, 3, 1]).build(&values).unwrap();
    assert_topped(&taxonomy);
    let row = |leaf: &str| taxonomy.to_rows().into_iter().find(|row| row[0] == leaf).unwrap();
    assert_eq!(row("5")[1..], ["<10", "<20", "*"]);
    assert_eq!(row("n/a")[1..], ["n/a", "{?, NaN, n/a}", "*"]);
    assert_eq!(row("")[1..], ["", "", "*"]);
    assert_eq!(taxonomy.extent(), None, "words have no place among numbers");
}

#[test]
fn dates_in_two_spellings_share_a_calendar() {
    let values = ["2020-01-05", "06/01/2020", "2021-07-01", "15/07/2021", "soon"];
    let taxonomy = Auto::new(iso(), &[1; 5]).build(&values).unwrap();
    assert_topped(&taxonomy);
    assert_eq!(level_labels(&taxonomy, 1), ["2020-01", "2020-01", "2021-07", "2021-07", "soon"]);
}

#[test]
fn dates_have_places() {
    let values = ["1970-01-03", "", "1970-01-01"];
    let taxonomy = Auto::new(iso(), &[1; 3]).build(&values).unwrap();
    assert_topped(&taxonomy);
    assert_eq!(taxonomy.extent().map(|extent| (extent.min, extent.max)), Some((0.0, 2.0)));
}

#[test]
fn a_file_has_the_extents_of_what_was_built() {
    let days: Vec<String> =
        (0..60).map(|i| format!("20{:02}-{:02}-{:02}", i % 20, 1 + i % 12, 1 + i % 28)).collect();
    let times: Vec<String> =
        (0..60).map(|i| format!("2024-03-{:02}T10:00:00+0{}:00", 1 + i % 28, i % 9)).collect();
    let zips: Vec<String> = (0..60).map(|i| format!("{:05}", 1_000 + i * 37)).collect();
    let long: Vec<String> = (0..60).map(|i| (9_007_199_254_740_993_i64 + i * 7).to_string()).collect();
    for (shape, values) in [(iso(), days), (iso(), times), (Shape::Characters, zips), (Shape::Numbers, long)]
    {
        let taxonomy = Auto::new(shape.clone(), &vec![1; values.len()]).build(&values).unwrap();
        assert_eq!(taxonomy.extent().is_some(), shape != Shape::Characters);
        assert_eq!(parse(&to_text(&taxonomy)).unwrap(), taxonomy);
    }
}

/// Whole numbers that are not all doubles.
#[test]
fn long_numbers_lie_in_the_ranges_that_labels_show() {
    let values: Vec<String> = (0..40).map(|i| (9_007_199_254_740_990_i64 + i).to_string()).collect();
    let taxonomy = Auto::new(Shape::Numbers, &[1; 40]).build(&values).unwrap();
    for row in taxonomy.to_rows() {
        let number: i64 = row[0].parse().unwrap();
        for label in &row[1..row.len() - 1] {
            let holds = match (label.strip_prefix('<'), label.strip_prefix(">="), label.split_once('-')) {
                (Some(high), ..) => number < high.parse().unwrap(),
                (_, Some(low), _) => number >= low.parse().unwrap(),
                (_, _, Some((low, high))) => (low.parse().unwrap()..=high.parse().unwrap()).contains(&number),
                _ => *label == row[0],
            };
            assert!(holds, "{number} in {label}");
        }
    }
}

#[test]
fn odd_columns_have_hierarchies() {
    for shape in shapes() {
        for values in [&[""][..], &["x"], &["7"], &["", "*"], &["*", "**", "a"], &[" ", "\t", "\n", ";\""]] {
            let values: Vec<String> = values.iter().map(|value| value.to_string()).collect();
            let rows = vec![1; values.len()];
            assert_sound(&values, &Auto::new(shape.clone(), &rows).build(&values).unwrap(), Auto::MAX_LEVELS);
        }
    }
}

#[test]
fn bad_input_is_refused() {
    assert_eq!(Auto::new(Shape::Characters, &[]).build::<&str>(&[]), Err(TaxonomyError::Empty));
    let twice = Auto::new(Shape::Characters, &[1; 3]).build(&["a", "b", "a"]).unwrap_err();
    assert_eq!(twice, TaxonomyError::DuplicateLeaf { row: 3, earlier: 1 });
    let formats = vec![Some("%d".to_owned())];
    assert!(Auto::new(Shape::Dates { formats }, &[1]).build(&["a"]).is_err());
}

#[test]
fn a_hundred_thousand_categories_are_grouped() {
    let values: Vec<String> = (0..100_000_u64).map(|i| format!("name {}", i * 7919 % 100_003)).collect();
    let rows: Vec<u64> = (0..100_000).map(|i| 1 + 1_000_000 / (i + 1)).collect();
    let taxonomy = Auto::new(Shape::Categories, &rows).build(&values).unwrap();
    assert_eq!((taxonomy.leaf_total(), taxonomy.label(taxonomy.root())), (100_000, "*"));
    let sizes: Vec<usize> = (0..=taxonomy.height()).map(|level| taxonomy.level_size(level)).collect();
    assert!(sizes.is_sorted_by(|a, b| a > b) && sizes[1] < 10_000 && sizes.len() <= 7, "{sizes:?}");
}

fn any_values() -> impl Strategy<Value = Vec<String>> {
    let cell = prop_oneof![
        "[0-9]{1,4}",
        "-?[0-9]{1,3}\\.[0-9]{1,2}",
        "20[0-2][0-9]-0[1-9]-[0-2][1-8]",
        "[0-2][1-8]/0[1-9]/20[0-2][0-9]",
        "[ab*;,\"\n é]{0,3}",
        Just("NaN".to_owned()),
        Just("<10".to_owned()),
        "[+-]?1e[0-9]{1,3}",
    ];
    proptest::collection::btree_set(cell, 1..40).prop_map(|values| values.into_iter().collect())
}

proptest! {
    #[test]
    fn every_column_gets_a_sound_hierarchy(
        values in any_values(),
        seed in any::<u64>(),
        shape in proptest::sample::select(shapes()),
        max_levels in 0_usize..7,
    ) {
        let rows: Vec<u64> = (0..values.len() as u64).map(|i| (seed >> (i % 60)) % 20).collect();
        let mut pairs = CoOccurrence::new(values.len());
        pairs.add_column(3, (0..values.len()).map(|value| (value, value % 3, rows[value])));
        let auto = Auto::new(shape, &rows).with_co_occurrence(&pairs).with_max_levels(max_levels);
        let taxonomy = auto.build(&values).unwrap();
        assert_sound(&values, &taxonomy, max_levels);
        prop_assert_eq!(auto.build(&values).unwrap(), taxonomy);
    }

    /// The hierarchy is one of the column, not of the order in which its values are given.
    #[test]
    fn the_order_of_the_values_does_not_matter(values in any_values(), numbers in any::<bool>()) {
        let shape = if numbers { Shape::Numbers } else { Shape::Categories };
        let rows: Vec<u64> = (1..=values.len() as u64).collect();
        let forwards = Auto::new(shape.clone(), &rows).build(&values).unwrap();
        let (mut values, mut rows) = (values, rows);
        values.reverse();
        rows.reverse();
        prop_assert_eq!(Auto::new(shape, &rows).build(&values).unwrap(), forwards);
    }
}
