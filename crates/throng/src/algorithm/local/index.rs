//! Indexes that the local algorithms share: closures with lower bounds of what it costs to join
//! them, and components of a graph that grows.

mod branch;
mod components;
mod grove;
mod pairs;
mod tree;

pub(super) use branch::branch;
pub(super) use components::Components;
pub(super) use grove::Grove;
pub(super) use pairs::{PairCosts, Probe};
pub(super) use tree::{ClosureSource, ClosureTree, OrderedCost, Query, Visit};
