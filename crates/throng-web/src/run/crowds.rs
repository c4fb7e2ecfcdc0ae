//! The crowds of a release: rows that are alike in all that others may know, as its file has them.

use serde::{Deserialize, Serialize};
use throng_engine::encode::encode;
use throng_engine::error::Result;
use throng_engine::input::source::Source;
use throng_engine::job::Job;
use throng_engine::progress::Progress;

use crate::draft::quasi;

/// Crowds that are drawn.
const MOST: usize = 400;

/// A crowd.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Crowd {
    pub(crate) rows: u64,
    /// What all of it shows, in the order of the columns.
    pub(crate) shows: Vec<String>,
}

/// The crowds of a release, or every so many of them from the largest to the smallest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Crowds {
    pub(crate) columns: Vec<String>,
    /// How many there are.
    pub(crate) total: u64,
    pub(crate) crowds: Vec<Crowd>,
}

/// Finds the crowds of a release.
///
/// # Errors
/// If it cannot be read.
pub(super) async fn find(job: &Job, progress: &dyn Progress) -> Result<Crowds> {
    let source = Source::open(job.output.path()?, &job.csv_of_release())?;
    let place = |name: &String| source.columns().iter().position(|column| column == name);
    let (columns, places): (Vec<String>, Vec<usize>) =
        quasi(job).into_iter().filter_map(|name| place(&name).map(|at| (name, at))).unzip();
    let encoded = encode(&source, &places, progress).await?;
    let words: Vec<Vec<&str>> = encoded.dictionaries.iter().map(|words| words.values().collect()).collect();
    let mut order: Vec<usize> = (0..encoded.weights.len()).collect();
    order.sort_by_key(|&tuple| std::cmp::Reverse(encoded.weights[tuple]));
    let crowd = |tuple: usize| Crowd {
        rows: u64::from(encoded.weights[tuple]),
        shows: (0..columns.len())
            .map(|at| words[at][encoded.columns[at][tuple] as usize].to_owned())
            .collect(),
    };
    let total = order.len();
    let every = total.div_ceil(MOST).max(1);
    let crowds = order.into_iter().step_by(every).map(crowd).collect();
    Ok(Crowds { columns, total: total as u64, crowds })
}
