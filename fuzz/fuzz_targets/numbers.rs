//! Any texts have a notation, or none that could be told, and whatever is built of them as numbers is a
//! hierarchy that survives being written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use throng::taxonomy::{Notation, dates, intervals_in, parse, ranges_in, to_text};

fuzz_target!(|text: &str| {
    let mut values: Vec<&str> = text.split('\n').collect();
    values.sort_unstable();
    values.dedup();
    let found = Notation::of(&values).ok();
    for notation in [Notation::Plain, Notation::Point, Notation::Comma].into_iter().chain(found) {
        if let Ok(taxonomy) = intervals_in(&values, &[5.0, 10.0], 0.0, notation) {
            assert_eq!(taxonomy.leaf_total(), values.len());
            let again = parse(&to_text(&taxonomy)).expect("what was built can be read");
            assert_eq!(again.to_rows(), taxonomy.to_rows());
        }
        if let Ok(taxonomy) = ranges_in(&values, None, notation) {
            assert_eq!(taxonomy.leaf_total(), values.len());
        }
    }
    let _ = dates(&values, &[], None);
});
