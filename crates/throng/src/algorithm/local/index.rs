//! Indexes that the local algorithms share: closures with lower bounds of what it costs to join
//! them, and components of a graph that grows.
//!
//! All stand in the same [tree](ClosureTree), and costs come from the same [pairs](PairCosts). What is
//! different has a reason: the (k,k) family asks also which records are consistent, and has
//! [prices](super::k_k) in the place of costs so that ties do not depend on the order of attributes;
//! `spatial-distance` has distances that no closure bounds, and `mondrian` cuts without a search.

mod branch;
mod closure_forest;
mod components;
mod pairs;
mod tree;

pub(super) use branch::branch;
pub(super) use closure_forest::ClosureForest;
pub(super) use components::Components;
pub(super) use pairs::{PairCosts, Probe};
pub(super) use tree::{ClosureSource, ClosureTree, OrderedCost, Query, Visit};
