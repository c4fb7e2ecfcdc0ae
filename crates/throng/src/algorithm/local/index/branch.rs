//! The way down a tree of values.

use crate::taxonomy::ValueId;

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
