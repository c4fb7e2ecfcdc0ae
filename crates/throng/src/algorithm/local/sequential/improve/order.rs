//! An order of classes in which near ones follow one another.

use crate::algorithm::local::closure::Closures;
use crate::random::Random;
use crate::run::Stop;
use crate::stop::GoOn;
use crate::taxonomy::ValueId;

/// Classes that are few enough to stay in the order that they are in.
const FEW: usize = 16;

/// Classes by their closures, which are divided by the attribute that would be dearest to cross, again and again. How dear
/// each is counts as more or less than it is, by chance: so orders differ.
pub(super) fn order(
    closures: &Closures,
    covers: &[Vec<ValueId>],
    random: &mut Random,
    go_on: &GoOn<'_>,
) -> Result<Vec<u32>, Stop> {
    let bias = (0..closures.attributes()).map(|_| 0.25 + random.unit()).collect();
    let mut order: Vec<u32> = (0..covers.len() as u32).collect();
    random.shuffle(&mut order);
    ClusterOrder { closures, covers, bias }.arrange(&mut order, go_on)?;
    Ok(order)
}

struct ClusterOrder<'p> {
    closures: &'p Closures,
    covers: &'p [Vec<ValueId>],
    bias: Vec<f64>,
}

impl ClusterOrder<'_> {
    fn arrange(&self, classes: &mut [u32], go_on: &GoOn<'_>) -> Result<(), Stop> {
        let mut open = vec![classes];
        while let Some(classes) = open.pop() {
            go_on()?;
            if classes.len() <= FEW {
                continue;
            }
            let Some((attribute, top)) = self.crossing(classes) else { continue };
            let branch =
                |&class: &u32| self.closures.branch(attribute, top, self.covers[class as usize][attribute]);
            classes.sort_by_cached_key(branch);
            open.extend(classes.chunk_by_mut(|a, b| branch(a) == branch(b)));
        }
        Ok(())
    }

    /// The attribute to divide by, and the value above all; none if all are alike.
    fn crossing(&self, classes: &[u32]) -> Option<(usize, ValueId)> {
        let mut best: Option<(f64, usize, ValueId)> = None;
        for (attribute, bias) in self.bias.iter().enumerate() {
            let value = |class: u32| self.covers[class as usize][attribute];
            let values = classes.iter().map(|&class| value(class));
            let top = values
                .clone()
                .fold(value(classes[0]), |top, value| self.closures.join(attribute, top, value));
            let worth = bias * self.closures.crossing(attribute, top);
            if best.is_some_and(|best| worth <= best.0) {
                continue;
            }
            let first = self.closures.branch(attribute, top, value(classes[0]));
            if values.clone().any(|value| self.closures.branch(attribute, top, value) != first) {
                best = Some((worth, attribute, top));
            }
        }
        best.map(|(_, attribute, top)| (attribute, top))
    }
}
