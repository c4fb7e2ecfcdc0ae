//! Tuples that are too few for a class join those that there are (step 4).

use super::centre::Centre;
use super::contingency::Contingency;
use super::space::Space;
use crate::run::{Run, Stop};

/// Classes that are summed up between two questions whether to go on.
const ASK: usize = 1 << 12;

/// Lets each tuple join the class of the nearest centre, one after the other.
pub(super) fn join(
    space: &Space,
    k: u64,
    left_over: Vec<u32>,
    classes: &mut [Vec<u32>],
    run: &Run<'_>,
) -> Result<(), Stop> {
    if left_over.is_empty() {
        return Ok(());
    }
    let mut contingency = Contingency::new(space, run)?;
    let mut centres: Vec<LeftOverSummary> = Vec::with_capacity(classes.len());
    for classes in classes.chunks(ASK) {
        run.go_on()?;
        centres.extend(classes.iter().map(|class| LeftOverSummary::new(space, class)));
    }
    let mut point = Centre::new(space);
    for place in left_over {
        run.go_on()?;
        point.clear();
        point.add(space, place);
        contingency.define_distances(&point, k);
        let mut best = (f64::INFINITY, 0);
        for (class, centre) in centres.iter().enumerate() {
            let distance = centre.distance(space, &contingency, place);
            if distance < best.0 {
                best = (distance, class);
            }
        }
        classes[best.1].push(place);
        centres[best.1].add(space, place);
    }
    Ok(())
}

/// A centre that takes as much memory as it has values.
struct LeftOverSummary {
    /// Of each number, the sum and the rows that have it.
    means: Vec<(f64, u64)>,
    values: Vec<Vec<u32>>,
}

impl LeftOverSummary {
    fn new(space: &Space, class: &[u32]) -> LeftOverSummary {
        let means = vec![(0.0, 0); space.numbers.len()];
        let mut summary = LeftOverSummary { means, values: vec![Vec::new(); space.categories.len()] };
        class.iter().for_each(|&place| summary.add(space, place));
        summary
    }

    fn add(&mut self, space: &Space, place: u32) {
        let rows = u64::from(space.rows(place));
        for ((sum, counted), numbers) in self.means.iter_mut().zip(&space.numbers) {
            if let Some(x) = numbers.position(numbers.codes[place as usize]) {
                *sum += x * rows as f64;
                *counted += rows;
            }
        }
        for (values, attribute) in self.values.iter_mut().zip(&space.categories) {
            let value = attribute.codes[place as usize];
            if let Err(at) = values.binary_search(&value) {
                values.insert(at, value);
            }
        }
    }

    /// The distance from a tuple, for which distances have been defined.
    fn distance(&self, space: &Space, contingency: &Contingency<'_>, place: u32) -> f64 {
        let numbers = space.numbers.iter().zip(&self.means).map(|(numbers, &(sum, rows))| {
            let mean = (rows > 0).then(|| sum / rows as f64);
            numbers.distance(numbers.codes[place as usize], mean)
        });
        let categories = self.values.iter().zip(contingency.distances()).map(|(values, distances)| {
            values.iter().map(|&value| distances.distance(value)).fold(f64::INFINITY, f64::min)
        });
        numbers.chain(categories).fold(0.0, |sum, distance| sum + distance)
    }
}
