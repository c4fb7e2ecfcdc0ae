//! The order in which a walk from the root meets the values of a tree.

use super::ValueId;

/// The places of a value and all that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Place of the value itself.
    pub(crate) start: u32,
    end: u32,
}

impl Span {
    /// Whether the value covers the one at a place.
    #[inline]
    pub(crate) fn contains(self, place: u32) -> bool {
        (self.start..self.end).contains(&place)
    }

    /// The first and the last place.
    pub(crate) fn ends(self) -> (u32, u32) {
        (self.start, self.end - 1)
    }
}

/// The span of every value, by the parent of each; the root is its own parent.
pub(crate) fn preorder(parents: &[ValueId]) -> Vec<Span> {
    let mut by_parent: Vec<ValueId> = (0..parents.len() as ValueId).collect();
    by_parent.sort_by_key(|&value| parents[value as usize]);
    let children = |parent: ValueId| {
        let first = by_parent.partition_point(|&value| parents[value as usize] < parent);
        let of_parent =
            by_parent[first..].iter().take_while(move |&&value| parents[value as usize] == parent);
        of_parent.copied().filter(move |&value| value != parent)
    };
    let mut spans = vec![Span { start: 0, end: 0 }; parents.len()];
    let mut order = Vec::with_capacity(parents.len());
    let mut todo: Vec<ValueId> =
        (0..parents.len() as ValueId).filter(|&value| parents[value as usize] == value).collect();
    while let Some(value) = todo.pop() {
        let place = order.len() as u32;
        spans[value as usize] = Span { start: place, end: place + 1 };
        order.push(value);
        todo.extend(children(value));
    }
    // Those below come later in the order, and end first.
    for &value in order.iter().rev() {
        let (end, parent) = (spans[value as usize].end, parents[value as usize]);
        let above = &mut spans[parent as usize];
        above.end = above.end.max(end);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_tell_what_covers_what() {
        // 0 and 1 below 4, that and 2 below 5, 3 alone below 6; the root is 7.
        let parents = [4, 4, 5, 6, 5, 7, 7, 7];
        let spans = preorder(&parents);
        for above in 0..8usize {
            for below in 0..8usize {
                let mut at = below;
                while at != above && parents[at] as usize != at {
                    at = parents[at] as usize;
                }
                assert_eq!(spans[above].contains(spans[below].start), at == above, "{above} over {below}");
            }
        }
    }
}
