//! How the trees over records are split: by the branches of one attribute.

use crate::taxonomy::ValueId;

/// Most parts of a node, if it can be split that way.
const WIDE: usize = 64;

/// The value next below `top` on the way to `value`; `top` if that is the value itself.
#[inline]
pub(in crate::algorithm::local) fn branch(
    top: ValueId,
    value: ValueId,
    parent: impl Fn(ValueId) -> ValueId,
) -> ValueId {
    let mut at = value;
    while at != top && parent(at) != top {
        at = parent(at);
    }
    at
}

/// The parts by the first attribute that gives several; one that gives very many comes last,
/// because to look at all of them is no better than a scan.
///
/// Ranges and sets below a closure may be impossible to part: then there are none.
pub(in crate::algorithm::local) fn first_parts<A: Copy, P>(
    attributes: &[A],
    mut parts_by: impl FnMut(A) -> P,
    count: impl Fn(&P) -> usize,
) -> Option<P> {
    let mut first = |most: usize| {
        attributes.iter().map(|&a| parts_by(a)).find(|parts| (2..=most).contains(&count(parts)))
    };
    first(WIDE).or_else(|| first(usize::MAX))
}
