//! How the values of a column are distributed, before and after.
//!
//! Only labels that the release has are shown. A released range or group may overlap others, so some that are
//! disjoint are chosen, those of most rows first. A released row counts for a label only if it tells that much: what is
//! coarser than all labels that are shown is a share of its own.

use super::kept::KeptCounts;
use super::labels::QuasiLabels;
use throng::taxonomy::{Closure, Leaves};

/// Labels of a distribution, but for the rest.
const SHOWN: usize = 12;
/// Labels that are tried.
const TRIED: usize = 200;
/// Values of a kept column that are numbers and more than [`SHOWN`] are shown in about so many ranges.
const RANGES: f64 = 10.0;

/// A distribution before and after.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    /// The labels that are shown, in their order.
    pub shares: Vec<Share>,
    /// All others, and cells that are missing in none of these.
    pub rest: Option<Share>,
    /// Of the released rows, those that tell less than any of these: coarser ones, and hidden ones.
    pub coarser: f64,
    /// Whether what was before is not to be shown: so few rows are left out that it would tell about them.
    pub hides_before: bool,
}

/// The share of rows that a label has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Share {
    /// The label.
    pub label: String,
    /// Of the original's rows, those with a value that it may stand for.
    pub before: f64,
    /// Of the released rows, those that say so, or something finer.
    pub after: f64,
}

impl Distribution {
    /// Of a quasi-identifier.
    pub(super) fn of_labels(labels: &QuasiLabels<'_>, rows: u64) -> Distribution {
        let chosen = choose(labels);
        let owners = Owners::new(labels, &chosen);
        let mut told = vec![0u64; chosen.len() + 2];
        for (label, &rows) in labels.rows.iter().enumerate() {
            told[owners.owner(labels, label).unwrap_or(chosen.len() + 1)] += rows;
        }
        let released = labels.rows.iter().sum::<u64>().max(1) as f64;
        let mut shares: Vec<(Option<f64>, Share)> = Vec::with_capacity(chosen.len());
        for (&label, &after) in chosen.iter().zip(&told) {
            let share = Share {
                label: shown(labels.texts[label]),
                before: labels.rows_before(label) as f64 / rows as f64,
                after: after as f64 / released,
            };
            shares.push((labels.position(label), share));
        }
        sort(&mut shares);
        let shares = shares.into_iter().map(|(_, share)| share).collect();
        Distribution::with_rest(shares, told[chosen.len() + 1] as f64 / released)
    }

    /// Of a column that was kept unchanged; nothing if its values are too many to be shown.
    pub(super) fn of_kept(counted: &KeptCounts) -> Option<Distribution> {
        let values = counted.shares();
        if values.len() <= SHOWN {
            let mut shares: Vec<(Option<f64>, Share)> = values
                .into_iter()
                .map(|(label, before, after)| (number(label), Share { label: shown(label), before, after }))
                .collect();
            sort(&mut shares);
            return Some(Distribution::with_rest(shares.into_iter().map(|(_, share)| share).collect(), 0.0));
        }
        let numbers: Option<Vec<(f64, f64, f64)>> =
            values.iter().map(|&(label, before, after)| Some((number(label)?, before, after))).collect();
        match numbers {
            Some(numbers) => in_ranges(&numbers),
            None if counted.is_few() => {
                let most = values.into_iter().take(SHOWN);
                let shares = most.map(|(label, before, after)| Share { label: shown(label), before, after });
                Some(Distribution::with_rest(shares.collect(), 0.0))
            }
            None => None,
        }
    }

    fn with_rest(shares: Vec<Share>, coarser: f64) -> Distribution {
        let sum = |of: fn(&Share) -> f64| shares.iter().map(of).sum::<f64>();
        let before = (1.0 - sum(|share| share.before)).max(0.0);
        let after = (1.0 - coarser - sum(|share| share.after)).max(0.0);
        let rest = Share { label: "all others".to_owned(), before, after };
        let rest = Some(rest).filter(|_| before > 5e-4 || after > 5e-4);
        Distribution { shares, rest, coarser, hides_before: false }
    }
}

/// Which of the chosen labels tells of a leaf; all other leaves have the number after the last.
struct Owners {
    of_leaf: Vec<usize>,
    /// Of each value of the hierarchy; nothing where its leaves have several.
    of_value: Vec<Option<usize>>,
    /// For each leaf, the last one after it up to which all have the same.
    run_end: Vec<usize>,
}

