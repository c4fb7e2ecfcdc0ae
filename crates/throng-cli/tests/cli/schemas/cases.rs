//! The commands whose output is held against the schemas, and the files that they are about.

use std::fmt::Write as _;

use crate::sandbox::{JOB, Sandbox};

/// A command line, how it ends, and the schema of what it prints.
pub(super) struct Case {
    pub(super) schema: &'static str,
    pub(super) line: &'static str,
    pub(super) code: i32,
}

impl Case {
    /// Whether it prints JSON; others make what the next ones need.
    pub(super) fn is_json(&self) -> bool {
        self.line.ends_with("json")
    }
}

const fn case(schema: &'static str, code: i32, line: &'static str) -> Case {
    Case { schema, line, code }
}

/// In order: those of one schema run in the same directory.
#[rustfmt::skip]
pub(super) const CASES: &[Case] = &[
    case("algorithms", 0, "algorithms --json"),

    case("anonymize", 0, "anonymize job.toml --json"),
    case("anonymize", 0, "anonymize people.csv --qi age=age.csv,sex --identifier name --other zip --sensitive illness --text illness=keep -k 2 \
                          --require distinct-l:l=2,column=illness --require t-closeness:t=0.9,column=illness \
                          --suppression 25% -o flags.csv --json"),
    case("anonymize", 1, "anonymize job.toml --require entropy-l:l=3,column=illness -o none.csv --json"),
    case("anonymize", 1, "anonymize job.toml --time-limit 0.000000001 -o none.csv --json"),
    case("anonymize", 0, "anonymize demo/hospital.toml -o demo/levels.csv --json"),
    case("anonymize", 0, "anonymize demo/hospital.toml --algorithm mondrian -o demo/local.csv --json"),
    case("anonymize", 0, "anonymize people.csv --qi age=range,zip=set --identifier name --rest other -k 2 \
                          --algorithm mondrian -o local.csv --json"),
    case("anonymize", 0, "anonymize people.csv --qi age=mean,sex --identifier name,zip --sensitive illness -k 2 \
                          --algorithm mondrian -o mean.csv --json"),
    case("anonymize", 0, "anonymize demo/hospital.toml --algorithm sequential --improve-seconds 2 -o demo/improved.csv --json"),
    case("anonymize", 0, "anonymize demo/hospital.toml --algorithm agglomerative --suppression 0 --block-rows 100 \
                          -o demo/blocks.csv --json"),
    case("anonymize", 0, "anonymize job.toml --algorithm expansion --notion global-1k --suppression 0 -o global.csv --json"),
    case("anonymize", 0, "anonymize demo/hospital.toml --algorithm expansion --notion kk --suppression 0 \
                          -o demo/kk.csv --json"),
    case("anonymize", 0, "anonymize job.toml --algorithm cut-search -o cut.csv --json"),
    case("anonymize", 0, "anonymize job.toml --algorithm all-min -o min.csv --json"),
    case("anonymize", 0, "anonymize coded.toml --json"),
    case("anonymize", 0, "anonymize shifted.toml --json"),
    case("anonymize", 0, "anonymize job.toml --mean largest --suppress-or-generalise 0.2 -o mean.csv --json"),
    case("anonymize", 0, "anonymize target.toml --json"),
    case("anonymize", 0, "anonymize stays.csv --qi birth_date=auto,sex --identifier patient_id --person patient_id --rest other -k 2 \
                          -o persons.csv --json"),
    case("anonymize", 0, "anonymize people.csv --qi age=intervals:10,sex --identifier name,zip --sensitive illness \
                          --require k-map:k=2,population=region.csv -o map.csv --json"),
    case("anonymize", 0, "anonymize job.toml --node 2,1,5 -o node.csv --json"),
    case("anonymize", 0, "anonymize job.toml --save job.recoding --json"),
    case("anonymize", 0, "anonymize job.toml -o parts/ --rows-per-file 3 --json"),
    case("anonymize", 0, "apply job.recoding people.csv -o again.csv --json"),
    case("anonymize", 1, "apply job.recoding more.csv -o none.csv --json"),
    case("anonymize", 0, "anonymize ages.csv --qi age=auto -k 9 -o ages-out.csv --save ages.recoding"),
    case("anonymize", 1, "apply ages.recoding strange.csv -o none.csv --json"),

    case("attack", 0, "anonymize job.toml"),
    case("attack", 0, "attack job.toml --allow --json"),
    case("attack", 1, "attack people.csv people.csv --qi age,sex --sensitive illness --json"),
    case("attack", 1, "attack job.toml people.csv -k 3 --notion kk --json"),
    case("attack", 0, "attack job.toml --known illness=0.4 --seed 3 --allow --json"),
    case("attack", 0, "attack job.toml --control more.csv --attacks 50 --allow --json"),
    case("attack", 1, "attack people.csv people.csv --qi age --sensitive illness --control more.csv --json"),
    case("attack", 0, "anonymize persons.toml"),
    case("attack", 0, "attack persons.toml --allow --json"),

    case("check", 0, "anonymize job.toml"),
    case("check", 0, "anonymize persons.toml"),
    case("check", 0, "check people.csv --qi age,sex --json"),
    case("check", 1, "check people.csv --qi age,sex,zip --sensitive illness --require 2 \
                      --require distinct-l:l=2,column=illness --json"),
    case("check", 0, "check people.csv --qi age,sex --sampling-fraction 0.05 --suda 2 --household zip --json"),
    case("check", 1, "check people.csv --qi age,sex --policy ema-0070 --json"),
    case("check", 1, "check people.csv --qi age,sex --policy hdx --json"),
    case("check", 0, "check wards.csv --qi ward --sampling-weight wgt --json"),
    case("check", 1, "check people.csv --qi age,sex --policy hipaa-safe-harbor --json"),
    case("check", 1, "check people.csv --qi age,sex --policy hipaa-expert-determination --json"),
    case("check", 1, "check people.csv --qi age,sex,zip --sampling-fraction 0.1 --require population-uniqueness:share=0.01 \
                      --require estimated-k-map:k=5 --json"),
    case("check", 1, "check wards.csv --qi ward --policy k-3 --json"),
    case("check", 0, "check job.toml --json"),
    case("check", 0, "check job.toml --input --json"),
    case("check", 0, "check stays.csv --qi birth_date,sex --sensitive illness --json"),
    case("check", 0, "check stays.csv --qi birth_date,sex --person patient_id --json"),
    case("check", 1, "check persons.toml --json"),
    case("check", 0, "check job.toml release.csv --json"),
    case("check", 1, "check job.toml release.csv --notion kk --require 5 --json"),
    case("check", 1, "check job.toml release.csv --notion kk --require distinct-l:l=3,column=illness --json"),

    case("compare", 0, "compare job.toml --algorithms flash,mondrian,mondrian:generalise=range-or-set,expansion:notion=kk,\
                        agglomerative:distance=4,agglomerative:distance=3 --k 2,5 --qi-counts 1..3 --qi-k 2 --repeat 1 \
                        --measures lm,entropy --format json"),
    case("compare", 0, "compare job.toml --algorithms flash,forest --k 2 --time-limit 0.000000001 --repeat 1 --format json"),
    case("compare", 0, "compare open.toml --algorithms flash --k 2,5 --repeat 1 --format json"),
    case("compare", 0, "compare mean.toml --algorithms flash --k 2 --repeat 1 --format json"),
    case("compare", 0, "compare demo/hospital.toml --algorithms agglomerative:block_rows=100,forest --k 5 --repeat 1 \
                        --format json"),
    case("compare", 0, "compare demo/target.toml --algorithms flash --k 5 --repeat 1 --classifiers naive-bayes,random-forest \
                        --format json"),

    case("error", 2, "check people.csv --qi zipp --json"),
    case("error", 2, "check none.csv --qi a --json"),
    case("error", 2, "anonymize --frobnicate --json"),
    case("error", 2, "anonymize job.toml --tim-limit 3 --json"),
    case("error", 2, "anonymize job.toml -k 9 --json"),
    case("error", 2, "anonymize bad.toml --json"),
    case("error", 2, "anonymize ragged.csv --qi a,b -k 2 -o out.csv --json"),
    case("error", 2, "anonymize people.csv --qi age=short.csv --rest other -k 2 -o out.csv --json"),
    case("error", 2, "anonymize people.csv --qi age -k 2 -o out.csv --json"),
    case("error", 2, "compare job.toml --k 1 --format json"),

    case("evaluate", 0, "anonymize demo/hospital.toml"),
    case("evaluate", 0, "evaluate demo/hospital.toml --target diagnosis --folds 3 --json"),
    case("evaluate", 0, "anonymize target.toml"),
    case("evaluate", 0, "evaluate target.toml --folds 2 --classifiers naive-bayes --json"),

    case("frontier", 0, "frontier job.toml --json"),
    case("frontier", 0, "frontier mean.toml --json"),
    case("frontier", 0, "frontier job.toml --objectives k,l,t-closeness:illness --method pbg-ea --json"),
    case("frontier", 0, "frontier job.toml --objectives k,sl,lm --method pbg-ea --reference exact --spread --json"),
    case("frontier", 0, "frontier job.toml --objectives k,lm,level --method front-walk --nodes 20 --local mondrian,forest \
                         --k 2,5 --json"),

    case("init", 0, "init people.csv --header -o people.toml --json"),
    case("init", 0, "init demo/hospital.csv -o demo/suggested.toml --json"),
    case("init", 0, "init stays.csv -o suggested.toml --json"),
    case("init", 0, "init many.csv -o many.toml --json"),

    case("recoding", 0, "anonymize job.toml -q --save saved.json"),
    case("recoding", 0, "anonymize job.toml --algorithm cut-search --suppressed mask -q --save saved.json"),
    case("recoding", 0, "anonymize job.toml --algorithm mondrian --output-encoding utf-16le -q --save saved.json"),
    case("recoding", 0, "anonymize ages.csv --qi age=auto -k 9 -o ages-out.csv --order shuffle:7 -q --save saved.json"),
    case("recoding", 0, "anonymize groups.toml -q --save saved.json"),

    case("policies", 0, "policies --json"),

    case("profile", 0, "profile people.csv --header --json"),
    case("profile", 0, "profile demo/hospital.csv --json"),
    case("profile", 0, "profile stays.csv --json"),
];

