//! Messages and hints are two fields from where they are made to where they are shown: no code looks for a hint in a
//! text, and no error is made of a text that has one in it.

use std::fs;
use std::path::{Path, PathBuf};

/// All sources of the libraries without their tests.
fn sources() -> Vec<(PathBuf, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(crates).unwrap().map(|found| found.unwrap().path().join("src")).collect();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for found in fs::read_dir(&folder).unwrap() {
            let path = found.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".rs") && name != "tests.rs" && !folder.ends_with("tests") {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap().to_owned();
                sources.push((path, code));
            }
        }
    }
    sources
}

/// A source without spaces between its words, and with its texts in one line.
fn in_one_line(code: &str) -> String {
    code.lines().map(str::trim).collect::<Vec<_>>().join("")
}

#[test]
fn no_code_looks_for_the_hint_in_a_message() {
    let sources = sources();
    assert!(sources.len() > 500, "the sources are not where they should be");
    let searches =
        ["split", "split_once", "rsplit", "rsplit_once", "splitn", "find", "rfind", "match_indices"];
    for (path, code) in &sources {
        for search in searches {
            let found = code.contains(&format!("{search}(\"; \""));
            assert!(!found, "{} takes a text apart at its semicolon", path.display());
        }
    }
}

#[test]
fn no_error_is_made_of_a_text_with_a_hint_in_it() {
    let made = ["EngineError::bad(", "Failure::bad(", ".bad(", ".blame(", "EngineError::Memory("];
    let mut seen = 0;
    for (path, code) in sources() {
        let code = in_one_line(&code);
        for (at, makes) in made.iter().flat_map(|makes| code.match_indices(makes)) {
            let argument = code[at + makes.len()..].trim_start_matches("format!(");
            let Some(text) = argument.strip_prefix('"').and_then(|text| text.split('"').next()) else {
                continue;
            };
            seen += 1;
            // An apostrophe may begin a name, and what is in quotes is a part of the name.
            let what = text.split('\'').next().unwrap();
            assert!(!what.contains("; "), "{}: {text:?} has its hint in its text", path.display());
        }
    }
    assert!(seen > 100, "{seen} texts: errors are made in another way now");
}
