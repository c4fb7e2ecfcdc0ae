//! Any text is a hierarchy or an error, and a hierarchy survives being written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use throng::taxonomy::{parse, to_text};

fuzz_target!(|text: &str| {
    if let Ok(taxonomy) = parse(text) {
        assert!(parse(&to_text(&taxonomy)).as_ref() == Ok(&taxonomy));
        let _ = taxonomy.with_missing();
    }
});
