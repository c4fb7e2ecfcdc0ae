use proptest::prelude::*;

use super::*;

/// The labels of the leaves, in order.
pub(super) fn leaf_labels(taxonomy: &Taxonomy) -> Vec<&str> {
    level_labels(taxonomy, 0)
}

/// What a class of these leaves is released as.
pub(super) fn made(taxonomy: &Taxonomy, leaves: &[ValueId]) -> String {
    match taxonomy.close(leaves.iter().copied()) {
        Closure::Value(value) => taxonomy.label(value).to_owned(),
        Closure::Made(made) => taxonomy.describe(&made).label,
    }
}

/// The label of each leaf at a level.
pub(super) fn level_labels(taxonomy: &Taxonomy, level: usize) -> Vec<&str> {
    taxonomy.level_values(level).iter().map(|&id| taxonomy.label(id)).collect()
}

/// The leaves that a value covers.
fn leaves_of(taxonomy: &Taxonomy, id: ValueId) -> Vec<usize> {
    (0..taxonomy.leaf_total()).filter(|&leaf| taxonomy.covers(id, leaf as ValueId)).collect()
}

/// Checks all that [`Taxonomy`] promises.
pub(super) fn assert_invariants(taxonomy: &Taxonomy) {
    let leaves = taxonomy.leaf_total();
    assert!(taxonomy.level_values(0).iter().copied().eq(0..leaves as ValueId));
    for level in 0..=taxonomy.height() {
        assert_level(taxonomy, level);
    }
    for (id, value) in taxonomy.values().iter().enumerate() {
        let id = id as ValueId;
        let below = leaves_of(taxonomy, id);
        assert_eq!(value.leaf_count as usize, below.len());
        assert_eq!(value.parent == id, id == taxonomy.root());
        let lowest = (0..=taxonomy.height()).find(|&l| taxonomy.level_values(l).contains(&id));
        assert_eq!(value.level, lowest.unwrap_or(taxonomy.height() + 1));
        assert!(lowest.is_some() || id == taxonomy.root());
        let extent = below.iter().filter_map(|&leaf| taxonomy.values()[leaf].extent).reduce(Extent::join);
        assert_eq!(value.extent, extent);
    }
    assert_eq!(leaves_of(taxonomy, taxonomy.root()).len(), leaves);
    let missing = leaf_labels(taxonomy).iter().position(|label| label.is_empty());
    assert_eq!(taxonomy.missing(), missing.map(|leaf| leaf as ValueId));
}

/// Labels tell the values of a level apart, and the level above does not split them.
fn assert_level(taxonomy: &Taxonomy, level: usize) {
    let ids = taxonomy.level_values(level);
    let labels = level_labels(taxonomy, level);
    assert_eq!(ids.len(), taxonomy.leaf_total());
    for a in 0..ids.len() {
        assert!(taxonomy.covers(ids[a], a as ValueId));
        for b in 0..a {
            assert_eq!(ids[a] == ids[b], labels[a] == labels[b]);
            if ids[a] == ids[b] && level < taxonomy.height() {
                let above = taxonomy.level_values(level + 1);
                assert_eq!(above[a], above[b]);
            }
        }
    }
}

/// Checks that a builder's taxonomy ends with a level of `*` alone, and that missing cells stay
/// by themselves below it.
pub(super) fn assert_topped(taxonomy: &Taxonomy) {
    assert_invariants(taxonomy);
    assert!(taxonomy.height() > 0);
    assert_eq!(taxonomy.level_size(taxonomy.height()), 1);
    assert_eq!(taxonomy.label(taxonomy.root()), ANY);
    let Some(missing) = taxonomy.missing() else {
        return;
    };
    for level in 1..taxonomy.height() {
        assert_eq!(taxonomy.generalise(missing, level), missing, "alone at level {level}");
    }
}

