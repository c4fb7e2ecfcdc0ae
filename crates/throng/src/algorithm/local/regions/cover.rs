//! Which tuples a region covers.

use crate::problem::{Attribute, Problem};
use crate::taxonomy::{Closure, Leaves, Span, ValueId, preorder};

/// Places on a line, from the first to the last.
type LineSpan = (u32, u32);

/// The tuples of a table by where their values lie. All that a value of a tree or a range covers lies side by side,
/// so that a region is found by the attribute in which it covers fewest.
pub(super) struct CoverIndex {
    attributes: Vec<AttributeIndex>,
}

struct AttributeIndex {
    /// The spans of the values of a tree; none where leaves lie in the order of their ids.
    spans: Option<Vec<Span>>,
    leaves: u32,
    root: ValueId,
    /// Where each tuple lies.
    places: Vec<u32>,
    /// The tuples by their places.
    order: Vec<u32>,
}

impl CoverIndex {
    pub(super) fn new(problem: &Problem) -> CoverIndex {
        let columns = problem.attributes().iter().enumerate();
        CoverIndex {
            attributes: columns
                .map(|(a, attribute)| AttributeIndex::new(attribute, problem.table().column(a)))
                .collect(),
        }
    }

    /// The tuples that a region covers, in an order that depends on nothing else.
    pub(super) fn covered(&self, region: &[Closure]) -> impl Iterator<Item = u32> {
        let runs: Vec<Vec<LineSpan>> =
            self.attributes.iter().zip(region).map(|(attribute, closure)| attribute.runs(closure)).collect();
        let count = |a: usize| self.attributes[a].tuples(&runs[a]).map(<[u32]>::len).sum::<usize>();
        let fewest = (0..runs.len()).min_by_key(|&a| count(a)).expect("there is an attribute");
        let candidates: Vec<u32> = self.attributes[fewest].tuples(&runs[fewest]).flatten().copied().collect();
        candidates.into_iter().filter(move |&tuple| {
            let covers = |(attribute, runs): (&AttributeIndex, &Vec<LineSpan>)| {
                let place = attribute.places[tuple as usize];
                runs.iter().any(|&(first, last)| (first..=last).contains(&place))
            };
            self.attributes.iter().zip(&runs).all(covers)
        })
    }
}

impl AttributeIndex {
    fn new(attribute: &Attribute, column: &[ValueId]) -> AttributeIndex {
        let taxonomy = &attribute.taxonomy;
        let (leaves, root) = (taxonomy.leaf_total() as u32, taxonomy.root());
        let is_tree = taxonomy.scheme() == crate::taxonomy::Scheme::Tree;
        let parents: Vec<ValueId> = taxonomy.values().iter().map(|value| value.parent).collect();
        let spans = is_tree.then(|| preorder(&parents));
        let place = |&leaf: &ValueId| spans.as_ref().map_or(leaf, |spans| spans[leaf as usize].start);
        let places: Vec<u32> = column.iter().map(place).collect();
        let mut order: Vec<u32> = (0..column.len() as u32).collect();
        order.sort_by_key(|&tuple| places[tuple as usize]);
        AttributeIndex { spans, leaves, root, places, order }
    }

    /// Where all lies that a closure covers.
    fn runs(&self, closure: &Closure) -> Vec<LineSpan> {
        match (closure, &self.spans) {
            (Closure::Value(value), Some(spans)) => vec![spans[*value as usize].ends()],
            (Closure::Value(value), None) if *value == self.root && self.leaves > 1 => {
                vec![(0, self.leaves - 1)]
            }
            (Closure::Value(leaf), None) => vec![(*leaf, *leaf)],
            (Closure::Made(leaves), spans) => {
                let place = |leaf: ValueId| spans.as_ref().map_or(leaf, |spans| spans[leaf as usize].start);
                match leaves {
                    Leaves::Range { first, last } => vec![(place(*first), place(*last))],
                    Leaves::Set(members) => members.iter().map(|&leaf| (place(leaf), place(leaf))).collect(),
                }
            }
        }
    }

    /// The tuples of each run.
    fn tuples<'i>(&'i self, runs: &'i [LineSpan]) -> impl Iterator<Item = &'i [u32]> {
        runs.iter().map(|&(first, last)| {
            let before = |place: u32| self.order.partition_point(|&t| self.places[t as usize] < place);
            &self.order[before(first)..before(last + 1)]
        })
    }
}
