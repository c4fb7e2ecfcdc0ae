//! The memory that is left, and what a table needs at least: a run that cannot end is refused before it starts.
//!
//! What a run needs is not known beforehand: it depends on how many tuples are distinct. So these are lower
//! bounds, of what is held at the same time whatever the data are: what they refuse would have failed.

mod size;
mod watch;

use std::sync::atomic::{AtomicU64, Ordering};

pub use size::ByteSize;
pub(crate) use watch::MemoryWatch;

use throng::algorithm::Family;

use crate::dictionary::Dictionary;
use crate::error::{EngineError, Result};
use crate::input::source::Source;

/// Bytes of a distinct tuple while classes are counted: a key of at least one word, and its rows.
const TUPLE_BYTES: u64 = 12;
/// Bytes of a distinct value in a taxonomy: its label and where that is, and its place in the tree.
const VALUE_BYTES: u64 = 48;
/// Bytes of a row's key during the scan.
const KEY_BYTES: u64 = 8;
/// What decoding and encoding hold in any case: a few batches of rows, and buffers.
const SCAN_BYTES: u64 = 4 << 20;

/// Refuses to scan a table whose keys alone do not fit; at most `buffer_bytes` of them are held.
pub(crate) fn refuse_scan(source: &Source, buffer_bytes: usize) -> Result<()> {
    let keys = source.expected_rows().unwrap_or(0).saturating_mul(KEY_BYTES).min(buffer_bytes as u64);
    refuse(keys + SCAN_BYTES, "reading it", source)
}

/// Refuses to search a table whose classes and taxonomies do not fit.
pub(crate) fn refuse_search(source: &Source, tuples: usize, values: usize) -> Result<()> {
    let needed = tuples as u64 * TUPLE_BYTES + values as u64 * VALUE_BYTES;
    let searching = format!("searching its {tuples} distinct tuples of {values} values");
    refuse(needed, &searching, source)
}

/// What a scan may hold, and what all its hands hold.
#[derive(Debug)]
pub struct Budget {
    limit: Option<ByteSize>,
    pub(crate) most_rows: u64,
    values: AtomicU64,
    tuples: AtomicU64,
}

/// Bytes of the distinct values that were met, and of the tuples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldBytes {
    pub(crate) values: u64,
    pub(crate) tuples: u64,
}

impl Default for Budget {
    /// Any memory, and as many rows as one tuple can have: whoever looks at tuples need not know that one may be there
    /// several times.
    fn default() -> Budget {
        Budget::new(None, u32::MAX.into())
    }
}

impl Budget {
    pub(crate) fn new(limit: Option<ByteSize>, most_rows: u64) -> Budget {
        Budget { limit, most_rows, values: AtomicU64::new(0), tuples: AtomicU64::new(0) }
    }

    /// Takes note that a hand, which held `before`, holds `now`; `rows` of the source were read by it.
    ///
    /// # Errors
    /// If all together are above the limit.
    pub(crate) fn note(&self, before: HeldBytes, now: HeldBytes, rows: u64, source: &Source) -> Result<()> {
        let change = |sum: &AtomicU64, before: u64, now: u64| {
            let change = now.wrapping_sub(before);
            sum.fetch_add(change, Ordering::Relaxed).wrapping_add(change)
        };
        let values = change(&self.values, before.values, now.values);
        let tuples = change(&self.tuples, before.tuples, now.tuples);
        match self.limit {
            Some(limit) if values + tuples > limit.0 => Err(over_limit(limit, values, tuples, rows, source)),
            _ => Ok(()),
        }
    }
}

fn over_limit(limit: ByteSize, values: u64, tuples: u64, rows: u64, source: &Source) -> EngineError {
    let (all, values, tuples) = (ByteSize(values + tuples), ByteSize(values), ByteSize(tuples));
    let reason = (
        format!(
            "memory_limit is {limit}, and more than {all} is needed: after {rows} rows the values of the \
             quasi-identifiers alone take {values} and the distinct tuples {tuples}"
        ),
        "allow more, or use fewer quasi-identifiers with fewer values",
    );
    EngineError::Memory(reason.into()).in_file(source.path())
}

/// Bytes of a cell of a distinct tuple in a local search, about, beyond what searches of whole columns hold: records,
/// their neighbours, and what each becomes. Measured with 6 to 24 columns (docs/scale.md).
const LOCAL_CELL_BYTES: u64 = 28;

/// Bytes that a search holds for each distinct tuple: its codes, its class, half a class that is kept, and one that is
/// counted, with its slots.
fn bytes_per_tuple(family: Family, dictionaries: &[Dictionary]) -> u64 {
    let bits = |dictionary: &Dictionary| u64::from(usize::BITS - dictionary.len().leading_zeros());
    let key_bytes = 8 * dictionaries.iter().map(bits).sum::<u64>().div_ceil(64).next_power_of_two();
    let (columns, class_bytes) = (dictionaries.len() as u64, key_bytes + 8);
    let of_whole_columns = 4 * (columns + 1) + 5 * class_bytes / 2 + 8;
    match family {
        Family::FullDomain | Family::Cut => of_whole_columns,
        Family::Local => of_whole_columns + LOCAL_CELL_BYTES * columns,
    }
}

