//! What classes are counted over: a level or a cut for each attribute.

use std::borrow::Cow;

use super::LevelCodes;
use crate::cut::Cut;
use crate::lattice::{Level, Node};
use crate::problem::Problem;
use crate::taxonomy::ValueId;

/// A leaf → value map for each attribute: those of a node's levels, or cuts.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// The node itself, or the highest one below all cuts: what the classes can be rolled up from.
    floor: Node,
    /// None for a node.
    cuts: Option<Box<[CutCodes]>>,
}

/// The values of a cut, numbered by first occurrence among the leaves.
#[derive(Clone, Debug)]
struct CutCodes {
    values: Vec<ValueId>,
    of_leaf: Vec<u32>,
}

impl Grid {
    pub(crate) fn of_node(node: &Node) -> Grid {
        Grid { floor: node.clone(), cuts: None }
    }

    pub(crate) fn of_cuts(problem: &Problem, cuts: &[Cut]) -> Grid {
        let taxonomies = || problem.attributes().iter().map(|attribute| &attribute.taxonomy);
        let level = |(cut, taxonomy): (&Cut, _)| cut.floor(taxonomy) as Level;
        let floor = Node::new(cuts.iter().zip(taxonomies()).map(level).collect());
        let codes = cuts.iter().zip(taxonomies());
        let codes = codes.map(|(cut, taxonomy)| CutCodes::new(cut, taxonomy.values().len()));
        Grid { floor, cuts: Some(codes.collect()) }
    }

    /// The node, if it is one.
    pub(crate) fn node(&self) -> Option<&Node> {
        self.cuts.is_none().then_some(&self.floor)
    }

    /// The highest node that is nowhere coarser.
    pub(super) fn floor(&self) -> &Node {
        &self.floor
    }

    /// The generalised value of each code of an attribute.
    pub(super) fn values<'a>(&'a self, codes: &'a LevelCodes, attribute: usize) -> &'a [ValueId] {
        match &self.cuts {
            Some(cuts) => &cuts[attribute].values,
            None => codes.values(attribute, self.floor.level(attribute)),
        }
    }

    /// The code of each code at a level, which is not above the floor.
    pub(super) fn map<'a>(&self, codes: &'a LevelCodes, attribute: usize, level: usize) -> Cow<'a, [u32]> {
        let Some(cuts) = &self.cuts else {
            return codes.map(attribute, level, self.floor.level(attribute)).into();
        };
        let mut map = vec![0; codes.values(attribute, level).len()];
        for (&low, &high) in codes.map(attribute, 0, level).iter().zip(&cuts[attribute].of_leaf) {
            map[low as usize] = high;
        }
        map.into()
    }
}

impl CutCodes {
    fn new(cut: &Cut, values: usize) -> CutCodes {
        let mut code_of = vec![u32::MAX; values];
        let mut codes = CutCodes { values: Vec::new(), of_leaf: Vec::with_capacity(cut.leaf_values().len()) };
        for &value in cut.leaf_values() {
            let code = &mut code_of[value as usize];
            if *code == u32::MAX {
                *code = codes.values.len() as u32;
                codes.values.push(value);
            }
            codes.of_leaf.push(*code);
        }
        codes
    }
}