/// Rows that obey the rules, with awkward labels, over one to four columns.
///
/// The label of a leaf decides that of each level through a chain of coarser and coarser groups.
fn any_rows() -> impl Strategy<Value = Vec<Vec<String>>> {
    let label = "[ab1;,\t\"\r\n\u{feff} ]{0,3}";
    let leaves = proptest::collection::hash_set(label, 1..12);
    let maps = proptest::collection::vec(proptest::collection::vec((0_usize..6, label), 12), 0..4);
    (leaves, maps).prop_map(|(leaves, maps)| {
        let mut leaves: Vec<String> = leaves.into_iter().collect();
        leaves.sort();
        let mut rows: Vec<Vec<String>> = leaves.into_iter().map(|leaf| vec![leaf]).collect();
        for map in maps {
            let mut seen: Vec<String> = Vec::new();
            for row in &mut rows {
                let below = row.last().expect("a leaf").clone();
                let group = seen.iter().position(|s| *s == below).unwrap_or_else(|| {
                    seen.push(below.clone());
                    seen.len() - 1
                });
                let (merged, label) = &map[group];
                // Some values repeat, as in an unbalanced tree.
                row.push(if *merged == 0 { below } else { label.clone() });
            }
        }
        rows
    })
}

/// A taxonomy of [`any_rows`].
pub(super) fn any_taxonomy() -> impl Strategy<Value = Taxonomy> {
    any_rows().prop_map(|rows| Taxonomy::from_rows(&rows).expect("the rows obey the rules"))
}

fn places() -> Taxonomy {
    let rows = [
        ["Lyon", "FR", "EU", "*"],
        ["Nice", "FR", "EU", "*"],
        ["Rome", "IT", "EU", "*"],
        ["NYC", "US", "US", "*"],
    ];
    Taxonomy::from_rows(&rows).unwrap()
}

#[test]
fn a_leaf_may_be_shown_as_the_root() {
    let taxonomy = Taxonomy::from_rows(&[["1", "low", "*"], ["9", "high", "*"]]).unwrap().with_top_leaf();
    assert_eq!(taxonomy.to_rows()[2], ["*"; 3]);
    assert_eq!((taxonomy.leaf_total(), taxonomy.values()[2].extent), (3, None));
    assert_eq!(taxonomy.extent().map(|extent| extent.span()), Some(8.0));
    assert_eq!(taxonomy.clone().with_top_leaf(), taxonomy);
    let open = Taxonomy::from_rows(&[["1", "low"], ["9", "high"]]).unwrap().with_top_leaf();
    assert_eq!((open.to_rows()[2].clone(), open.label(open.root())), (vec!["*", "*"], "*"));
}

#[test]
fn a_hierarchy_of_leaves_alone_may_get_a_top() {
    let one = Taxonomy::from_rows(&[["1"], ["9"]]).unwrap().with_top_level();
    assert_invariants(&one);
    assert_eq!(one, Taxonomy::flat(&["1", "9"]).unwrap());
    assert_eq!(one.clone().with_top_level(), one);
    let twice = Taxonomy::from_rows(&[["1", "1"], ["9", "9"]]).unwrap().with_top_level();
    assert_eq!(twice.to_rows(), [["1", "1", "*"], ["9", "9", "*"]]);
    for rows in [vec![["1", "low"], ["9", "high"]], vec![["1", "1"]]] {
        let taxonomy = Taxonomy::from_rows(&rows).unwrap();
        assert_eq!(taxonomy.clone().with_top_level(), taxonomy);
    }
}

#[test]
fn reads_levels_parents_and_counts() {
    let places = places();
    assert_invariants(&places);
    assert_eq!((places.height(), places.leaf_total(), places.values().len()), (3, 4, 9));
    assert_eq!((0..=3).map(|level| places.level_size(level)).collect::<Vec<_>>(), [4, 3, 2, 1]);
    let europe = places.generalise(0, 2);
    assert_eq!((places.label(europe), places.values()[europe as usize].leaf_count), ("EU", 3));
    assert_eq!(places.extent(), None);
}

#[test]
fn a_repeated_value_keeps_its_id() {
    let places = places();
    let us = places.generalise(3, 1);
    assert_eq!(places.generalise(3, 2), us);
    assert_eq!(places.values()[us as usize].level, 1);
    let renamed = Taxonomy::from_rows(&[["a", "x", "y", "x"]]).unwrap();
    assert_eq!(renamed.values().len(), 4, "the same label further up is another value");
}

