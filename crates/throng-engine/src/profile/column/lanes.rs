//! Counts how cells are spelled.

use crate::profile::kind::Spellings;
use crate::profile::spelling::Spelling;

/// Rows of each spelling, counted by turns in several lists: a processor cannot add to the same
/// number twice at once.
pub(super) struct Lanes {
    rows: [[u64; Spelling::COUNT]; LANES],
    next: usize,
}

const LANES: usize = 4;

impl Default for Lanes {
    fn default() -> Lanes {
        Lanes { rows: [[0; Spelling::COUNT]; LANES], next: 0 }
    }
}

impl Lanes {
    #[inline]
    pub(super) fn count(&mut self, tag: u8) {
        self.rows[self.next % LANES][usize::from(tag)] += 1;
        self.next += 1;
    }

    pub(super) fn add_to(&self, spellings: &mut Spellings) {
        for (tag, &rows) in self.rows.iter().flat_map(|lane| (0..).zip(lane)) {
            spellings.count(Spelling(tag), rows);
        }
    }
}