impl Owners {
    fn new(labels: &QuasiLabels<'_>, chosen: &[usize]) -> Owners {
        let taxonomy = &labels.attribute.taxonomy;
        let mut of_leaf = vec![chosen.len(); taxonomy.leaf_total()];
        for (number, &label) in chosen.iter().enumerate() {
            labels.leaves(label).into_iter().for_each(|leaf| of_leaf[leaf as usize] = number);
        }
        let mut seen: Vec<Option<Option<usize>>> = vec![None; taxonomy.values().len()];
        for (leaf, &owner) in of_leaf.iter().enumerate() {
            for value in taxonomy.ancestors(leaf as u32) {
                let known = seen[value as usize].get_or_insert(Some(owner));
                if *known != Some(owner) {
                    *known = None;
                }
            }
        }
        let mut run_end: Vec<usize> = (0..of_leaf.len()).collect();
        for leaf in (1..of_leaf.len()).rev() {
            if of_leaf[leaf - 1] == of_leaf[leaf] {
                run_end[leaf - 1] = run_end[leaf];
            }
        }
        Owners { of_leaf, of_value: seen.into_iter().map(Option::flatten).collect(), run_end }
    }

    /// The one that all leaves of a label have; nothing where they have several, or nothing is left of the value.
    fn owner(&self, labels: &QuasiLabels<'_>, label: usize) -> Option<usize> {
        if labels.is_top(label) {
            return None;
        }
        match &labels.meanings[label] {
            Closure::Value(value) => self.of_value[*value as usize],
            Closure::Made(Leaves::Range { first, last }) => {
                let is_one = self.run_end[*first as usize] >= *last as usize;
                is_one.then(|| self.of_leaf[*first as usize])
            }
            Closure::Made(Leaves::Set(members)) => {
                let mut owners = members.iter().map(|&leaf| self.of_leaf[leaf as usize]);
                let first = owners.next()?;
                owners.all(|owner| owner == first).then_some(first)
            }
        }
    }
}

/// Labels of most rows that overlap none of those before; never the top.
fn choose(labels: &QuasiLabels<'_>) -> Vec<usize> {
    let leaf_total = labels.attribute.taxonomy.leaf_total() as u64;
    let mut order: Vec<usize> = (0..labels.rows.len()).filter(|&label| !labels.is_top(label)).collect();
    order.sort_by_key(|&label| (std::cmp::Reverse(labels.rows[label]), label));
    let mut is_taken = vec![false; leaf_total as usize];
    let mut chosen = Vec::new();
    for label in order.into_iter().take(TRIED) {
        let leaves = labels.leaves(label);
        if chosen.len() == SHOWN || leaves.iter().any(|&leaf| is_taken[leaf as usize]) {
            continue;
        }
        leaves.iter().for_each(|&leaf| is_taken[leaf as usize] = true);
        chosen.push(label);
    }
    chosen
}

/// By number where all have one, else the most frequent first.
fn sort(shares: &mut [(Option<f64>, Share)]) {
    let are_numbers = shares.iter().all(|(number, share)| number.is_some() || share.label == MISSING);
    shares.sort_by(|(a, one), (b, other)| {
        let by_number = a.unwrap_or(f64::INFINITY).total_cmp(&b.unwrap_or(f64::INFINITY));
        let by_share = other.before.total_cmp(&one.before).then_with(|| one.label.cmp(&other.label));
        if are_numbers { by_number } else { by_share }
    });
}

const MISSING: &str = "(missing)";

fn shown(label: &str) -> String {
    if label.is_empty() { MISSING.to_owned() } else { label.to_owned() }
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Ranges that start at round numbers, so that none of them is a cell.
fn in_ranges(numbers: &[(f64, f64, f64)]) -> Option<Distribution> {
    let low = numbers.iter().map(|one| one.0).fold(f64::INFINITY, f64::min);
    let high = numbers.iter().map(|one| one.0).fold(f64::NEG_INFINITY, f64::max);
    let span = high - low;
    // Numbers so near to each other, or so far apart, have no round ones between them.
    if !(span.is_finite() && span > 1e-6 * low.abs().max(high.abs()) && span > 1e-6) {
        return None;
    }
    let width = crate::plot::round_step(span / RANGES);
    let first = (low / width).floor();
    let mut shares: Vec<Share> = Vec::new();
    for at in 0..=((high / width).floor() - first) as usize {
        let (from, to) = ((first + at as f64) * width, (first + at as f64 + 1.0) * width);
        let inside = || numbers.iter().filter(|one| (one.0 / width).floor() - first == at as f64);
        shares.push(Share {
            label: format!("{} to below {}", plain(from), plain(to)),
            before: inside().map(|one| one.1).sum(),
            after: inside().map(|one| one.2).sum(),
        });
    }
    Some(Distribution::with_rest(shares, 0.0))
}

/// Without the noise of multiples of a width, and without a minus before zero.
fn plain(number: f64) -> f64 {
    (number * 1e9).round() / 1e9 + 0.0
}
