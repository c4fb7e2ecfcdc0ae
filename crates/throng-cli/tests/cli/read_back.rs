//! What commands print with `--json` can be read back, and says the same when it is written again.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use throng_engine::check::CheckSummary;
use throng_engine::compare::Comparison;
use throng_engine::profile::Profile;
use throng_engine::summary::Summary;
use throng_engine::verify::attack::AttackSummary;
use throng_engine::verify::degrees::DegreesSummary;

use crate::sandbox::Sandbox;

fn demo() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 400 --dir demo").done();
    sandbox
}

/// Reads what was printed; nothing gets lost on the way there and back.
fn read_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(printed: &str) -> T {
    let read: T = serde_json::from_str(printed).unwrap();
    let written = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<T>(&written).unwrap(), read);
    read
}

/// As [`read_back`], of an object that is printed as it is.
fn same_bytes<T: Serialize + DeserializeOwned + PartialEq + Debug>(printed: &str) -> T {
    let read: T = read_back(printed);
    assert_eq!(serde_json::to_string_pretty(&read).unwrap(), printed.trim_end());
    read
}

/// As [`read_back`], of an object that is printed with further keys.
fn same_keys<T: Serialize + DeserializeOwned + PartialEq + Debug>(printed: &str) {
    let read: T = read_back(printed);
    let (Value::Object(read), Ok(printed)) =
        (serde_json::to_value(&read).unwrap(), serde_json::from_str::<Value>(printed))
    else {
        panic!("an object")
    };
    read.iter().for_each(|(key, value)| assert_eq!(&printed[key], value, "{key}"));
}

#[test]
fn summaries() {
    let sandbox = demo();
    for flags in ["", "--algorithm agglomerative --distance 3 --notion k --suppression 0", "-k 300"] {
        let ran = sandbox.throng(&format!("anonymize demo/hospital.toml {flags} -o demo/r.csv --json"));
        let report: Summary = same_bytes(&ran.stdout);
        assert_eq!(report.rows, 400);
    }
}

#[test]
fn checks_and_profiles() {
    let sandbox = demo();
    same_keys::<CheckSummary>(&sandbox.throng("check demo/hospital.toml --input --json").done());
    same_keys::<Profile>(&sandbox.throng("profile demo/hospital.csv --json").done());
    sandbox.write("kinds.csv", "a,b,c,d\n,yes,1.5,10:30\n,no,2.5,11:45\n,no,2.25,01:02\n");
    same_keys::<Profile>(&sandbox.throng("profile kinds.csv --json").done());
}

#[test]
fn attacks_and_degrees() {
    let sandbox = Sandbox::with_patients();
    for claim in ["-k 2 --notion kk", "", "--known illness=40%"] {
        let line = format!(
            "attack patients.csv released.csv --qi smoker --qi town --sensitive illness {claim} --json --allow"
        );
        same_bytes::<AttackSummary>(&sandbox.throng(&line).done());
    }
    let line = "check patients.csv released.csv --qi smoker --qi town --json";
    for required in ["", "--require 2 --notion kk"] {
        same_bytes::<DegreesSummary>(&sandbox.throng(&format!("{line} {required}")).done());
    }
}

#[test]
fn comparisons() {
    let sandbox = demo();
    let line = "compare demo/hospital.toml --k 3,20 --qi-counts 2..3 --repeat 1 --suppression 0 --format json \
                --algorithms flash,agglomerative:distance=1,agglomerative:distance=3,expansion:notion=kk --rows 200";
    let _: Comparison = same_bytes(&sandbox.throng(line).done());
}
