//! What `anonymize` claims of a release, `check` confirms of the file alone: through the binary, as scripts would ask.

use serde_json::Value;
use throng::random::Random;

use crate::sandbox::Sandbox;

const CASES: u64 = 40;

/// Those that look at populations, too.
const GLOBAL: [&str; 4] = ["flash", "datafly", "ola", "ascent"];
const LOCAL: [&str; 4] = ["mondrian", "sequential", "agglomerative", "forest"];

const OF_TABLE: [&str; 5] = [
    "distinct-l:l=2,column=ill",
    "entropy-l:l=1.5,column=ill",
    "t-closeness:t=0.7,column=ill",
    "alpha-k:alpha=0.9,column=ill",
    "average-risk:risk=0.4",
];
const OF_POPULATION: [&str; 5] = [
    "k-map:k=4,population=all.csv",
    "delta-presence:min=0,max=0.6,population=all.csv",
    "max-risk:risk=0.3,attacker=journalist,population=all.csv",
    "average-risk:risk=0.3,attacker=journalist,population=all.csv",
    "delta-presence:min=0.1,max=0.9,population=all.csv",
];

/// A table, a population of it and as many others, and what is asked of its release.
struct Case {
    table: String,
    population: String,
    flags: String,
    models: Vec<&'static str>,
    output: &'static str,
}

impl Case {
    fn random(random: &mut Random) -> Case {
        let spread = random.pick(&[2, 4, 9]);
        let rows = 12 + random.index(60);
        let head = "age;zip;Hausarzt;ill\n".to_owned();
        let row = |random: &mut Random| {
            let (age, zip) =
                (20 + 7 * random.skewed_index(spread), 10_100 + 37 * random.skewed_index(spread));
            let doctor = random.pick(&["Koch, Greta", "Nowak, Jan", "Rossi, Maria"]);
            format!("{age};{zip};{doctor};{}\n", random.pick(&["flu", "cold", "gout"]))
        };
        let table: String = (0..rows).map(|_| row(random)).collect();
        let others: String = (0..2 * rows).map(|_| row(random)).collect();
        let age = random.pick(&["age=auto", "age=intervals:10,20"]);
        let zip = random.pick(&["zip=mask:right", "zip"]);
        let suppression = random.pick(&["0", "20%", "3 rows"]).replace(' ', "");
        let (order, suppressed) = (random.pick(&["keep", "shuffle"]), random.pick(&["drop", "mask"]));
        let output = random.pick(&["out.csv", "out.parquet", "out.csv.zst"]);
        let is_local = random.once_in(2);
        let algorithm = random.pick(if is_local { &LOCAL } else { &GLOBAL });
        let mut models = vec![random.pick(&OF_TABLE)];
        models.extend((!is_local && !random.once_in(3)).then(|| random.pick(&OF_POPULATION)));
        let flags = format!(
            "--qi {age},{zip},Hausarzt --sensitive ill --person none -k {} --algorithm {algorithm} --suppression {suppression} \
             --order {order} --suppressed {suppressed} -o {output}",
            2 + random.index(3),
        );
        Case { population: head.clone() + &table + &others, table: head + &table, flags, models, output }
    }

    fn required(&self, models: &[&str]) -> String {
        models.iter().map(|model| format!(" --require {model}")).collect()
    }
}

fn json(text: &str, context: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{context}: {error}: {text}"))
}

/// Whether something was released; then everything that was claimed of it is confirmed.
fn confirm(case: &Case) -> bool {
    let sandbox = Sandbox::empty();
    sandbox.write("in.csv", &case.table);
    sandbox.write("all.csv", &case.population);
    let required = case.required(&case.models);
    let context = format!("{}{required}", case.flags);
    let ran = sandbox.throng(&format!("anonymize in.csv {}{required} --json", case.flags));
    assert!(matches!(ran.code, Some(0 | 1)), "{context}: {}{}", ran.stdout, ran.stderr);
    let claimed = json(&ran.stdout, &context);
    let number = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("{context}: {value}"));
    if ran.code == Some(1) || claimed["suppressed_rows"] == claimed["rows"] {
        return false;
    }

    // Nothing but the file: whatever is said of a population cannot be confirmed by it.
    let (of_population, of_file): (Vec<&str>, Vec<&str>) =
        case.models.iter().partition(|model| model.contains("population"));
    let k = number(&claimed["achieved"]["k"]);
    let line = format!("check {} --qi age,zip,Hausarzt --person none --require {k} --json", case.output);
    let ran = sandbox.throng(&format!("{line}{}", case.required(&of_file)));
    let found = json(&ran.done(), &context);
    assert_eq!(number(&found["k"]), k, "{context}");
    let left_out = number(&claimed["suppressed_rows"]) - number(&claimed["masked_rows"]);
    assert_eq!(number(&found["rows"]), number(&claimed["rows"]) - left_out, "{context}");
    for claimed in claimed["requirements"].as_array().expect("a list") {
        assert_eq!(claimed["holds"], true, "{context}: {claimed}");
    }
    let degrees = |value: &Value, model: &str| -> Vec<f64> {
        let all = value["requirements"].as_array().expect("a list").iter();
        let of_model = all.filter(|one| one["model"] == model && one["parameters"]["population"].is_null());
        of_model.map(|one| one["degree"].as_f64().expect("a degree")).collect()
    };
    for model in of_file.iter().map(|model| model.split(':').next().expect("a name")) {
        let (said, seen) = (degrees(&claimed, model), degrees(&found, model));
        assert!(!said.is_empty(), "{context}: {model}: {claimed}");
        assert!(
            said.iter().zip(&seen).all(|(said, seen)| (said - seen).abs() < 1e-9),
            "{context}: {said:?} {seen:?}"
        );
    }
    for model in of_population {
        let name = model.split(':').next().expect("a name");
        let all = claimed["requirements"].as_array().expect("a list");
        assert!(all.iter().any(|one| one["model"] == name), "{context}: {name} is not claimed: {claimed}");
    }
    true
}

#[test]
fn what_anonymize_claims_check_confirms_on_the_file() {
    let released = (0..CASES).filter(|&seed| confirm(&Case::random(&mut Random::new(seed)))).count();
    assert!(released as u64 * 2 > CASES, "most cases release something: {released}");
}
