//! Any text is lines of JSON or is not, without a panic; and cells are what serde_json makes of them.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};
use throng_engine::input::lines::{LineColumns, text_of, visit};

fuzz_target!(|text: &str| {
    let columns = LineColumns::find(text);
    assert_eq!(columns.names.len(), columns.kinds.len());
    for line in text.lines() {
        let mut cells = BTreeMap::new();
        let visited = visit(line, |key, value| {
            let text = text_of(value)?.map(|text| text.into_owned());
            cells.insert(key.to_owned(), (value, text));
            Ok(())
        });
        // Numbers that no float has are cells, but no values of serde_json.
        let Ok(object) = serde_json::from_str::<Map<String, Value>>(line) else { continue };
        visited.expect("an object is a line");
        assert_eq!(object.len(), cells.len());
        for (key, (json, text)) in cells {
            match &object[&key] {
                Value::Null => assert_eq!(text, None),
                Value::String(value) => assert_eq!(text.as_ref(), Some(value)),
                _ => assert_eq!(text.as_deref(), Some(json)),
            }
        }
    }
});
