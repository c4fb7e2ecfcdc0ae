//! The tuples of a table, moved in place when a part of them is cut.

use rayon::prelude::*;

use super::axis::CutAxis;
use crate::run::{Run, Stop};
use crate::table::Table;

/// Tuples transposed by one task, and moved between two questions whether to go on.
const BATCH: usize = 1 << 16;

/// One record after the other: its places on the axes, its rows, the number of its tuple.
///
/// Parts are neighbouring records. The last record of each part that is a class is marked.
pub(super) struct RankRecords {
    words: Vec<u32>,
    ends: Vec<bool>,
    width: usize,
}

impl RankRecords {
    pub(super) fn new(table: &Table, axes: &[CutAxis]) -> RankRecords {
        let width = axes.len() + 2;
        let mut words = vec![0; table.tuples() * width];
        words.par_chunks_mut(BATCH * width).enumerate().for_each(|(batch, words)| {
            let first = batch * BATCH;
            for (at, record) in words.chunks_exact_mut(width).enumerate() {
                let tuple = first + at;
                for (a, axis) in axes.iter().enumerate() {
                    record[a] = axis.rank(table.column(a)[tuple]);
                }
                record[width - 2] = table.weights()[tuple];
                record[width - 1] = tuple as u32;
            }
        });
        RankRecords { words, ends: vec![false; table.tuples()], width }
    }

    /// All of them as one part.
    pub(super) fn whole(&mut self) -> Region<'_> {
        Region { words: &mut self.words, ends: &mut self.ends, width: self.width }
    }

    /// The tuples of each class.
    pub(super) fn into_classes(self) -> Vec<Vec<u32>> {
        let tuples: Vec<u32> = self.words.chunks_exact(self.width).map(super::part_tuple).collect();
        let mut start = 0;
        let ends = self.ends.iter().enumerate().filter(|&(_, &end)| end);
        ends.map(|(last, _)| tuples[std::mem::replace(&mut start, last + 1)..=last].to_vec()).collect()
    }
}

/// Neighbouring records.
pub(super) struct Region<'r> {
    words: &'r mut [u32],
    ends: &'r mut [bool],
    width: usize,
}

impl<'r> Region<'r> {
    /// Number of records.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The records.
    pub(super) fn records(&self) -> impl Iterator<Item = &[u32]> {
        self.words.chunks_exact(self.width)
    }

    /// Makes the part a class.
    pub(super) fn close(&mut self) {
        *self.ends.last_mut().expect("parts are not empty") = true;
    }

    /// Moves the records that go left before the others.
    pub(super) fn split(
        self,
        goes_left: impl Fn(&[u32]) -> bool,
        run: &Run<'_>,
    ) -> Result<(Region<'r>, Region<'r>), Stop> {
        let width = self.width;
        let goes_left = |words: &[u32], at: usize| goes_left(&words[at * width..][..width]);
        let (mut left, mut right) = (0, self.len());
        let mut ask = BATCH;
        loop {
            while left < right && goes_left(self.words, left) {
                left += 1;
            }
            while left < right && !goes_left(self.words, right - 1) {
                right -= 1;
            }
            if left == right {
                break;
            }
            let (before, after) = self.words.split_at_mut((right - 1) * width);
            before[left * width..][..width].swap_with_slice(&mut after[..width]);
            (left, right) = (left + 1, right - 1);
            if left >= ask {
                run.go_on()?;
                ask = left + BATCH;
            }
        }
        let (left_words, right_words) = self.words.split_at_mut(left * width);
        let (left_ends, right_ends) = self.ends.split_at_mut(left);
        Ok((
            Region { words: left_words, ends: left_ends, width },
            Region { words: right_words, ends: right_ends, width },
        ))
    }
}
