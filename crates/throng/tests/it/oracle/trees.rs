//! Top-down specialisation and bottom-up generalisation, written down once more over rows of text.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cut, Oracle, Value};

/// A step: of an attribute, a value and what is below it.
struct Step {
    attribute: usize,
    value: Value,
    parts: Vec<Value>,
}

impl<'c> Oracle<'c> {
    /// What top-down specialisation ends with; none if the top may not be released.
    pub(crate) fn top_down(&self, labelled: bool) -> Option<Vec<Cut>> {
        let mut cuts: Vec<Cut> =
            self.case.heights().iter().enumerate().map(|(a, &height)| self.cut_at(a, height)).collect();
        if !self.may_release(&cuts) {
            return None;
        }
        loop {
            let mut best: Option<(f32, Vec<Cut>)> = None;
            for step in self.steps_down(&cuts) {
                let Some(worth) = self.worth(&step, labelled) else { continue };
                let lost = self.mean_over_shields(&step, |shield| self.largest_drop(&cuts, &step, shield));
                let score = (if lost > 0.0 { worth / lost } else { worth }) as f32;
                let mut next = cuts.clone();
                for part in &step.parts {
                    part.leaves.iter().for_each(|&leaf| next[step.attribute].levels[leaf] = part.level);
                }
                if best.as_ref().is_none_or(|(most, _)| score > *most) && self.may_release(&next) {
                    best = Some((score, next));
                }
            }
            let Some((_, next)) = best else { return Some(cuts) };
            cuts = next;
        }
    }

    /// What bottom-up generalisation ends with; none if nothing is found.
    pub(crate) fn bottom_up(&self, labelled: bool) -> Option<Vec<Cut>> {
        let mut cuts: Vec<Cut> = (0..self.case.hierarchies.len()).map(|a| self.cut_at(a, 0)).collect();
        while !self.may_release(&cuts) {
            let mut best: Option<((bool, f32, f32), Vec<Cut>)> = None;
            for step in self.steps_up(&cuts) {
                let mut next = cuts.clone();
                let level = step.value.level;
                step.value.leaves.iter().for_each(|&leaf| next[step.attribute].levels[leaf] = level);
                let violated =
                    self.violated(&cuts).into_iter().filter(|(shield, _)| shield.contains(&step.attribute));
                let gains: Vec<f64> = violated
                    .map(|(shield, k)| {
                        self.crowdedness(&next, &shield, k) - self.crowdedness(&cuts, &shield, k)
                    })
                    .collect();
                if gains.is_empty() {
                    continue;
                }
                let gained = gains.iter().sum::<f64>() / gains.len() as f64;
                let worth = self.worth(&step, labelled).unwrap_or(0.0);
                let lost = if gained > 0.0 { worth / gained } else { worth };
                let score = (gained <= 0.0, lost as f32, -(gained as f32));
                if best.as_ref().is_none_or(|(least, _)| score < *least) {
                    best = Some((score, next));
                }
            }
            cuts = best?.1;
        }
        Some(cuts)
    }

    /// Moves of all below a value to it: where its rows are divided, and all such below it have been made.
    fn steps_up(&self, cuts: &[Cut]) -> Vec<Step> {
        let mut steps = Vec::new();
        for (attribute, cut) in cuts.iter().enumerate() {
            let occupied = |value: &Value| !self.rows_of(attribute, &value.leaves).is_empty();
            let parts = |value: &Value| -> Vec<Value> {
                self.below(attribute, value).into_iter().filter(occupied).collect()
            };
            let height = self.case.heights()[attribute];
            let mut dividing: Vec<Value> = self.values(attribute);
            dividing.retain(|value| value.level <= height && parts(value).len() > 1);
            dividing.sort_by_key(|value| (value.level, value.leaves.clone()));
            let is_made = |value: &Value| value.leaves.iter().all(|&leaf| cut.levels[leaf] >= value.level);
            let is_below =
                |of: &Value, other: &Value| other.leaves.is_subset(&of.leaves) && other.level < of.level;
            for value in dividing.iter().filter(|value| !is_made(value)) {
                if dividing.iter().filter(|other| is_below(value, other)).all(is_made) {
                    // What is told apart now: the values of the rows below.
                    let in_cut =
                        |part: &&Value| part.leaves.iter().all(|&leaf| cut.levels[leaf] == part.level);
                    let all = self.values(attribute);
                    let now = all
                        .iter()
                        .filter(|part| is_below(value, part))
                        .filter(in_cut)
                        .filter(|part| occupied(part));
                    steps.push(Step { attribute, value: value.clone(), parts: now.cloned().collect() });
                }
            }
        }
        steps
    }

