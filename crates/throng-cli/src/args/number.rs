//! Numbers in flags; a minus sign does not make a number look like another flag.

use throng::loss::{Mean, Preference};
use throng_engine::job::find_mean;

/// Reads a seed.
pub(crate) fn read_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("must be a whole number from 0 to {}", i64::MAX))
}

/// Reads a mean over columns.
pub(crate) fn read_mean(text: &str) -> Result<Mean, String> {
    find_mean(text).map_err(|message| message.to_string())
}

/// Reads a preference between suppressing and generalising.
pub(crate) fn read_preference(text: &str) -> Result<Preference, String> {
    let number = text.parse().map_err(|_| "must be a number from 0 to 1".to_owned())?;
    Preference::new(number).map_err(|message| message.to_string())
}

/// Reads a number of threads.
pub(crate) fn read_threads(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "must be a whole number of at least 1")
}

/// Reads k.
pub(crate) fn read_k(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "k must be a whole number of at least 2")
}

/// Reads a whole number that has a least value.
pub(crate) fn read_at_least<const LEAST: u64>(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|&number| number >= LEAST);
    number.ok_or_else(|| format!("must be a whole number of at least {LEAST}"))
}