/// Refuses to search a table if what is held at the same time is above a limit: the tuples and what the search
/// makes of them, the values, and the taxonomies.
pub(crate) fn refuse_above(
    limit: Option<ByteSize>,
    family: Family,
    source: &Source,
    tuples: usize,
    dictionaries: &[Dictionary],
) -> Result<()> {
    let Some(limit) = limit else { return Ok(()) };
    let of_tuples = tuples as u64 * bytes_per_tuple(family, dictionaries);
    let values: u64 = dictionaries.iter().map(|dictionary| dictionary.held_bytes()).sum();
    let taxonomies = VALUE_BYTES * dictionaries.iter().map(|dictionary| dictionary.len() as u64).sum::<u64>();
    let needed = of_tuples + values + taxonomies;
    if needed <= limit.0 {
        return Ok(());
    }
    let reason = (
        format!(
            "memory_limit is {limit}, and at least {} is needed on top of what the program itself takes: \
             {} for {tuples} distinct tuples and {} for the values of the quasi-identifiers",
            ByteSize(needed),
            ByteSize(of_tuples),
            ByteSize(values + taxonomies)
        ),
        "allow more, or use fewer quasi-identifiers with fewer values",
    );
    Err(EngineError::Memory(reason.into()).in_file(source.path()))
}

/// The error of a scan that found no more memory after so many rows.
pub(crate) fn exhausted(source: &Source, rows: u64) -> EngineError {
    let reason = (
        format!("it ran out after {rows} rows"),
        "allow more, or use fewer quasi-identifiers with fewer values",
    );
    EngineError::Memory(reason.into()).in_file(source.path())
}

fn refuse(needed: u64, doing: &str, source: &Source) -> Result<()> {
    match system::room() {
        Some(Room { bytes, limit }) if bytes < needed => {
            let reason = format!(
                "{doing} needs at least {} more, but only {} is left of {limit}",
                ByteSize(needed),
                ByteSize(bytes)
            );
            Err(EngineError::Memory(reason.into()).in_file(source.path()))
        }
        _ => Ok(()),
    }
}

/// What is left of the limit that is reached first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Room {
    bytes: u64,
    limit: &'static str,
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;
    use std::path::{Path, PathBuf};

    use rustix::process::{Resource, getrlimit};

    use super::Room;
    use crate::process::{find_bytes, status_bytes};

    /// The room under each limit that there is; a limit that cannot be read is none.
    pub(super) fn room() -> Option<Room> {
        let limited = |resource, used: &str| {
            let limit = getrlimit(resource).current?;
            Some(limit.saturating_sub(status_bytes(used)?))
        };
        let rooms = [
            (limited(Resource::As, "VmSize:"), "the limit on the address space (ulimit -v)"),
            (limited(Resource::Data, "VmData:"), "the limit on data (ulimit -d)"),
            (group_room(), "the limit of the control group"),
            (machine_room(), "the machine's memory and swap"),
        ];
        let rooms = rooms.into_iter().filter_map(|(bytes, limit)| Some(Room { bytes: bytes?, limit }));
        rooms.min_by_key(|room| room.bytes)
    }

    fn machine_room() -> Option<u64> {
        let info = fs::read_to_string("/proc/meminfo").ok()?;
        Some(find_bytes(&info, "MemAvailable:")? + find_bytes(&info, "SwapFree:").unwrap_or(0))
    }

    /// The least room of the control group and those that it is in. Files in the cache make way.
    fn group_room() -> Option<u64> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
        let root = Path::new("/sys/fs/cgroup");
        let group: PathBuf = root.join(own);
        group.ancestors().take_while(|group| group.starts_with(root)).filter_map(room_in).min()
    }

    fn room_in(group: &Path) -> Option<u64> {
        let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
        let (limit, used) = (number("memory.max")?, number("memory.current")?);
        let swap =
            number("memory.swap.max").unwrap_or(0).saturating_sub(number("memory.swap.current").unwrap_or(0));
        let statistics = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
        let of = |key: &str| {
            let mut words = statistics.lines().filter_map(|line| line.split_once(' '));
            words.find_map(|(name, bytes)| (name == key).then(|| bytes.parse::<u64>().ok())).flatten()
        };
        let cached = of("file").unwrap_or(0) + of("slab_reclaimable").unwrap_or(0);
        Some(limit.saturating_sub(used.saturating_sub(cached)) + swap)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// A group without a limit has no number there.
        #[test]
        fn files_in_the_cache_make_way() {
            let group = tempfile::tempdir().unwrap();
            let write = |name: &str, text: &str| fs::write(group.path().join(name), text).unwrap();
            write("memory.max", "max\n");
            write("memory.current", "900\n");
            assert_eq!(room_in(group.path()), None);
            write("memory.max", "1000\n");
            assert_eq!(room_in(group.path()), Some(100));
            write("memory.stat", "anon 300\nfile 500\nfile_mapped 20\n");
            assert_eq!(room_in(group.path()), Some(600));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::Room;

    pub(super) fn room() -> Option<Room> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn more_than_any_machine_has_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        std::fs::write(&path, "a,b\n1,2\n3,4\n").unwrap();
        let source = Source::open(&path, &Default::default()).unwrap();
        refuse_scan(&source, 1 << 20).unwrap();
        refuse_search(&source, 2, 4).unwrap();
        let error = refuse_search(&source, 1 << 50, 4).unwrap_err().to_string();
        assert!(error.starts_with("not enough memory: ") && error.contains("needs at least"), "{error}");
    }
}
