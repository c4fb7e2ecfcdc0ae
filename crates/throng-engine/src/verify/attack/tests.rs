use super::*;
use crate::progress::Quiet;
use crate::verify::fixture::{JOB, ORIGINAL, RELEASED, written};

async fn attack_on(original: &str, released: &str, job: &str) -> Result<AttackSummary> {
    let (_directory, job) = written(original, released, job);
    attack(&OpenJob::of_tables(&job)?, job.output.path()?, &["ill".to_owned()], true, None, &Quiet).await
}

/// Rows in the order of their text: which is whose cannot be told any more.
fn reordered(released: &str) -> String {
    let (header, rows) = released.split_once('\n').unwrap();
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort_unstable_by_key(|row| std::cmp::Reverse(*row));
    format!("{header}\n{}\n", rows.join("\n"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_order_of_a_release_changes_nothing() {
    let found = attack_on(ORIGINAL, RELEASED, JOB).await.unwrap();
    // Rows 2 and 3 fit three released rows, row 1 two, and row 4 one.
    assert_eq!(found.neighbours.distribution, BTreeMap::from([(1, 1), (2, 1), (3, 2)]));
    // Row 1 fits its own and the last released row, both with flu; row 4 the last.
    assert_eq!(found.neighbours.certain_rows["ill"], 2);
    let worst = found.neighbours.worst.iter().map(|worst| (worst.row, worst.rows_alike, worst.links));
    assert_eq!(worst.collect::<Vec<_>>(), [(4, 0, 1), (1, 0, 2), (2, 1, 3)]);
    assert_eq!((found.rows, found.released_rows, found.left_out_rows, found.stray_rows), (4, 4, 0, 0));
    assert!(found.succeeds && found.holds == Some(false));
    assert_ne!(reordered(RELEASED), RELEASED);
    assert_eq!(attack_on(ORIGINAL, &reordered(RELEASED), JOB).await.unwrap(), found);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_may_be_left_out_and_strangers_are_seen() {
    let found = attack_on(ORIGINAL, "ill,sex,age\ncold,m,30-34\nflu,m,30-34\n", JOB).await.unwrap();
    assert_eq!((found.released_rows, found.left_out_rows, found.stray_rows), (2, 2, 0));
    assert_eq!(found.matches.distribution, BTreeMap::from([(2, 2)]));
    assert!(!found.succeeds && found.holds == Some(true));
    let strange = attack_on(ORIGINAL, "age,sex,ill\n38,m,flu\n33,m,flu\n", JOB).await.unwrap();
    assert_eq!((strange.released_rows, strange.stray_rows), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn ranges_and_sets_need_no_hierarchy() {
    let job = JOB.replace(", hierarchy = 'age.csv'", "");
    let released = "age,sex,ill\n30-34,\"{f, m}\",flu\n\"[30, 38)\",m,cold\n33,,flu\n35+,f,flu\n";
    let found = attack_on(ORIGINAL, released, &job).await.unwrap();
    assert_eq!(found.neighbours.distribution, BTreeMap::from([(1, 2), (3, 2)]));
    assert_eq!(found.stray_rows, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_nobody_understands_is_explained_without_showing_it() {
    let unknown =
        attack_on(ORIGINAL, &RELEASED.replace("*,f,", "thirties,f,"), JOB).await.unwrap_err().to_string();
    assert!(unknown.ends_with(
        "out.csv: row 4, column 'age': the released value is not in the hierarchy, so it covers nothing; is \
            this the release's hierarchy?"
    ));
    let job = JOB.replace(", hierarchy = 'age.csv'", "");
    let flat =
        attack_on(ORIGINAL, &RELEASED.replace("*,f,", "thirties,f,"), &job).await.unwrap_err().to_string();
    assert!(flat.contains("row 4, column 'age': ") && flat.contains("has no hierarchy; name"), "{flat}");
    assert!(!flat.contains("thirties") && !unknown.contains("thirties"), "a cell is shown");
    let secret = attack_on(ORIGINAL, &RELEASED.replace("ill", "illness"), JOB).await.unwrap_err().to_string();
    assert!(secret.contains("no column 'ill'"), "{secret}");
}

async fn attack_knowing(original: &str, released: &str, known: &str) -> Result<AttackSummary> {
    let (_directory, job) = written(original, released, JOB);
    let known = KnownValues::read(known, 1)?;
    let opened = OpenJob::of_tables(&job)?;
    attack(&opened, job.output.path()?, &["ill".to_owned()], true, Some(&known), &Quiet).await
}

const ALIKE: &str = "name,age,sex,ill\na,31,f,flu\nb,31,f,cold\nc,31,f,gout\nd,31,f,ulcer\n";
const ALIKE_RELEASED: &str = "age,sex,ill\n30-34,*,Gout\n30-34,*,flu \n30-34,*,ULCER\n30-34,*,cold\n";

/// In a class of four illnesses, who knows three knows the fourth, and who knows two knows none; however they are spelled.
#[tokio::test(flavor = "multi_thread")]
async fn who_knows_all_illnesses_but_one_knows_the_last() {
    let links = |found: AttackSummary| {
        let informed = found.informed.unwrap();
        assert_eq!(found.matches.certain_rows["ill"], 0, "without her knowledge nothing is certain");
        (
            informed.known_rows,
            informed.links.distribution,
            informed.links.certain_rows["ill"].as_u64().unwrap(),
        )
    };
    let three = attack_knowing(ALIKE, ALIKE_RELEASED, "ill=75%").await.unwrap();
    assert!(three.succeeds, "she does, and nobody else");
    let worst = three.informed.as_ref().unwrap().links.worst.clone();
    assert_eq!((worst.len(), worst[0].rows_alike, worst[0].links), (1, 0, 1));
    assert_eq!(links(three), (3, BTreeMap::from([(1, 1)]), 1));
    let two = attack_knowing(ALIKE, ALIKE_RELEASED, "ill=2").await.unwrap();
    assert!(!two.succeeds);
    assert_eq!(links(two), (2, BTreeMap::from([(2, 2)]), 0));
    let all = attack_knowing(ALIKE, ALIKE_RELEASED, "ill=100%").await.unwrap();
    assert_eq!(links(all), (4, BTreeMap::new(), 0));
}

/// Who has no value is not drawn, and a row that shows none may be anybody's.
#[tokio::test(flavor = "multi_thread")]
async fn missing_values_are_not_known() {
    let (original, released) = (ALIKE.replace("gout", ""), ALIKE_RELEASED.replace("Gout", ""));
    let found = attack_knowing(&original, &released, "ill=1.0").await.unwrap().informed.unwrap();
    assert_eq!((found.known_rows, found.links.distribution), (3, BTreeMap::from([(4, 1)])));
    let problem = attack_knowing(&original, &released, "ill=4").await.unwrap_err().to_string();
    assert!(problem.contains("in 4 rows, but only 3 have one"), "{problem}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_sensitive_column_can_be_known() {
    let problem = attack_knowing(ORIGINAL, RELEASED, "il=0.5").await.unwrap_err().to_string();
    assert!(
        problem.contains("'il' is not a sensitive column of this attack (did you mean 'ill'?)"),
        "{problem}"
    );
    let problem = attack_knowing(ORIGINAL, RELEASED, "sex=0.5").await.unwrap_err().to_string();
    assert!(
        problem.contains(
            "'sex' is not a sensitive column of this attack; the sensitive columns are \
                              'ill'"
        ),
        "{problem}"
    );
}