    /// The shields of requirements that are violated, and the sizes that they ask for.
    fn violated(&self, cuts: &[Cut]) -> Vec<(Vec<usize>, usize)> {
        let (case, asks) = (self.case, &self.case.asks);
        let shields: BTreeSet<Vec<usize>> =
            asks.iter().map(|ask| ask.shield.clone().unwrap_or_default()).collect();
        let by_size = asks.iter().all(|ask| ask.model.least_rows() > 0)
            && case.persons.is_none()
            && case.population.is_none()
            && (case.max_suppressed_rows == 0 || shields.len() == 1);
        let all = asks.iter().map(|ask| (case.shielded(ask), ask.model.least_rows()));
        let is_short =
            |shield: &[usize], k: usize| self.classes_over(cuts, shield).iter().any(|rows| rows.len() < k);
        let all = all.filter(|(shield, k)| !by_size || is_short(shield, *k));
        all.map(|(shield, k)| (shield, if k > 0 { k } else { 1 << 31 })).collect()
    }

    fn classes_over(&self, cuts: &[Cut], shield: &[usize]) -> Vec<Vec<usize>> {
        let released = self.recode_cuts(&cuts.iter().collect::<Vec<_>>());
        let mut classes: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
        for row in 0..self.case.rows.len() {
            let key = shield.iter().map(|&a| released.labels[row][a]).collect();
            classes.entry(key).or_default().push(row);
        }
        classes.into_values().collect()
    }

    /// The mean over rows of the size of their class, up to k.
    fn crowdedness(&self, cuts: &[Cut], shield: &[usize], k: usize) -> f64 {
        let classes = self.classes_over(cuts, shield);
        classes.iter().map(|rows| rows.len() * rows.len().min(k)).sum::<usize>() as f64
            / self.case.rows.len() as f64
    }

    fn may_release(&self, cuts: &[Cut]) -> bool {
        self.is_admissible(&self.recode_cuts(&cuts.iter().collect::<Vec<_>>()))
    }

    /// Rows of some leaves of an attribute.
    fn rows_of(&self, attribute: usize, leaves: &BTreeSet<usize>) -> Vec<usize> {
        let lines = &self.case.hierarchies[attribute];
        let is_one =
            |row: &usize| leaves.iter().any(|&leaf| lines[leaf][0] == self.case.rows[*row][attribute]);
        (0..self.case.rows.len()).filter(is_one).collect()
    }

    /// The values just below one.
    fn below(&self, attribute: usize, value: &Value) -> Vec<Value> {
        let is_below =
            |of: &Value, other: &Value| other.leaves.is_subset(&of.leaves) && other.level < of.level;
        let all: Vec<Value> =
            self.values(attribute).into_iter().filter(|other| is_below(value, other)).collect();
        let is_next = |one: &&Value| !all.iter().any(|other| is_below(other, one));
        all.iter().filter(is_next).cloned().collect()
    }

