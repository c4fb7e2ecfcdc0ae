//! What there is to say of a front: how much of another it has, and how its releases compare record by record.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use throng::frontier::{
    Boxes, Front, Objective, Property, PropertyVector, Reference, exact, release_of_point,
};
use throng::problem::Problem;

use super::{FrontierOptions, FrontierSummary, Method, found_or_interrupted, is_small};
use crate::error::{EngineError, Result};
use crate::progress::{Progress, Watch};
use crate::summary::number;

/// Points of a front up to which each is compared with each.
const MOST_COMPARED: usize = 1_000;

/// The front that a front is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceFront {
    /// That of all nodes, which are looked at for it.
    Exact,
    /// One that was saved.
    File(PathBuf),
}

impl FromStr for ReferenceFront {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> std::result::Result<ReferenceFront, Self::Err> {
        Ok(if text == "exact" { ReferenceFront::Exact } else { ReferenceFront::File(text.into()) })
    }
}

/// How much of a reference a front has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrontQuality {
    /// How the reference was found.
    pub reference: Method,
    /// Whether it is known to be the front of all nodes.
    pub reference_complete: bool,
    /// Nodes of the reference.
    pub reference_nodes: usize,
    /// Boxes of the reference that no other of its boxes dominates.
    pub boxes: usize,
    /// CE: the sum over the front's nodes of the distance to the nearest of the reference.
    pub convergence_error: Value,
    /// RR: the share of the boxes in which the front has a node.
    pub representation_ratio: Value,
    /// The share of the hypervolume that the reference dominates which the front does, too.
    pub hypervolume: Value,
}

/// A property of the records of each node of a front.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// By node, how many records have each number, ascending; suppressed records have 0.
    pub records: Vec<Vec<(u64, u64)>>,
    /// By node and other node, the binary spread index of the one over the other.
    pub over: Vec<Vec<Value>>,
}

/// The reference, as the options name it.
pub(super) struct FrontReference {
    method: Method,
    complete: bool,
    points: Vec<Vec<f64>>,
}

impl FrontReference {
    /// Finds or reads it; none if nobody asks.
    pub(super) fn find(
        options: &FrontierOptions,
        problem: &Problem,
        objectives: &[Objective],
        fingerprint: &str,
        progress: &dyn Progress,
    ) -> Result<Option<FrontReference>> {
        match &options.reference {
            None => Ok(None),
            Some(ReferenceFront::Exact) => FrontReference::exact(problem, objectives, progress).map(Some),
            Some(ReferenceFront::File(path)) => {
                let saved = FrontierSummary::read(path)?;
                FrontReference::of_saved(&saved, options, fingerprint)
                    .map(Some)
                    .map_err(|error| error.in_file(path))
            }
        }
    }

    fn exact(problem: &Problem, objectives: &[Objective], progress: &dyn Progress) -> Result<FrontReference> {
        if !is_small(problem) {
            return Err(EngineError::bad((
                "the lattice is too large to use all its nodes as the reference",
                "save the front of a long search, and name that file",
            )));
        }
        progress.phase("reference");
        let watch = Watch::new(problem, progress);
        let fine = Boxes::fine(objectives.len());
        let front = tokio::task::block_in_place(|| exact(problem, objectives, fine, None, &watch));
        let front = found_or_interrupted(front)?;
        let points = front.points.into_iter().map(|point| point.values).collect();
        Ok(FrontReference { method: Method::Exact, complete: true, points })
    }

    fn of_saved(
        saved: &FrontierSummary,
        options: &FrontierOptions,
        fingerprint: &str,
    ) -> Result<FrontReference> {
        if saved.fingerprint != fingerprint {
            return Err(EngineError::bad("the reference is the front of a different job"));
        }
        let of_point = |values: &serde_json::Map<String, Value>| -> Option<Vec<f64>> {
            options.objectives.iter().map(|name| values.get(name)?.as_f64()).collect()
        };
        let points: Option<Vec<Vec<f64>>> = saved.front.iter().map(|point| of_point(&point.values)).collect();
        let points = points.filter(|points| !points.is_empty()).ok_or_else(|| {
            EngineError::bad(format!(
                "the reference has no values for all of {}",
                options.objectives.join(", ")
            ))
        })?;
        Ok(FrontReference { method: saved.method, complete: saved.complete, points })
    }

    /// How much of it a front has.
    pub(super) fn quality(&self, front: &Front, objectives: &[Objective], boxes: Boxes) -> FrontQuality {
        let reference = Reference::new(&self.points, objectives, boxes);
        let found: Vec<Vec<f64>> = front.points.iter().map(|point| point.values.clone()).collect();
        FrontQuality {
            reference: self.method,
            reference_complete: self.complete,
            reference_nodes: self.points.len(),
            boxes: reference.boxes(),
            convergence_error: number(reference.convergence_error(&found)),
            representation_ratio: number(reference.representation_ratio(&found)),
            hypervolume: number(reference.hypervolume(&found)),
        }
    }
}

/// The properties behind the objectives, by their names as objectives, and how the nodes of a front compare by them.
pub(super) fn spreads(
    options: &FrontierOptions,
    problem: &Problem,
    objectives: &[Objective],
    front: &Front,
) -> Result<BTreeMap<String, Spread>> {
    if !options.spread {
        return Ok(BTreeMap::new());
    }
    if front.points.len() > MOST_COMPARED {
        return Err(EngineError::bad((
            format!(
                "the front has {} nodes, but at most {MOST_COMPARED} can be compared with each other",
                front.points.len()
            ),
            "--epsilon makes it smaller",
        )));
    }
    let property = |(name, objective): (&String, &Objective)| match objective {
        Objective::K | Objective::SpreadK => Some((name.clone(), Property::ClassSize)),
        Objective::L { column } | Objective::SpreadL { column } => {
            Some((name.clone(), Property::SameValue(*column)))
        }
        _ => None,
    };
    let properties: Vec<(String, Property)> =
        options.objectives.iter().zip(objectives).filter_map(property).collect();
    if properties.is_empty() {
        return Err(EngineError::bad(
            "--spread compares by k, sk, l and sl, but none of them is an objective",
        ));
    }
    Ok(properties.into_iter().map(|(name, property)| (name, spread(problem, front, property))).collect())
}

fn spread(problem: &Problem, front: &Front, property: Property) -> Spread {
    let vector = |point| PropertyVector::from_release(&release_of_point(problem, point), property);
    let vectors: Vec<PropertyVector> = front.points.iter().map(vector).collect();
    let records = |vector: &PropertyVector| {
        let mut records: BTreeMap<u64, u64> = BTreeMap::new();
        vector.values().for_each(|value| *records.entry(value).or_default() += 1);
        records.into_iter().collect()
    };
    let over = |a: &PropertyVector| vectors.iter().map(|b| number(a.spread_over(b) as f64)).collect();
    Spread { records: vectors.iter().map(records).collect(), over: vectors.iter().map(over).collect() }
}
