use throng::notion::Notion;

use super::*;
use crate::error::EngineError;
use crate::progress::Quiet;
use crate::verify::fixture::{JOB, ORIGINAL, RELEASED, written};

async fn link(original: &str, released: &str, job: &str) -> Result<Linkage> {
    let (_directory, job) = written(original, released, job);
    Linkage::read(&job, job.output.path()?, &Quiet).await
}

async fn complaint(released: &str, job: &str) -> String {
    match link(ORIGINAL, released, job).await {
        Err(error @ EngineError::BadInput(_)) => {
            error.to_string().rsplit_once("out.csv: ").unwrap().1.to_owned()
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was accepted"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_paired_in_order() {
    let linkage = link(ORIGINAL, RELEASED, JOB).await.unwrap();
    assert_eq!((linkage.rows(), linkage.quasi().collect::<Vec<_>>()), (4, vec!["age", "sex"]));
    // Rows 2 and 3 fit three released rows, row 1 two, and row 4 its own only.
    let degrees = linkage.degrees();
    assert_eq!(Notion::ALL.map(|notion| degrees.degree(notion)), [1, 1, 2, 1, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_without_a_header_has_the_names_of_the_job() {
    let strip = |text: &str| text.split_once('\n').unwrap().1.to_owned();
    let job = JOB.replace("privacy.k", "csv.header = false\nprivacy.k");
    let job = ["name", "age", "sex", "ill"].iter().zip(1..).fold(job, |job, (name, number)| {
        job.replace(&format!("{name} = {{ role"), &format!("column_{number} = {{ role"))
    });
    let linkage = link(&strip(ORIGINAL), &strip(RELEASED), &job).await.unwrap();
    assert_eq!((linkage.degrees().k_one, linkage.degrees().one_k), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_differ_in_rows_are_refused() {
    let fewer = complaint("age,sex,ill\n30-34,*,flu\n*,f,flu\n", JOB).await;
    assert!(fewer.starts_with("it has 2 rows, the original has 4; "), "{fewer}");
    let more = complaint(&format!("{RELEASED}*,*,flu\n"), JOB).await;
    assert!(more.starts_with("it has 5 rows, the original has 4; "), "{more}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_does_not_cover_is_explained_without_showing_it() {
    let other_order = complaint(&RELEASED.replace("*,f,", "30-34,f,"), JOB).await;
    assert_eq!(
        other_order,
        "row 4, column 'age': the released value does not cover the original one; are the rows in the same \
            order as in the original?"
    );
    let unknown = complaint(&RELEASED.replace("*,f,", "30s,f,"), JOB).await;
    assert!(
        unknown.starts_with("row 4, column 'age': the released value is not in the hierarchy"),
        "{unknown}"
    );
    let job = JOB.replace(", hierarchy = 'age.csv'", "");
    let flat = complaint(RELEASED, &job).await;
    assert!(flat.starts_with("row 1, column 'age': ") && flat.contains("has no hierarchy; name"), "{flat}");
    assert!(!flat.contains("30-34") && !unknown.contains("30s"), "a cell is shown");
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_that_are_missing_are_named() {
    let missing = complaint(&RELEASED.replace("age,sex", "Age,sex"), JOB).await;
    assert!(missing.starts_with("there is no column 'age' (did you mean 'Age'?)"), "{missing}");
}

/// The release of a job by (k,k) and two values, in which everybody's crowd is everybody.
async fn values(illnesses: [&str; 4], exact: &str) -> Option<u64> {
    let require = "privacy.k = 2\nprivacy.notion = 'kk'\n\
                   privacy.require = [{ model = 'distinct-l', l = 2, column = 'ill' }]";
    let job = JOB.replace("privacy.k = 2", require).replace("'sensitive'", &format!("'sensitive'{exact}"));
    let rows = illnesses.map(|ill| format!("*,*,{ill}\n")).concat();
    let linkage = link(ORIGINAL, &format!("age,sex,ill\n{rows}"), &job).await.unwrap();
    assert_eq!(linkage.values(Notion::KK, "age"), None, "nothing is required of it");
    linkage.values(Notion::GlobalOneK, "ill")
}

#[tokio::test(flavor = "multi_thread")]
async fn values_of_crowds_are_compared_as_models_compare_them() {
    assert_eq!(values(["flu", "cold", "flu", "gout"], "").await, Some(3));
    assert_eq!(
        values(["flu", "FLU", "flu", "?"], "").await,
        Some(1),
        "spellings are one value, missing is none"
    );
    assert_eq!(values(["flu", "FLU", "flu", "flu"], ", exact = true").await, Some(2));
}

/// Row 4 fits its own released row only.
#[tokio::test(flavor = "multi_thread")]
async fn the_fewest_values_are_those_of_the_smallest_crowd() {
    let require = "privacy.k = 2\nprivacy.notion = 'kk'\n\
                   privacy.require = [{ model = 'distinct-l', l = 2, column = 'ill' }]";
    let job = JOB.replace("privacy.k = 2", require);
    assert_eq!(link(ORIGINAL, RELEASED, &job).await.unwrap().values(Notion::KK, "ill"), Some(1));
    let wider = RELEASED.replace("30-34,m,cold", "*,*,cold");
    assert_eq!(link(ORIGINAL, &wider, &job).await.unwrap().values(Notion::KK, "ill"), Some(2));
}
