//! What commands print for scripts is what `docs/schemas` and the guide's tables of columns say: no key more, and
//! every key that is described is printed by some command here.

mod cases;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::Value;

use crate::sandbox::Sandbox;
use cases::{CASES, Case, world};

/// A file of `docs/schemas`.
struct Schema {
    name: String,
    document: Value,
    validator: Validator,
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// The names of all schemas.
fn names() -> BTreeSet<String> {
    let files = fs::read_dir(docs().join("schemas")).expect("the schemas");
    let name = |path: PathBuf| path.file_stem().map(|name| name.to_string_lossy().into_owned());
    files.map(|file| name(file.expect("a file").path()).expect("a name")).collect()
}

impl Schema {
    fn read(name: &str) -> Schema {
        let text = fs::read_to_string(docs().join("schemas").join(format!("{name}.json")));
        let document: Value = serde_json::from_str(&text.expect("a schema")).expect("JSON");
        let validator = jsonschema::draft202012::new(&document);
        Schema { name: name.to_owned(), validator: validator.expect("a schema of draft 2020-12"), document }
    }

    /// The keys that an object has, by their places in the schema, which must be those of it and no others.
    fn keys_of(&self, object: &Value, line: &str) -> BTreeSet<String> {
        let errors: Vec<String> = self
            .validator
            .iter_errors(object)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "throng {line}\n{}", errors.join("\n"));
        let mut keys = BTreeSet::new();
        self.note(&self.document, "", object, &mut keys);
        keys
    }

    /// Notes the keys of a value that is valid by a part of the schema, and of all within it; also which of several
    /// words it is.
    fn note(&self, part: &Value, at: &str, value: &Value, keys: &mut BTreeSet<String>) {
        if let Some(place) = part["$ref"].as_str().and_then(|place| place.strip_prefix('#')) {
            return self.note(self.document.pointer(place).expect("a part"), place, value, keys);
        }
        if let (Some(_), Some(choice)) = (part["enum"].as_array(), value.as_str()) {
            keys.insert(format!("{at}/enum/{choice}"));
        }
        for word in ["anyOf", "oneOf"] {
            let ways = part[word].as_array().into_iter().flatten();
            (0..).zip(ways).for_each(|(place, way): (usize, _)| {
                self.note(way, &format!("{at}/{word}/{place}"), value, keys);
            });
        }
        for item in value.as_array().into_iter().flatten() {
            self.note(&part["items"], &format!("{at}/items"), item, keys);
        }
        // What belongs to names that the schema cannot know.
        if part["additionalProperties"].is_object() {
            for (_, named) in value.as_object().into_iter().flatten() {
                let at = format!("{at}/additionalProperties");
                self.note(&part["additionalProperties"], &at, named, keys);
            }
        }
        let described = |(key, _): &(&String, &Value)| part["properties"].get(key).is_some();
        let own: Vec<_> = value.as_object().into_iter().flatten().collect();
        // Of several ways that an object may be, the one that has all its keys is meant.
        if own.iter().all(described) {
            for (key, value) in own {
                let at = format!("{at}/properties/{key}");
                self.note(&part["properties"][key], &at, value, keys);
                keys.insert(at);
            }
        }
    }

    /// Runs a case, and says which keys it printed.
    fn run(&self, case: &Case, sandbox: &Sandbox) -> BTreeSet<String> {
        let ran = sandbox.throng(case.line);
        assert_eq!(ran.code, Some(case.code), "throng {}\n{}{}", case.line, ran.stdout, ran.stderr);
        if !case.is_json() {
            return BTreeSet::new();
        }
        let text = match self.name.as_str() {
            "error" => ran.stderr.lines().last().expect("an error"),
            "recoding" => &sandbox.read("saved.json"),
            _ => &ran.stdout,
        };
        self.keys_of(&serde_json::from_str(text).expect("JSON"), case.line)
    }
}

/// Runs all cases of a schema; every key that it describes must be printed by one of them. Gives all that was printed.
fn holds(name: &str) -> BTreeSet<String> {
    let (schema, sandbox) = (Schema::read(name), world());
    let cases = CASES.iter().filter(|case| case.schema == name);
    let printed: BTreeSet<String> = cases.flat_map(|case| schema.run(case, &sandbox)).collect();
    let mut described = BTreeSet::new();
    visit(&schema.document, "", &mut |at, part| {
        let keys = part.get("properties").and_then(Value::as_object).filter(|_| part.get("type").is_some());
        described.extend(keys.into_iter().flatten().map(|(key, _)| format!("{at}/properties/{key}")));
    });
    let missing: Vec<&String> = described.difference(&printed).collect();
    assert!(missing.is_empty(), "{name} describes what nothing prints: {missing:#?}");
    printed
}

/// Runs all cases of a schema; a key of it must have had each of these words.
fn holds_with(name: &str, key: &str, words: &[&str]) {
    let printed = holds(name);
    for word in words {
        assert!(printed.contains(&format!("{key}/enum/{word}")), "{name}: no case has {word}");
    }
}

