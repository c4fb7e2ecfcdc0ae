//! Errors as JSON, for scripts that asked for it.

use std::env;
use std::ffi::OsString;

use serde_json::{Map, Value, json};

use throng_engine::error::EngineError;

use crate::exit;

/// Whether a command line asks for JSON; also one that cannot be understood otherwise.
pub(crate) fn is_asked(mut args: impl Iterator<Item = OsString>) -> bool {
    let truths = ["1", "true", "yes", "on", "y", "t"];
    if env::var("THRONG_JSON").is_ok_and(|json| truths.contains(&json.to_lowercase().as_str())) {
        return true;
    }
    let mut is_format = false;
    args.by_ref().take_while(|arg| arg != "--").any(|arg| {
        let named = is_format && arg == "json";
        is_format = arg == "--format";
        named || arg == "--json" || arg == "--format=json"
    })
}

/// What failed, and where, in one line.
pub(crate) fn object(error: &EngineError) -> Value {
    let mut object = Map::new();
    if let Ok(Value::Object(parts)) = serde_json::to_value(error) {
        object.extend(parts);
    }
    object.insert("exit_code".to_owned(), json!(exit::number_of(error)));
    json!({ "error": object })
}

/// A command line that cannot be used, in one line.
pub(crate) fn usage(error: &clap::Error) -> Value {
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let mut paragraphs = text.split("\n\n").map(str::trim);
    let message = paragraphs.next().unwrap_or_default();
    let hint = paragraphs.find_map(|paragraph| paragraph.strip_prefix("tip: "));
    json!({ "error": { "kind": "usage", "message": message, "hint": hint, "exit_code": error.exit_code() } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> bool {
        is_asked(line.split(' ').map(OsString::from))
    }

    #[test]
    fn json_is_asked_for_in_two_ways() {
        for line in
            ["throng check a.csv --json", "throng compare a --format json", "throng compare --format=json"]
        {
            assert!(asked(line), "{line}");
        }
        for line in
            ["throng check a.csv", "throng compare --format csv", "throng check -- --json", "throng json"]
        {
            assert!(!asked(line), "{line}");
        }
    }
}
