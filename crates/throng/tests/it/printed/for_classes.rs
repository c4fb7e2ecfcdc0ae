//! Top-down specialisation and bottom-up generalisation: by Fung, Wang and Yu (2005) and by Wang, Yu and Chakraborty
//! (2004), and as section 5.2 of *Data privacy with heuristic anonymisation* describes them.
//!
//! No text decides between equal scores: as in the algorithms' files it is the first attribute and value, and scores
//! are equal that are so to seven digits.

use std::collections::{BTreeMap, BTreeSet};

use super::trees::{State, Tables, random_case};
use super::{Rows, rows, search};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Original,
    ArcaHewett,
}

/// Bits that are open of the labels of rows.
fn entropy(tables: &Tables<'_>, rows: &[usize]) -> f64 {
    let mut times: BTreeMap<&str, f64> = BTreeMap::new();
    rows.iter().for_each(|&row| *times.entry(&tables.case.labels[row]).or_default() += 1.0);
    times.values().map(|n| -(n / rows.len() as f64) * (n / rows.len() as f64).log2()).sum()
}

/// InfoGain(v) of the step from a value to its children, I(G) of the step back.
fn information(tables: &Tables<'_>, a: usize, value: &str) -> f64 {
    let whole = tables.rows_below(a, value);
    let parts = tables.children(a, value).into_iter().map(|child| tables.rows_below(a, &child));
    let share = |rows: &Vec<usize>| rows.len() as f64 / whole.len() as f64;
    let rest: f64 =
        parts.filter(|rows| !rows.is_empty()).map(|rows| share(&rows) * entropy(tables, &rows)).sum();
    let gain = entropy(tables, &whole) - rest;
    if gain < 1e-9 { 0.0 } else { gain }
}

/// A(VID): rows in the smallest class.
fn anonymity(tables: &Tables<'_>, state: &State, shield: &[usize]) -> usize {
    tables.classes(state, shield).values().map(Vec::len).min().expect("rows")
}

/// What lies between two tables, of which the finer has parts of the coarser's classes, for one shield.
fn difference(tables: &Tables<'_>, text: Text, fine: &State, coarse: &State, shield: &[usize]) -> usize {
    if text == Text::Original {
        return anonymity(tables, coarse, shield) - anonymity(tables, fine, shield);
    }
    let parts: Vec<BTreeSet<usize>> =
        tables.classes(fine, shield).into_values().map(|rows| rows.into_iter().collect()).collect();
    let loss = |whole: &Vec<usize>| {
        let inside =
            parts.iter().filter(|part| part.contains(&whole[0]) || whole.iter().any(|r| part.contains(r)));
        whole.len() - inside.map(BTreeSet::len).min().expect("parts")
    };
    tables.classes(coarse, shield).values().map(loss).max().expect("classes")
}

/// The mean over the requirements that contain an attribute; none if none does.
fn mean_difference(tables: &Tables<'_>, text: Text, a: usize, fine: &State, coarse: &State) -> Option<f64> {
    let over: Vec<Vec<usize>> =
        tables.requirements().into_iter().map(|(shield, _)| shield).filter(|of| of.contains(&a)).collect();
    let sum: usize = over.iter().map(|shield| difference(tables, text, fine, coarse, shield)).sum();
    (!over.is_empty()).then(|| sum as f64 / over.len() as f64)
}

/// Top-down: specialises the best value that is valid and beneficial.
fn top_down(tables: &Tables<'_>, text: Text) -> Option<Rows> {
    let masks = |a: usize| tables.requirements().iter().any(|(shield, _)| shield.contains(&a));
    let mut state = tables.at(|a| if text == Text::Original && !masks(a) { Some(0) } else { None });
    if !tables.satisfies(&state) {
        return None;
    }
    loop {
        let mut best: Option<(f32, State)> = None;
        for (a, value) in tables.attributes().flat_map(|a| tables.values(a).into_iter().map(move |v| (a, v)))
        {
            let rows = tables.rows_below(a, &value);
            let labels: BTreeSet<&str> = rows.iter().map(|&row| tables.case.labels[row].as_str()).collect();
            let gain = information(tables, a, &value);
            let beneficial = if text == Text::Original { labels.len() > 1 } else { gain > 0.0 };
            if !state[a].contains(&value) || tables.children(a, &value).is_empty() || !beneficial {
                continue;
            }
            let mut next = state.clone();
            tables.lower(&mut next, a, &value);
            let lost = mean_difference(tables, text, a, &next, &state).unwrap_or(0.0);
            let score = (if lost > 0.0 { gain / lost } else { gain }) as f32;
            if tables.satisfies(&next) && best.as_ref().is_none_or(|(most, _)| score > *most) {
                best = Some((score, next));
            }
        }
        let Some((_, next)) = best else { return Some(tables.release(&state)) };
        state = next;
    }
}

/// Bottom-up: generalises by the best value as long as a requirement is violated.
fn bottom_up(tables: &Tables<'_>, text: Text) -> Option<Rows> {
    let mut state = tables.at(|_| Some(0));
    while !tables.satisfies(&state) {
        let mut best: Option<((bool, f32), State)> = None;
        for (a, value) in tables.attributes().flat_map(|a| tables.values(a).into_iter().map(move |v| (a, v)))
        {
            let mut children = tables.children(a, &value);
            children.retain(|child| !tables.rows_below(a, child).is_empty());
            let is_next = !children.is_empty() && children.iter().all(|child| state[a].contains(child));
            if !is_next {
                continue;
            }
            let mut next = state.clone();
            tables.raise(&mut next, a, &value);
            let Some(gained) = mean_difference(tables, text, a, &state, &next) else { continue };
            let lost = information(tables, a, &value);
            let score = (gained == 0.0, (if gained > 0.0 { lost / gained } else { lost }) as f32);
            if best.as_ref().is_none_or(|(least, _)| score < *least) {
                best = Some((score, next));
            }
        }
        state = best?.1;
    }
    Some(tables.release(&state))
}

/// A program that was written from a text.
type Transcription = fn(&Tables<'_>, Text) -> Option<Rows>;

#[test]
fn steps_are_those_of_the_papers() {
    let (mut feasible, mut readings_differ) = ([0, 0], [0, 0]);
    for seed in 0..250 {
        let case = random_case(seed);
        let tables = Tables { case: &case };
        let mut problem = case.problem_with_target("lm");
        let searches: [(&str, Transcription); 2] =
            [("top-down-specialization", top_down), ("bottom-up-generalization", bottom_up)];
        for (at, (name, transcription)) in searches.into_iter().enumerate() {
            let mut releases = Vec::new();
            for (text, follows) in [(Text::Original, "original"), (Text::ArcaHewett, "arca-hewett")] {
                let settings = ["variant=printed", &format!("follows={follows}")];
                let solution = search(&mut problem, name, &settings);
                let expected = transcription(&tables, text);
                assert_eq!(rows(&problem, &solution), expected, "case {seed}, {name}, {follows}");
                feasible[at] += usize::from(expected.is_some());
                releases.push(expected);
            }
            readings_differ[at] += usize::from(releases[0] != releases[1]);
        }
    }
    assert!(
        feasible.iter().chain(&readings_differ).all(|&cases| cases > 4),
        "{feasible:?}, {readings_differ:?}"
    );
}
