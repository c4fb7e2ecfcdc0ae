use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use arrow::compute::concat;
use rayon::ThreadPoolBuilder;

use super::*;
use crate::encode::tests::grouped;
use crate::encode::{by_groups, encode_in_order};
use crate::input::dialect::DialectOverrides;
use crate::progress::Quiet;

/// What was shown of some columns.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<Vec<ArrayRef>>>>);

impl Seen {
    fn look(&self) -> impl FnMut(&[ArrayRef]) + Send + 'static {
        let seen = self.clone();
        move |columns| seen.0.lock().unwrap_or_else(PoisonError::into_inner).push(columns.to_vec())
    }

    fn columns(&self) -> Vec<ArrayRef> {
        let seen = self.0.lock().unwrap();
        let column = |at: usize| {
            let cells: Vec<&dyn Array> = seen.iter().map(|columns| columns[at].as_ref()).collect();
            concat(&cells).unwrap()
        };
        (0..seen[0].len()).map(column).collect()
    }
}

/// Two observers, and what they see: one of every row, and one of a sample.
fn two(most_rows: u64) -> (Vec<Observer>, [Seen; 2]) {
    let seen = [Seen::default(), Seen::default()];
    let all = Observer::of_all_rows(vec![2, 0], seen[0].look());
    (vec![all, Observer::of_sample(vec![1, 0], most_rows, seen[1].look())], seen)
}

async fn assert_seen_alike(source: &Source, most_rows: u64) {
    let (observers, expected) = two(most_rows);
    Observers::new(observers).read(source, &Quiet).await.unwrap();
    let expected = expected.map(|seen| seen.columns());
    for threads in [1, 2, 5] {
        let (observers, seen) = two(most_rows);
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let groups = pool.install(|| by_groups::open(source, &[0, 1], &Default::default(), true));
        groups.unwrap().expect("parts").encode(Observers::new(observers), &Quiet).await.unwrap();
        assert!(seen.map(|seen| seen.columns()) == expected, "{threads} threads");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_groups_are_seen_in_order() {
    let (_directory, source) = grouped(20_000);
    for most_rows in [1, 5_000, 20_000, 1 << 20] {
        assert_seen_alike(&source, most_rows).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_pieces_are_seen_in_order() {
    let mut text = String::from("a,b,c\n");
    (0..500_000).for_each(|row| writeln!(text, "{row},{},value {}", row % 7, row * 31 % 1_009).unwrap());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.csv");
    std::fs::write(&path, text).unwrap();
    let source = Source::open(&path, &DialectOverrides::default()).unwrap();
    for most_rows in [100_000, 1 << 20] {
        assert_seen_alike(&source, most_rows).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_reader_shows_the_same() {
    let (_directory, source) = grouped(3_000);
    let (observers, seen) = two(1 << 20);
    let (budget, observers) = (Arc::default(), Observers::new(observers));
    let encoded = encode_in_order(&source, &[0], &budget, observers, &Quiet).await.unwrap();
    assert_eq!(encoded.rows(), 3_000);
    let (observers, expected) = two(1 << 20);
    Observers::new(observers).read(&source, &Quiet).await.unwrap();
    assert!(seen.map(|seen| seen.columns()) == expected.map(|seen| seen.columns()));
}
