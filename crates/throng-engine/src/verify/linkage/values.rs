//! The sensitive values of released rows, as privacy models compare them.

use rustc_hash::FxHashSet;
use throng::table::Carried;

use crate::dictionary::Dictionary;
use crate::prepare::{EncodedTable, LookedAt};

/// The values that pairs have of a sensitive column, without missing cells, given the codes that their rows were seen with.
/// Whether a value is there is all that is asked, not how often.
pub(super) fn compare(
    prepared: &EncodedTable,
    name: &str,
    dictionary: &Dictionary,
    seen: &FxHashSet<(u32, u32)>,
    pairs: usize,
) -> Carried {
    let told = prepared.roles.sensitive(name).cloned().unwrap_or_default();
    let codes: Vec<u32> = (0..dictionary.len() as u32).collect();
    let values = LookedAt::sensitive(name, &told).values(dictionary, &codes);
    let mut of_pair: Vec<Vec<(u32, u32)>> = vec![Vec::new(); pairs];
    let mut seen: Vec<(u32, u32)> = seen.iter().copied().collect();
    seen.sort_unstable();
    for (pair, code) in seen {
        of_pair[pair as usize].extend(values[code as usize].map(|value| (value, 1)));
    }
    Carried::adding_up(name, dictionary.len(), of_pair)
}