    /// The steps from the values of cuts to what first divides their rows, by attribute and value.
    fn steps_down(&self, cuts: &[Cut]) -> Vec<Step> {
        let mut steps = Vec::new();
        for (attribute, cut) in cuts.iter().enumerate() {
            let in_cut = |value: &Value| value.leaves.iter().all(|&leaf| cut.levels[leaf] == value.level);
            let mut values: Vec<Value> = self.values(attribute).into_iter().filter(in_cut).collect();
            values.sort_by_key(|value| (value.level, value.leaves.clone()));
            for value in values {
                let (mut at, mut aside) = (value.clone(), Vec::new());
                loop {
                    let below = self.below(attribute, &at);
                    let (with, without): (Vec<Value>, Vec<Value>) =
                        below.into_iter().partition(|part| !self.rows_of(attribute, &part.leaves).is_empty());
                    aside.extend(without);
                    match &with[..] {
                        [] => break,
                        [only] => at = only.clone(),
                        _ => {
                            let parts = with.into_iter().chain(aside).collect();
                            steps.push(Step { attribute, value, parts });
                            break;
                        }
                    }
                }
            }
        }
        steps
    }

    fn worth(&self, step: &Step, labelled: bool) -> Option<f64> {
        let parts: Vec<Vec<usize>> =
            step.parts.iter().map(|part| self.rows_of(step.attribute, &part.leaves)).collect();
        let whole: Vec<usize> = parts.concat();
        if labelled {
            let bits = |rows: &[usize]| {
                let mut times: BTreeMap<&str, f64> = BTreeMap::new();
                rows.iter().for_each(|&row| *times.entry(&self.case.labels[row]).or_default() += 1.0);
                times.values().map(|n| -n / rows.len() as f64 * (n / rows.len() as f64).log2()).sum::<f64>()
            };
            let mean =
                parts.iter().map(|rows| rows.len() as f64 * bits(rows)).sum::<f64>() / whole.len() as f64;
            return Some(bits(&whole) - mean).filter(|gain| *gain > 1e-9);
        }
        // lm, as the objective is, by the weights of columns.
        let domain = self.case.hierarchies[step.attribute].len() as f64;
        let weight = self.case.weights[step.attribute];
        let cost = |value: &Value, rows: usize| {
            weight * rows as f64 * (value.leaves.len() as f64 - 1.0) / (domain - 1.0).max(1.0)
        };
        let of_parts: f64 = step.parts.iter().zip(&parts).map(|(part, rows)| cost(part, rows.len())).sum();
        Some(cost(&step.value, whole.len()) - of_parts).filter(|saved| *saved > -1e-9)
    }

    /// The mean over the requirements whose shield has the step's attribute; 0 if there is none.
    fn mean_over_shields(&self, step: &Step, of: impl Fn(&[usize]) -> f64) -> f64 {
        let shields = self.case.asks.iter().map(|ask| self.case.shielded(ask));
        let found: Vec<f64> =
            shields.filter(|shield| shield.contains(&step.attribute)).map(|shield| of(&shield)).collect();
        if found.is_empty() { 0.0 } else { found.iter().sum::<f64>() / found.len() as f64 }
    }

    /// How many rows a class over a shield is larger than its smallest part, at most.
    fn largest_drop(&self, cuts: &[Cut], step: &Step, shield: &[usize]) -> f64 {
        let parts: Vec<Vec<usize>> =
            step.parts.iter().map(|part| self.rows_of(step.attribute, &part.leaves)).collect();
        let least = self.least_rows(shield);
        let drop = |rows: &Vec<usize>| {
            let sizes = parts.iter().map(|part| rows.iter().filter(|row| part.contains(row)).count());
            let smallest = sizes.filter(|&size| size > 0).min()?;
            (rows.len() >= least).then_some((rows.len() - smallest) as f64)
        };
        self.classes_over(cuts, shield).iter().filter_map(drop).fold(0.0, f64::max)
    }

    /// The largest class that is asked for over a shield by size alone.
    fn least_rows(&self, shield: &[usize]) -> usize {
        let over = self.case.asks.iter().filter(|ask| self.case.shielded(ask) == shield);
        over.map(|ask| ask.model.least_rows()).max().unwrap_or(0)
    }
}
