//! What the system says of this process.

use std::fs;

/// The text after a key such as `SigIgn:`, where the system tells.
pub fn status(key: &str) -> Option<String> {
    find(&fs::read_to_string("/proc/self/status").ok()?, key).map(str::to_owned)
}

/// The bytes after a key such as `VmHWM:`.
pub(crate) fn status_bytes(key: &str) -> Option<u64> {
    find_bytes(&fs::read_to_string("/proc/self/status").ok()?, key)
}

/// The bytes after a key, which are given in kibibytes.
pub(crate) fn find_bytes(text: &str, key: &str) -> Option<u64> {
    let kibibytes: u64 = find(text, key)?.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes << 10)
}

fn find<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_their_lines() {
        let text = "Name:\tthrong\nVmSize:\t  534120 kB\nSigIgn:\t0000000000001000\n";
        assert_eq!((find_bytes(text, "VmSize:"), find_bytes(text, "VmSwap:")), (Some(534_120 << 10), None));
        assert_eq!((find(text, "SigIgn:"), find_bytes(text, "Name:")), (Some("0000000000001000"), None));
    }
}