/// The small table, the demo's, one with several rows of each person, a population, and files that are wrong.
pub(super) fn world() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.throng("demo --rows 300 --dir demo").done();
    sandbox.write("stays.csv", stays());
    sandbox.write("persons.toml", PERSONS);
    sandbox.write("region.csv", region());
    // Ten columns that others may know.
    sandbox.write("many.csv", many());
    sandbox.write("wards.csv", "ward,wgt\nnorth,10\nnorth,12.5\nsouth,8\nwest,3\nwest,4\nwest,5\n");
    sandbox.write("target.toml", JOB.replace("sensitive", "target").replace("release.csv", "target.csv"));
    let demo = sandbox.read("demo/hospital.toml");
    let is_sensitive = |line: &&str| line.starts_with("diagnosis");
    let line = demo.lines().find(is_sensitive).expect("the sensitive column");
    sandbox.write("demo/target.toml", demo.replace(line, "diagnosis = { role = \"target\" }"));
    // Without a level for all, women stay women and men stay men.
    sandbox.write("sex.csv", "female;f\nmale;m\n");
    sandbox.write(
        "open.toml",
        JOB.replace("sex     = { role = \"quasi\"", "sex = { role = \"quasi\", hierarchy = \"sex.csv\""),
    );
    let ages = |more: &str| -> String {
        let rows: String = (20..60).map(|age| format!("{age}\n").repeat(3)).collect();
        format!("age\n{rows}{more}")
    };
    sandbox.write("more.csv", format!("{}Ida,49,female,99999,cold\n", sandbox.read("people.csv")));
    sandbox.write("ages.csv", ages(""));
    sandbox.write("strange.csv", ages("unknown\n"));
    let groups = "hierarchy = { groups = [{ young = [\"31\", \"33\", \"36\", \"38\"], \
                  old = [\"41\", \"45\", \"47\", \"49\"] }] }";
    sandbox.write("groups.toml", JOB.replace("hierarchy = \"age.csv\"", groups));
    let zip = JOB.lines().find(|line| line.starts_with("zip")).expect("the column");
    sandbox.write(
        "shifted.toml",
        PERSONS.replace("\"persons.csv\"", "\"shifted.csv\"").replace(
            "{ role = \"quasi\", hierarchy = { auto = true } }",
            "{ role = \"other\", shift_days = 10 }",
        ),
    );
    let coded = "zip = { role = \"other\", bottom = 13000, top = 22000, round = 100 }";
    sandbox.write("coded.toml", JOB.replace(zip, coded).replace("release.csv", "coded.csv"));
    sandbox.write("mean.toml", format!("{JOB}[search]\nmean = \"geometric\"\n"));
    sandbox.write("bad.toml", JOB.replace("k = 2", "k = = 2"));
    sandbox.write("ragged.csv", "a,b\n1,2\n3\n5,6\n");
    sandbox.write("short.csv", "31;*\n33;30-39;*\n");
    sandbox
}

