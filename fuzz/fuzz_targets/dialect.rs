//! Sniffing accepts any bytes, and its answer can be used as an override.
#![no_main]

use libfuzzer_sys::fuzz_target;
use throng_engine::input::dialect::{DialectOverrides, sniff, sniff_with};

fuzz_target!(|sample: &[u8]| {
    let dialect = sniff(sample);
    assert!(b"\t;|,".contains(&dialect.delimiter));
    assert_eq!(dialect.quote, b'"');

    let fixed = DialectOverrides {
        delimiter: Some(char::from(dialect.delimiter)),
        quote: Some(char::from(dialect.quote)),
        ..DialectOverrides::default()
    };
    let again = sniff_with(sample, &fixed).expect("a sniffed dialect is a valid override");
    assert_eq!(again, dialect);
});
