//! Tuples that have labels of their own.

use throng::release::Release;

use super::RowValues;

/// Tuples of codes, or parts of them, and what they become. All lists are by part; parts of a tuple are neighbours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TupleParts {
    /// For each column the code of its values.
    pub codes: Vec<Vec<u32>>,
    /// For each column the place of its label among those of the column.
    pub labels: Vec<Vec<u32>>,
    /// The first row of the tuple that is in the part, from 1, in whatever order the rows are drawn.
    pub first_rows: Vec<u32>,
    /// Rows of the part.
    pub rows: Vec<u32>,
    /// Whether the part is suppressed.
    pub suppressed: Vec<bool>,
    /// Whether some tuple has several parts, so that its rows have to be numbered.
    pub is_divided: bool,
}

impl TupleParts {
    pub(super) fn from_release(release: &Release, shown: &[RowValues]) -> TupleParts {
        let parts: Vec<usize> = (0..release.parts()).filter(|&part| release.rows(part) > 0).collect();
        let label = |part: usize, a: usize| shown[a].number(release.value(part, a));
        let mut first_rows: Vec<u32> = Vec::with_capacity(parts.len());
        for (at, &part) in parts.iter().enumerate() {
            let before =
                at.checked_sub(1).filter(|&before| release.tuple(parts[before]) == release.tuple(part));
            first_rows.push(before.map_or(1, |before| first_rows[before] + release.rows(parts[before])));
        }
        TupleParts {
            codes: columns(shown.len(), |a| parts.iter().map(|&part| release.leaf(part, a)).collect()),
            labels: columns(shown.len(), |a| parts.iter().map(|&part| label(part, a)).collect()),
            is_divided: first_rows.iter().any(|&first| first > 1),
            first_rows,
            rows: parts.iter().map(|&part| release.rows(part)).collect(),
            suppressed: parts.iter().map(|&part| release.is_suppressed(part)).collect(),
        }
    }

    /// Number of parts.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

fn columns(count: usize, of: impl Fn(usize) -> Vec<u32>) -> Vec<Vec<u32>> {
    (0..count).map(of).collect()
}
