//! Numbers in flags; a minus sign does not make a number look like another flag.

/// Reads a seed.
pub(crate) fn read_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("must be a whole number from 0 to {}", i64::MAX))
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