#[test]
fn finds_lowest_common_ancestors() {
    let places = places();
    let label = |a, b| places.label(places.lowest_common_ancestor(a, b));
    assert_eq!([label(0, 0), label(0, 1), label(1, 2), label(2, 3)], ["Lyon", "FR", "EU", "*"]);
    let (france, europe) = (places.generalise(0, 1), places.generalise(0, 2));
    assert_eq!(label(france, europe), "EU");
    assert!(places.covers(europe, france) && !places.covers(france, europe));
}

#[test]
fn numbers_give_extents() {
    let rows = [["1", "low", "*"], ["2.5", "low", "*"], ["", "", "*"], ["-4", "sub", "*"]];
    let numbers = Taxonomy::from_rows(&rows).unwrap();
    assert_invariants(&numbers);
    let low = numbers.values()[numbers.generalise(0, 1) as usize].extent.unwrap();
    assert_eq!((low.min, low.max, low.span()), (5.0, 6.5, 1.5), "from the least, -4");
    assert_eq!(numbers.extent().map(Extent::span), Some(6.5));
    assert_eq!(numbers.values()[2].extent, None);
    let mixed = Taxonomy::flat(&["1", "two"]).unwrap();
    assert!(mixed.values().iter().all(|value| value.extent.is_none()));
}

#[test]
fn dates_give_extents() {
    let rows = [["2020-01-05", "2020", "*"], ["2020-01-01", "2020", "*"], ["2019-12-31", "2019", "*"]];
    let days = Taxonomy::from_rows(&rows).unwrap();
    assert_invariants(&days);
    let year = days.values()[days.generalise(0, 1) as usize].extent.unwrap();
    assert_eq!((year.min, year.max), (1.0, 5.0));
    let built = dates(&["2020-01-05", "2020-01-01", "2019-12-31", ""], &[DateUnit::Year], None).unwrap();
    assert_eq!(parse(&to_text(&built)).unwrap(), built);
}

#[test]
fn codes_give_no_extents() {
    let zips = ["01067", "22301", "22305"];
    let row = |zip: &str| [zip.to_owned(), format!("{}***", &zip[..2]), "*".to_owned()];
    let read =
        |zips: &[&str]| Taxonomy::from_rows(&zips.iter().map(|zip| row(zip)).collect::<Vec<_>>()).unwrap();
    for zips in [&zips[..], &zips[1..]] {
        assert_eq!(read(zips).extent(), None, "masks are of codes, even without leading zeros");
        assert_eq!(mask(zips, MaskSide::Right).unwrap().extent(), None);
        let masked = mask(zips, MaskSide::Right).unwrap();
        assert_eq!(parse(&to_text(&masked)).unwrap(), masked);
        assert_eq!(prefixes(zips).unwrap(), masked);
    }
    assert_eq!(Taxonomy::flat(&zips).unwrap().extent(), None, "leading zeros");
    assert!(Taxonomy::flat(&zips[1..]).unwrap().extent().is_some());
    assert!(intervals(&["007", "12"], &[10.0], 0.0).unwrap().extent().is_some(), "the job says so");
}

#[test]
fn a_star_in_the_data_reads_as_the_top() {
    let odd = Taxonomy::flat(&["a", "*"]).unwrap();
    let find = |text: &str| (0..2).find(|&leaf| odd.label(leaf) == text);
    for leaf in [0, 1] {
        assert_eq!(odd.read("*", leaf, find), Some(Closure::Value(odd.root())));
    }
    let numbers = Taxonomy::flat(&["3", "*", "5"]).unwrap();
    assert_invariants(&numbers);
    assert_eq!(numbers.extent().map(Extent::span), Some(2.0), "like a missing number");
}

#[test]
fn a_root_is_added_above_an_open_top() {
    let open = Taxonomy::from_rows(&[["1", "x"], ["2", "y"]]).unwrap();
    assert_invariants(&open);
    assert_eq!((open.height(), open.label(open.root())), (1, ANY));
    assert_eq!(open.extent().map(Extent::span), Some(1.0));
}

