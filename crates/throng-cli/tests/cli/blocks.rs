//! Local recoding in blocks through the binary.

use serde_json::Value;

use crate::sandbox::Sandbox;

fn demo() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 400 --dir demo").done();
    sandbox
}

#[test]
fn blocks_are_named_in_the_summary_and_the_notion_holds_in_the_whole() {
    let sandbox = demo();
    let cases = [
        ("agglomerative", " (variant = \"improved\", distance = 3, shrink = false)", "k"),
        ("expansion", " (variant = \"improved\")", "kk"),
        ("expansion", " (variant = \"improved\")", "global-1k"),
    ];
    for (algorithm, settings, notion) in cases {
        let line = format!(
            "anonymize demo/hospital.toml --algorithm {algorithm} --notion {notion} --suppression 0 \
             --block-rows 100 -o demo/r.csv"
        );
        let report: Value = serde_json::from_str(&sandbox.throng(&format!("{line} --json")).done()).unwrap();
        assert_eq!(report["search"]["block_rows"], 100);
        assert_eq!(report["settings"]["block_rows"], 100);
        let blocks = report["search"]["blocks"].as_u64().unwrap();
        assert!((4..=20).contains(&blocks), "{blocks} blocks");
        assert!(report["achieved"][notion].as_u64() >= Some(5), "{}", report["achieved"]);
        let text = sandbox.throng(&line).done();
        let named =
            format!("{algorithm}{settings} in {blocks} blocks of at most about 100 rows, judged by lm");
        assert!(text.contains(&named), "{text}");
        sandbox.throng(&format!("attack demo/hospital.toml demo/r.csv --notion {notion} --allow")).done();
    }
}

#[test]
fn a_search_of_the_whole_table_names_no_blocks() {
    let sandbox = demo();
    let line = "anonymize demo/hospital.toml --algorithm forest --suppression 0 --json";
    let report: Value = serde_json::from_str(&sandbox.throng(line).done()).unwrap();
    assert!(report["search"].get("blocks").is_none() && report["search"].get("block_rows").is_none());
}

#[test]
fn blocks_that_make_no_sense_are_refused() {
    let sandbox = demo();
    let whole = sandbox.refused("anonymize demo/hospital.toml --block-rows 100");
    assert!(whole.starts_with("error: 'flash' does not use 'block_rows'; agglomerative, "), "{whole}");
    let small = sandbox.refused("anonymize demo/hospital.toml --algorithm forest --block-rows 9");
    assert!(small.contains("block_rows is 9; it must be at least 2k = 10"), "{small}");
    let negative = sandbox.refused("anonymize demo/hospital.toml --algorithm forest --block-rows -1");
    assert!(
        negative.contains("'-1' for '--block-rows <ROWS>': must be a whole number of rows"),
        "{negative}"
    );
}