const PERSONS: &str = r#"
input  = "stays.csv"
output = "persons.csv"

[columns]
patient_id = { role = "identifier" }
birth_date = { role = "quasi", hierarchy = { auto = true } }
sex     = { role = "quasi" }
illness = { role = "sensitive" }

[privacy]
k = 2
person = "patient_id"
"#;

/// One to four stays of each of sixty patients.
fn stays() -> String {
    let mut text = "patient_id,birth_date,sex,illness\n".to_owned();
    for stay in 0..4_u32 {
        for patient in (0..60_u32).filter(|patient| patient % 4 >= stay) {
            let (number, year, month) =
                (patient * 7919 % 99_991, 1930 + patient * 37 % 70, 1 + patient * 5 % 12);
            let (sex, illness) = (
                ["f", "m"][(patient % 2) as usize],
                ["flu", "gout", "cold"][((patient + stay) % 3) as usize],
            );
            writeln!(text, "P{number:05},{year}-{month:02}-17,{sex},{illness}")
                .expect("text can always grow");
        }
    }
    text
}

/// A woman and a man of every age from 30 to 49.
fn region() -> String {
    let people = (30..50).flat_map(|age| ["female", "male"].map(|sex| format!("{age};{sex}\n")));
    std::iter::once("age;sex\n".to_owned()).chain(people).collect()
}

/// A table of ten columns that others may know.
fn many() -> String {
    let names =
        ["age", "sex", "zip", "city", "nationality", "height", "language", "religion", "smoker", "school"];
    let row =
        |row: usize| (0..names.len()).map(|at| (20 + row * (at + 3) % 13).to_string()).collect::<Vec<_>>();
    let rows = (0..40).map(|at| row(at).join(",") + "\n");
    names.join(",") + "\n" + &rows.collect::<String>()
}