#[test]
fn bad_rows_are_named() {
    let error = |rows: &[Vec<&str>]| Taxonomy::from_rows(rows).unwrap_err();
    assert_eq!(error(&[]), TaxonomyError::Empty);
    assert_eq!(error(&[vec![]]), TaxonomyError::Empty);
    let ragged = TaxonomyError::Ragged { row: 2, found: 1, expected: 2 };
    assert_eq!(error(&[vec!["a", "*"], vec!["b"]]), ragged);
    let twice = TaxonomyError::DuplicateLeaf { row: 3, earlier: 1 };
    assert_eq!(error(&[vec!["a"], vec!["b"], vec!["a"]]), twice);
    let split = TaxonomyError::NotCoarser { row: 2, earlier: 1, level: 2 };
    assert_eq!(error(&[vec!["a", "x", "1"], vec!["b", "x", "2"]]), split);
    assert!(split.to_string().contains("line 2: column 3 differs from that of line 1"));
}

#[test]
fn missing_stays_alone_up_to_the_root() {
    let places = places().with_missing();
    assert_invariants(&places);
    assert_eq!(places.to_rows()[4], ["", "", "", "*"]);
    assert_eq!(places.missing(), Some(4));
    assert_eq!(places.clone().with_missing(), places);
    let narrow =
        Taxonomy::from_rows(&[["1", "1-2", "*", "*"], ["2", "1-2", "*", "*"]]).unwrap().with_missing();
    assert_eq!(narrow.to_rows()[2], ["", "", "*", "*"], "a range of known values is not the root");
}

#[test]
fn missing_needs_no_closed_top() {
    let open = Taxonomy::from_rows(&[["a", "x"], ["b", "y"]]).unwrap().with_missing();
    assert_invariants(&open);
    assert_eq!(open.to_rows()[2], ["", ""]);
    let lone = Taxonomy::from_rows(&[["a", "a"]]).unwrap().with_missing();
    assert_invariants(&lone);
    assert_eq!((lone.to_rows()[1].clone(), lone.label(lone.root())), (vec!["", ""], ANY));
}

#[test]
fn missing_follows_leaves_that_are_shown_as_empty() {
    let rows = [["a", "", "x", "*"], ["b", "y", "y", "*"]];
    let taxonomy = Taxonomy::from_rows(&rows).unwrap().with_missing();
    assert_invariants(&taxonomy);
    assert_eq!(taxonomy.to_rows()[2], ["", "", "x", "*"]);
}

#[test]
fn positions_survive_a_missing_leaf() {
    let days = Taxonomy::flat(&["Mon", "Tue"]).unwrap().with_positions(&[Some(1.0), Some(2.0)]);
    assert_invariants(&days);
    let extended = days.with_missing();
    assert_invariants(&extended);
    assert_eq!(extended.extent(), Some(Extent { min: 1.0, max: 2.0 }));
    assert_eq!(extended.values()[2].extent, None);
}

proptest! {
    #[test]
    fn any_rows_that_nest_make_a_taxonomy(rows in any_rows()) {
        let taxonomy = Taxonomy::from_rows(&rows).unwrap();
        assert_invariants(&taxonomy);
        prop_assert_eq!(taxonomy.to_rows(), rows);
    }

    #[test]
    fn missing_can_always_be_added(taxonomy in any_taxonomy()) {
        let leaves = taxonomy.leaf_total();
        let had = taxonomy.missing().is_some();
        let before: Vec<Vec<String>> =
            taxonomy.to_rows().iter().map(|row| row.iter().map(|s| s.to_string()).collect()).collect();
        let extended = taxonomy.with_missing();
        assert_invariants(&extended);
        prop_assert_eq!(extended.leaf_total(), leaves + usize::from(!had));
        prop_assert!(extended.missing().is_some());
        prop_assert_eq!(&extended.to_rows()[..leaves], &before[..]);
    }

    #[test]
    fn the_common_ancestor_is_the_lowest(
        (taxonomy, a, b) in any_taxonomy().prop_flat_map(|t| {
            let ids = 0..t.values().len() as ValueId;
            (Just(t), ids.clone(), ids)
        }),
    ) {
        let lowest = taxonomy.lowest_common_ancestor(a, b);
        let covers = |id| taxonomy.covers(id, a) && taxonomy.covers(id, b);
        prop_assert!(covers(lowest));
        prop_assert_eq!(lowest, taxonomy.lowest_common_ancestor(b, a));
        for id in 0..taxonomy.values().len() as ValueId {
            prop_assert!(!covers(id) || taxonomy.covers(id, lowest));
        }
    }
}