/// Every object within a document, and where it is.
fn visit(part: &Value, at: &str, see: &mut dyn FnMut(&str, &Value)) {
    match part {
        Value::Object(keys) => {
            see(at, part);
            keys.iter().for_each(|(key, value)| visit(value, &format!("{at}/{key}"), see));
        }
        Value::Array(items) => {
            (0..).zip(items).for_each(|(place, item): (usize, _)| visit(item, &format!("{at}/{place}"), see));
        }
        _ => {}
    }
}

#[test]
fn every_schema_is_tried_and_linked() {
    let tried: BTreeSet<String> = CASES.iter().map(|case| case.schema.to_owned()).collect();
    assert_eq!(names(), tried);
    let guide = fs::read_to_string(docs().join("json-summary.md")).expect("the chapter");
    for name in names() {
        assert!(guide.contains(&format!("](schemas/{name}.json)")), "{name} is not linked");
    }
}

#[test]
fn schemas_describe_every_key_and_allow_no_other() {
    for name in names() {
        let schema = Schema::read(&name);
        if let Err(error) = jsonschema::draft202012::meta::validate(&schema.document) {
            panic!("{name}: {error}");
        }
        visit(&schema.document, "", &mut |at, part| {
            // An object's own keys; conditions name some of them once more.
            let Some(keys) = part.get("properties").and_then(Value::as_object) else { return };
            if part.get("type").is_none() {
                return;
            }
            assert_eq!(part["additionalProperties"], false, "{name}: {at}");
            for (key, value) in keys {
                let text = value.get("description").and_then(Value::as_str).unwrap_or_default();
                assert!(text.ends_with('.'), "{name}: {at}/{key} has no description");
            }
        });
    }
}

#[test]
fn a_key_that_is_not_described_fails() {
    let sandbox = world();
    let found = sandbox.throng("check people.csv --qi age,sex --json").done();
    let mut found: Value = serde_json::from_str(&found).unwrap();
    let schema = Schema::read("check");
    assert!(schema.validator.is_valid(&found));
    found["risk"]["new"] = Value::from(1);
    assert!(!schema.validator.is_valid(&found), "within");
    found["risk"].as_object_mut().unwrap().shift_remove("new");
    found["new"] = Value::from(1);
    assert!(!schema.validator.is_valid(&found), "at the top");
}

#[test]
fn algorithms() {
    holds("algorithms");
}

#[test]
fn policies() {
    holds("policies");
}

#[test]
fn anonymize() {
    holds_with("anonymize", "/properties/outcome", &["released", "infeasible", "stopped"]);
}

#[test]
fn attack() {
    holds("attack");
}

#[test]
fn check() {
    holds("check");
}

#[test]
fn compare() {
    holds_with("compare", "/$defs/trial/properties/outcome", &["found", "infeasible", "stopped"]);
}

#[test]
fn error() {
    let kinds = ["bad-input", "not-found", "usage"];
    holds_with("error", "/properties/error/properties/kind", &kinds);
}

#[test]
fn evaluate() {
    holds("evaluate");
}

#[test]
fn frontier() {
    holds_with("frontier", "/properties/method", &["exact", "pbg-ea", "front-walk"]);
}

#[test]
fn a_front_that_is_saved_has_the_schema_of_one_that_is_printed() {
    let sandbox = world();
    sandbox.throng("frontier job.toml --save front.json").done();
    let saved: Value = serde_json::from_str(&sandbox.read("front.json")).unwrap();
    assert!(!Schema::read("frontier").keys_of(&saved, "frontier --save").is_empty());
}

#[test]
fn init() {
    holds("init");
}

#[test]
fn recoding() {
    holds_with("recoding", "/properties/suppressed", &["drop", "mask"]);
}

#[test]
fn profile() {
    holds("profile");
}

/// The first cells of the table under a heading of a chapter, without their quotes.
fn documented_columns(chapter: &str, heading: &str) -> Vec<String> {
    let text = fs::read_to_string(docs().join(chapter)).expect("a chapter");
    let (_, section) = text.split_once(&format!("\n## {heading}\n")).expect("the heading");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let names = rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split(", "));
    names.map(|name| name.trim().trim_matches('`').to_owned()).collect()
}

/// The names of the columns that a command prints.
fn header(sandbox: &Sandbox, line: &str) -> Vec<String> {
    let csv = sandbox.throng(line).done();
    csv.lines().next().expect("a header").split(',').map(str::to_owned).collect()
}

#[test]
fn the_columns_of_a_comparison_are_those_of_the_guide() {
    let sandbox = world();
    let line = "compare target.toml --algorithms flash --k 2 --repeat 1 --format csv --classifiers";
    let printed = header(&sandbox, &format!("{line} naive-bayes,random-forest"));
    assert_eq!(documented_columns("comparing.md", "As CSV"), printed);
}

#[test]
fn the_columns_of_a_front_are_those_of_the_guide() {
    let sandbox = world();
    let printed = header(&sandbox, "frontier job.toml --objectives k,glm --local mondrian --k 2 --csv");
    let mut expected = Vec::new();
    for name in documented_columns("frontier.md", "As CSV") {
        match name.as_str() {
            "OBJECTIVE" => expected.extend(["k", "glm"].map(str::to_owned)),
            "COLUMN" => expected.extend(["age", "sex", "zip"].map(str::to_owned)),
            _ => expected.push(name),
        }
    }
    assert_eq!(expected, printed);
}
