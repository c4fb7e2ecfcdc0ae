//! The best variant of each algorithm, as Table I of *k-Anonymization Revisited* shows it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use throng::notion::Notion;

use super::Trial;

/// The one of several contenders that lost least.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeastLoss {
    /// Name of the group, such as `best(agglomerative)`; of a group of one, its contender's name.
    pub name: String,
    /// The measure that was minimised.
    pub measure: String,
    /// The contender whose losses have the least sum over all k.
    pub contender: String,
    /// All contenders of the group.
    pub of: Vec<String>,
}

/// The best of each group, for one measure.
///
/// For k-anonymity a group is the variants of an algorithm, for another notion all contenders that
/// give it; but only those that generalise in the same way, because the loss of a range is not that of
/// a hierarchy's node: their domains differ. Contenders that found nothing for some k are left out, as their sums tell nothing.
pub(super) fn best<'a>(trials: impl Iterator<Item = &'a Trial>, measure: &str) -> Vec<LeastLoss> {
    let mut contenders: Vec<Sum<'a>> = Vec::new();
    for trial in trials.filter(|trial| trial.measure == measure) {
        let loss = trial.measured(measure);
        match contenders.iter_mut().find(|sum| sum.trial.contender == trial.contender) {
            Some(sum) => sum.loss = sum.loss.zip(loss).map(|(sum, loss)| sum + loss),
            None => contenders.push(Sum { trial, loss }),
        }
    }
    let mut groups: Vec<Vec<Sum<'a>>> = Vec::new();
    for sum in contenders {
        match groups.iter_mut().find(|group| key(group[0].trial) == key(sum.trial)) {
            Some(group) => group.push(sum),
            None => groups.push(vec![sum]),
        }
    }
    groups.iter().filter_map(|group| best_of(group, measure)).collect()
}

/// A contender's first trial, and the sum of its losses over all k.
struct Sum<'a> {
    trial: &'a Trial,
    loss: Option<f64>,
}

/// What the members of a group have in common: the algorithm or notion, and how they generalise if not
/// as the job says.
fn key(trial: &Trial) -> (&str, Option<&str>) {
    let name = if trial.notion == Notion::K.name() { &trial.algorithm } else { &trial.notion };
    (name, trial.settings.get("generalise").and_then(Value::as_str))
}

/// The name of a group, spelled as a contender.
fn group_name(trial: &Trial) -> String {
    match key(trial) {
        (name, None) => format!("best({name})"),
        (name, Some(generalise)) => format!("best({name}:generalise={generalise})"),
    }
}

fn best_of(group: &[Sum<'_>], measure: &str) -> Option<LeastLoss> {
    let complete = group.iter().filter_map(|sum| Some((sum.loss?, sum.trial)));
    let (_, winner) = complete.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let name = match group {
        [_] => winner.contender.clone(),
        _ => group_name(winner),
    };
    let of = group.iter().map(|sum| sum.trial.contender.clone()).collect();
    Some(LeastLoss { name, measure: measure.to_owned(), contender: winner.contender.clone(), of })
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use crate::compare::{Ending, JudgedRecoding};

    fn trial(contender: &str, algorithm: &str, notion: Notion, k: u64, lm: Option<f64>) -> Trial {
        let found = lm.map(|lm| JudgedRecoding {
            achieved_k: k,
            suppressed_rows: 0,
            levels: Map::new(),
            crowds: None,
            measures: Map::from_iter([("lm".to_owned(), json!(lm))]),
            accuracies: Vec::new(),
        });
        Trial {
            contender: contender.to_owned(),
            algorithm: algorithm.to_owned(),
            family: "local".to_owned(),
            settings: Map::new(),
            notion: notion.name().to_owned(),
            measure: "lm".to_owned(),
            k,
            quasi_identifiers: 3,
            ending: Ending::Found,
            optimal: false,
            seconds: 1.0,
            lattice_nodes: 1,
            checked_nodes: 0,
            projected_nodes: 0,
            found,
        }
    }

    #[test]
    fn the_least_sum_wins_within_an_algorithm_or_a_notion() {
        let lost = |k: u64, losses: [Option<f64>; 6]| {
            let [a1, a2, a3, forest, near, wide] = losses;
            [
                trial("a:1", "a", Notion::K, k, a1),
                trial("a:2", "a", Notion::K, k, a2),
                trial("a:3", "a", Notion::K, k, a3),
                trial("forest", "forest", Notion::K, k, forest),
                trial("near", "near", Notion::KK, k, near),
                trial("wide", "wide", Notion::KK, k, wide),
            ]
        };
        // a:2 is best at k = 2 and a:1 by the sum; a:3 has a gap; near and wide are level.
        let mut trials = lost(2, [Some(0.2), Some(0.1), Some(0.0), Some(0.5), Some(0.1), Some(0.2)]).to_vec();
        trials.extend(lost(5, [Some(0.3), Some(0.5), None, Some(0.6), Some(0.3), Some(0.2)]));
        let found = best(trials.iter(), "lm");
        let lines: Vec<(&str, &str, usize)> =
            found.iter().map(|b| (b.name.as_str(), b.contender.as_str(), b.of.len())).collect();
        assert_eq!(lines, [("best(a)", "a:1", 3), ("forest", "forest", 1), ("best(kk)", "near", 2)]);
        assert_eq!(best(trials.iter(), "entropy"), []);
    }

    #[test]
    fn those_that_generalise_otherwise_are_a_group_of_their_own() {
        let open = |contender: &str, notion: Notion, lm: f64| {
            let settings = Map::from_iter([("generalise".to_owned(), json!("range-or-set"))]);
            Trial { settings, ..trial(contender, "a", notion, 2, Some(lm)) }
        };
        let plain = |contender: &str, lm: f64| trial(contender, "a", Notion::K, 2, Some(lm));
        let mut trials = vec![plain("a:1", 0.4), open("a:1+open", Notion::K, 0.1), plain("a:2", 0.3)];
        let names = |trials: &[Trial]| -> Vec<(String, String)> {
            best(trials.iter(), "lm").into_iter().map(|best| (best.name, best.contender)).collect()
        };
        let pair = |name: &str, contender: &str| (name.to_owned(), contender.to_owned());
        assert_eq!(names(&trials), [pair("best(a)", "a:2"), pair("a:1+open", "a:1+open")]);
        trials.push(open("a:2+open", Notion::K, 0.2));
        let open_group = pair("best(a:generalise=range-or-set)", "a:1+open");
        assert_eq!(names(&trials), [pair("best(a)", "a:2"), open_group]);
    }

    #[test]
    fn a_group_that_found_nothing_has_no_best() {
        let trials = [trial("a:1", "a", Notion::K, 2, None), trial("a:2", "a", Notion::K, 2, None)];
        assert_eq!(best(trials.iter(), "lm"), []);
    }
}
