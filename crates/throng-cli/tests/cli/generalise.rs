//! A table and no hierarchy: ranges, sets and prefixes by flags and by a job.

use crate::sandbox::Sandbox;

const FLAGS: &str = "--qi age=range --qi sex=set --qi zip=prefix --identifier name --sensitive illness -k 2";

const RELEASE: &str = "\
age,sex,zip,illness
31~38,female,1234*,flu
33~36,male,123**,cold
31~38,female,1234*,flu
33~36,male,123**,gout
45~47,female,2234*,flu
45~47,female,2234*,cold
41~49,male,223**,gout
41~49,male,223**,flu
";

#[test]
fn flags_and_jobs_release_ranges_sets_and_prefixes() {
    let sandbox = Sandbox::new();
    sandbox.throng(&format!("anonymize people.csv {FLAGS} --algorithm agglomerative -o release.csv")).done();
    assert_eq!(sandbox.read("release.csv"), RELEASE);
    let job = r#"
input = "people.csv"
output = "again.csv"
[columns]
name = { role = "identifier" }
age = { role = "quasi", generalise = "range" }
sex = { role = "quasi", generalise = { set = 2 } }
zip = { role = "quasi", generalise = "prefix" }
illness = { role = "sensitive" }
[privacy]
k = 2
[search]
algorithm = "agglomerative"
"#;
    sandbox.write("open.toml", job);
    sandbox.throng("anonymize open.toml").done();
    assert_eq!(sandbox.read("again.csv"), RELEASE);
}

#[test]
fn a_release_of_ranges_and_sets_can_be_checked_and_attacked() {
    let sandbox = Sandbox::new();
    let flags = FLAGS.replace("sex=set", "sex=set:2");
    let anonymize = format!("anonymize people.csv {flags} --algorithm expansion --notion kk -o release.csv");
    sandbox.throng(&anonymize).done();
    let quasi = "--qi age=range --qi sex=set:2 --qi zip=prefix";
    let checked = sandbox.throng(&format!("check people.csv release.csv {quasi}")).done();
    assert!(checked.contains("(k,k)"), "{checked}");
    sandbox.throng(&format!("attack people.csv release.csv {quasi} -k 2")).done();
}

#[test]
fn mistakes_are_explained() {
    let sandbox = Sandbox::new();
    let flags = |qi: &str| format!("anonymize people.csv --qi {qi} --rest identifier -k 2 -o release.csv");
    let ran = sandbox.throng(&flags("illness=range"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("column 'illness': the value is not a finite number"), "{}", ran.stderr);
    let ran = sandbox.throng(&flags("sex=set:1"));
    assert!(ran.stderr.contains("2 to 1000 members"), "{}", ran.stderr);
}
