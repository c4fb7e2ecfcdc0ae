//! The sensitive values of released rows, as privacy models compare them.

use rustc_hash::FxHashMap;
use throng::table::Carried;

use crate::dictionary::Dictionary;
use crate::prepare::{EncodedTable, LookedAt};

/// The values that pairs have of a sensitive column, given how many of their rows were seen with each code.
pub(super) fn compare(
    prepared: &EncodedTable,
    name: &str,
    dictionary: &Dictionary,
    seen: &FxHashMap<(u32, u32), u32>,
    pairs: usize,
) -> Carried {
    let told = prepared.roles.sensitive(name).cloned().unwrap_or_default();
    let codes: Vec<u32> = (0..dictionary.len() as u32).collect();
    let values = LookedAt::sensitive(name, &told).values(dictionary, &codes);
    let mut of_pair: Vec<Vec<(u32, u32)>> = vec![Vec::new(); pairs];
    let missing = dictionary.len() as u32;
    let mut seen: Vec<((u32, u32), u32)> = seen.iter().map(|(&seen, &rows)| (seen, rows)).collect();
    seen.sort_unstable();
    for ((pair, code), rows) in seen {
        of_pair[pair as usize].push((values[code as usize].unwrap_or(missing), rows));
    }
    Carried::adding_up(name, dictionary.len() + 1, of_pair).with_missing(Some(missing))
}
