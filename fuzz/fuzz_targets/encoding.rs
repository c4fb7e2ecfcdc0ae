//! Any bytes are a table or an error, whatever encoding they are taken for.
#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("room for it");
    for encoding in [None, Some("utf-16le"), Some("windows-1252")] {
        let said = DialectOverrides { encoding: encoding.map(str::to_owned), ..Default::default() };
        if let Ok(source) = Source::open(file.path(), &said) {
            assert!(!source.columns().is_empty());
        }
    }
});
