//! A first good node: from the most general one, attributes are lowered one after the other while that is allowed and
//! pays.

use super::prices::Prices;
use crate::lattice::Node;
use crate::run::{Run, Stop};

/// Nodes that are tried at a time.
const AT_A_TIME: usize = 8;

/// Lowers attributes of a node of so much cost, those of most savings first, as long as the objective falls.
pub(super) fn descend(
    prices: &Prices,
    cost: i128,
    node: Node,
    run: &mut Run<'_>,
) -> Result<(i128, Node), Stop> {
    let floors = run.problem().lattice().floors();
    let mut at = (cost, node);
    // An attribute that could not be lowered here cannot be further down.
    let mut open: Vec<usize> = (0..at.1.levels().len()).collect();
    loop {
        open.retain(|&a| at.1.levels()[a] > floors[a]);
        let Some(next) = step(prices, &at, &mut open, run)? else { break };
        at = next;
    }
    let check = run.check(&at.1)?;
    Ok((check.cost().unwrap_or(at.0), at.1))
}

/// One attribute lower, if that pays; attributes that were tried in vain are no longer open.
fn step(
    prices: &Prices,
    at: &(i128, Node),
    open: &mut Vec<usize>,
    run: &mut Run<'_>,
) -> Result<Option<(i128, Node)>, Stop> {
    let saving = |a: usize| prices.step(a, at.1.levels()[a] - 1);
    open.sort_by_key(|&a| (std::cmp::Reverse(saving(a)), a));
    for some in open.clone().chunks(AT_A_TIME) {
        let nodes: Vec<Node> = some.iter().map(|&a| at.1.with(a, at.1.level(a) - 1)).collect();
        let costs = run.estimate_all(&nodes)?;
        let mut best: Option<(i128, Node)> = None;
        for ((node, cost), &a) in nodes.into_iter().zip(costs).zip(some) {
            match cost.filter(|&cost| cost < at.0) {
                Some(cost) if best.as_ref().is_none_or(|best| cost < best.0) => best = Some((cost, node)),
                Some(_) => {}
                None => open.retain(|&other| other != a),
            }
        }
        if best.is_some() {
            return Ok(best);
        }
    }
    Ok(None)
}
