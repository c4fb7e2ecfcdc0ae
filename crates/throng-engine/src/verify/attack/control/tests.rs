use std::fmt::Write as _;
use std::fs;

use throng::random::Random;

use super::*;
use crate::progress::Quiet;
use crate::verify::fixture::{JOB, ORIGINAL, RELEASED, written};

async fn measured(
    original: &str,
    released: &str,
    control: &str,
    job: &str,
    seed: u64,
) -> Result<ControlSummary> {
    let (directory, job) = written(original, released, job);
    let path = directory.path().join("control.csv");
    fs::write(&path, control).unwrap();
    let control = Control { table: path.into(), attacks: ATTACKS, seed };
    let opened = OpenJob::of_tables(&job)?;
    measure(&opened, job.output.path()?, &["ill".to_owned()], &control, &Quiet).await
}

fn rates(rate: &RiskRate) -> (u64, f64, f64, f64) {
    (rate.original.attacks, rate.original.rate, rate.control.rate, rate.risk)
}

/// Four people and four others, by hand. Nobody in the original is 35; it is a quarter of the numbers away from 30-34.
#[tokio::test(flavor = "multi_thread")]
async fn a_small_release_is_attacked_as_by_hand() {
    let control = "ill,age,sex\ncold,31,m\ncold,38,f\nflu,35,f\nFlu,33,m\n";
    let found = measured(ORIGINAL, RELEASED, control, JOB, 1).await.unwrap();
    assert_eq!(found.control_rows, 4);
    // (30-34, *, flu) is true of two of the original, as is (*, f, flu); each of the four questions of one of the others.
    assert_eq!(rates(&found.singling_out), (4, 0.5, 1.0, 0.0));
    // The one with the cold is taken for one of two with flu; of the others both with a cold are.
    assert_eq!(found.inference[0].column, "ill");
    assert_eq!(rates(&found.inference[0].rate), (4, 0.75, 0.5, 0.5));
    // The other woman of 38 has a cold, as no released row of her age or sex.
    assert_eq!(rates(&found.membership), (4, 1.0, 0.75, 1.0));
    assert!(found.linkability.is_some());
}

/// People of one kind: the illness depends on the age a little.
fn people(rows: usize, random: &mut Random) -> Vec<[String; 5]> {
    let one = |_| {
        let age = 20 + random.index(60);
        let ill = if random.index(60) + 20 < age { "flu" } else { ["cold", "gout"][random.index(2)] };
        let (sex, ward, street) = (["f", "m"][random.index(2)], random.index(400), random.index(400));
        [age.to_string(), sex.to_owned(), ward.to_string(), street.to_string(), ill.to_owned()]
    };
    (0..rows).map(one).collect()
}

fn any() -> String {
    "*".to_owned()
}

fn csv(rows: &[[String; 5]], show: impl Fn(&[String; 5]) -> [String; 5]) -> String {
    let mut text = "age,sex,ward,street,ill\n".to_owned();
    rows.iter().for_each(|row| writeln!(text, "{}", show(row).join(",")).unwrap());
    text
}

const WARDS: &str = "input = 'in.csv'\noutput = 'out.csv'\nprivacy.k = 2\n[columns]\nage = { role = 'quasi' }\n\
    sex = { role = 'quasi' }\nward = { role = 'quasi' }\nstreet = { role = 'quasi' }\nill = { role = 'sensitive' }\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_table_as_it_is_is_told_from_one_that_says_nothing() {
    for seed in 1..4 {
        let random = &mut Random::new(seed);
        let (rows, others) = (people(600, random), people(600, random));
        let (original, control) = (csv(&rows, Clone::clone), csv(&others, Clone::clone));
        let bare = measured(&original, &original, &control, WARDS, seed).await.unwrap();
        assert!(bare.singling_out.at_least > 0.5, "{seed}: {:?}", bare.singling_out);
        assert!(bare.inference[0].rate.at_least > 0.5, "{seed}: {:?}", bare.inference);
        assert!(bare.membership.at_least > 0.9, "{seed}: {:?}", bare.membership);
        // Age and ward name most people by themselves, and so do sex and street, though fewer.
        let linked = bare.linkability.unwrap();
        assert!(linked.at_least > 0.1 && linked.control.rate < linked.original.rate, "{seed}: {linked:?}");
        let nothing = |row: &[String; 5]| [any(), any(), any(), any(), row[4].clone()];
        let safe = measured(&original, &csv(&rows, nothing), &control, WARDS, seed).await.unwrap();
        assert_eq!((safe.singling_out.risk, safe.membership.risk), (0.0, 0.0), "{seed}");
        assert_eq!(safe.linkability.unwrap().at_least, 0.0, "{seed}");
        assert_eq!(safe.inference[0].rate.at_least, 0.0, "{seed}");
        // It tells what is frequent, of both alike.
        assert!(safe.inference[0].rate.control.rate > 0.2, "{seed}");
        // The same again, whatever the threads.
        let again = measured(&original, &csv(&rows, nothing), &control, WARDS, seed).await.unwrap();
        assert_eq!(again, safe);
    }
}

/// Ranges tell what is true of everybody of an age: of those in the table and of the others.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_true_of_people_in_general_is_no_risk() {
    let random = &mut Random::new(9);
    let (rows, others) = (people(1_500, random), people(700, random));
    let tens = |row: &[String; 5]| {
        let tens = row[0].parse::<u32>().unwrap() / 10 * 10;
        [format!("{tens}-{}", tens + 9), any(), any(), any(), row[4].clone()]
    };
    let (original, control) = (csv(&rows, Clone::clone), csv(&others, Clone::clone));
    let found = measured(&original, &csv(&rows, tens), &control, WARDS, 1).await.unwrap();
    let inference = &found.inference[0].rate;
    assert!(inference.control.rate > 0.5 && inference.at_least == 0.0, "{inference:?}");
    assert!(found.singling_out.at_least == 0.0 && found.membership.risk < 0.01, "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_group_must_have_people_and_columns() {
    let empty = measured(ORIGINAL, RELEASED, "age,sex,ill\n", JOB, 1).await.unwrap_err().to_string();
    assert!(empty.contains("control.csv") && empty.contains("no data rows"), "{empty}");
    let lacking = measured(ORIGINAL, RELEASED, "age,gender,ill\n31,f,flu\n", JOB, 1).await.unwrap_err();
    let lacking = lacking.to_string();
    assert!(lacking.contains("control.csv") && lacking.contains("'sex'"), "{lacking}");
}
