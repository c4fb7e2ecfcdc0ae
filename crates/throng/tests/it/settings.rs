//! Every algorithm is honest about its settings: those that it does not take change nothing about
//! its releases, and those that it takes are read. Whatever is declared is tried.

use throng::algorithm::{self, BLOCK_ROWS, Entry, Family, Setting, SettingKind, SettingValue, Settings};
use throng::problem::Problem;
use throng::run::Unobserved;
use throng::solve::{Outcome, solve};

use crate::case::Case;

const CASES: u64 = 40;

/// Settings that change small releases too seldom, or take too long to: [`heuristic_min`](crate::heuristic_min) and the
/// units of `sequential` show that they are read.
const SHOWN_ELSEWHERE: [(&str, &str); 2] = [("heuristic-min", "variant"), ("sequential", "improve_seconds")];

/// Values that a setting can have beside its default, for a requirement of k.
fn others(setting: &Setting, k: u64) -> Vec<SettingValue> {
    let all = match setting.kind {
        SettingKind::Flag => vec![SettingValue::Flag(false), SettingValue::Flag(true)],
        SettingKind::Number { above } => {
            vec![SettingValue::Number(above + 1e-9), SettingValue::Number(above + 5.0)]
        }
        SettingKind::Share => vec![SettingValue::Number(0.0), SettingValue::Number(1.0)],
        SettingKind::Count { least, .. } => {
            [0, 1].map(|more| SettingValue::Count(least.for_k(k) + more)).to_vec()
        }
        SettingKind::Choice(names) => names.iter().map(|name| SettingValue::Choice(name)).collect(),
    };
    all.into_iter().filter(|value| Some(*value) != setting.default).collect()
}

fn told(settings: &[(&Setting, SettingValue)]) -> Settings {
    let mut told = Settings::default();
    settings.iter().for_each(|(setting, value)| told.set(setting, *value));
    told
}

fn found(problem: &mut Problem, entry: &Entry, settings: Settings) -> Outcome {
    problem.settings = settings;
    solve(problem, entry, None, &Unobserved).outcome
}

/// Whether another value of the setting changes the release of a random case, where others are such that it matters.
fn changes(entry: &Entry, setting: &Setting) -> bool {
    let base = told(setting.only_with.as_slice());
    assert!(setting.matters(&base), "'{}'", setting.name);
    // Some settings tell only where there is a class to predict, or more than a k is asked for, and some seldom.
    let cases = if entry.takes(setting) { 10 * CASES } else { CASES };
    let of_k = (0..cases).map(|seed| Case::random(seed).problem("lm"));
    let of_class = (0..cases).map(|seed| Case::random(seed).problem_with_target("lm"));
    let of_more = (0..cases).map(|seed| Case::random_asking(seed).problem("lm"));
    let differs = |mut problem: Problem| {
        let plain = found(&mut problem, entry, base.clone());
        others(setting, problem.requirements.k()).into_iter().any(|value| {
            let mut changed = base.clone();
            changed.set(setting, value);
            found(&mut problem, entry, changed) != plain
        })
    };
    let of_more = of_more.filter(|problem| entry.serves.all_of(&problem.requirements));
    of_k.chain(of_class).chain(of_more).any(differs)
}

#[test]
fn settings_change_releases_exactly_if_they_are_listed() {
    for entry in algorithm::registry() {
        for setting in Setting::all() {
            if SHOWN_ELSEWHERE.contains(&(entry.name, setting.name)) {
                continue;
            }
            let (changes, name) = (changes(entry, setting), setting.name);
            if entry.takes(setting) {
                assert!(changes, "'{}' lists '{name}' but does not read it", entry.name);
            } else {
                assert!(!changes, "'{}' reads '{name}' but does not list it", entry.name);
            }
        }
    }
}

#[test]
fn settings_matter_only_with_what_they_are_declared_to_go_with() {
    for setting in Setting::all() {
        let Some((other, value)) = setting.only_with else { continue };
        assert!(setting.matters(&told(&[(other, value)])), "'{}'", setting.name);
        for without in others(other, 2).into_iter().chain(other.default).filter(|without| *without != value) {
            assert!(!setting.matters(&told(&[(other, without)])), "'{}'", setting.name);
            for (entry, seed) in setting.users().flat_map(|entry| (0..CASES).map(move |seed| (entry, seed))) {
                let mut problem = Case::random(seed).problem("lm");
                let plain = found(&mut problem, entry, told(&[(other, without)]));
                for changed in others(setting, problem.requirements.k()) {
                    let changed = found(&mut problem, entry, told(&[(other, without), (setting, changed)]));
                    assert_eq!(changed, plain, "case {seed}, '{}', {} = {without}", entry.name, other.name);
                }
            }
        }
    }
    assert!(Setting::find("epsilon").is_some_and(|epsilon| epsilon.only_with.is_some()));
}

#[test]
fn declarations_make_sense() {
    for setting in Setting::all() {
        let name = setting.name;
        assert_eq!(Setting::find(name), Some(*setting));
        assert!(
            name.chars().all(|c| c.is_ascii_lowercase() || c == '_') && !setting.help.ends_with('.'),
            "'{name}'"
        );
        if let Some(default) = setting.default {
            // Panics if it is of another kind.
            told(&[(setting, default)]);
            assert_eq!(setting.check(default, 2), Ok(()));
        }
        if setting.kind == SettingKind::Flag {
            assert_eq!(setting.default, Some(SettingValue::Flag(false)), "'{name}': a flag sets it");
        }
        if let Some((other, value)) = setting.only_with {
            told(&[(other, value)]);
            assert!(setting.users().all(|entry| entry.takes(other)), "'{name}'");
        }
    }
}

#[test]
fn settings_are_listed_once_and_in_one_order_and_blocks_are_for_local_recoding() {
    let place = |setting: &Setting| Setting::all().iter().position(|known| *known == setting);
    for entry in algorithm::registry() {
        // A name with two declarations has no place.
        assert!(entry.settings.iter().all(|setting| place(setting).is_some()), "'{}'", entry.name);
        assert!(entry.settings.is_sorted_by(|a, b| place(a) < place(b)), "'{}'", entry.name);
        assert!(entry.family == Family::Local || !entry.takes(&BLOCK_ROWS), "'{}'", entry.name);
    }
}
