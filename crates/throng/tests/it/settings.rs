//! Every algorithm is honest about its settings: those that it does not take change nothing about
//! its releases, and those that it takes are read.

use throng::algorithm::{self, Distance, Entry, Family, Parameters, Setting};
use throng::problem::Problem;
use throng::run::Unobserved;
use throng::solve::{Outcome, solve};

use crate::case::Case;

const CASES: u64 = 40;

/// The parameters with another value of a setting.
fn change(parameters: &Parameters, setting: Setting) -> Parameters {
    let mut changed = parameters.clone();
    match setting {
        // The distance that agrees least with distance 3 and 4 about which clusters are near.
        Setting::Distance => changed.distance = Distance::NergizClifton,
        Setting::Epsilon => changed.epsilon = 5.0,
        Setting::Shrink => changed.shrink = !parameters.shrink,
        Setting::BlockRows => changed.block_rows = Some(10),
        Setting::Relaxed => changed.relaxed = !parameters.relaxed,
    }
    changed
}

fn found(problem: &mut Problem, entry: &Entry, parameters: Parameters) -> Outcome {
    problem.parameters = parameters;
    solve(problem, entry, None, &Unobserved).outcome
}

/// In how many random cases another value of the setting changes the release.
fn changes(entry: &Entry, setting: Setting) -> usize {
    let base = Parameters { distance: Distance::D4, ..Parameters::default() };
    let differs = |&seed: &u64| {
        let mut problem = Case::random(seed).problem("lm");
        let changed = found(&mut problem, entry, change(&base, setting));
        changed != found(&mut problem, entry, base.clone())
    };
    (0..CASES).filter(differs).count()
}

#[test]
fn settings_change_releases_exactly_if_they_are_listed() {
    for entry in algorithm::registry() {
        for setting in Setting::ALL {
            let (changes, name) = (changes(entry, setting), setting.name());
            if entry.takes(setting) {
                assert!(changes > 0, "'{}' lists '{name}' but does not read it", entry.name);
            } else {
                assert_eq!(changes, 0, "'{}' reads '{name}' but does not list it", entry.name);
            }
        }
    }
}

#[test]
fn epsilon_matters_to_distance_4_alone() {
    for entry in Setting::Epsilon.users() {
        for distance in [Distance::D1, Distance::D2, Distance::D3, Distance::NergizClifton] {
            let parameters = Parameters { distance, ..Parameters::default() };
            assert!(!Setting::Epsilon.matters(&parameters));
            for seed in 0..CASES {
                let mut problem = Case::random(seed).problem("lm");
                let changed = found(&mut problem, entry, change(&parameters, Setting::Epsilon));
                let plain = found(&mut problem, entry, parameters.clone());
                assert_eq!(changed, plain, "case {seed}, '{}' with {distance:?}", entry.name);
            }
        }
    }
    assert!(Setting::Epsilon.matters(&Parameters { distance: Distance::D4, ..Parameters::default() }));
}

#[test]
fn settings_are_listed_once_and_in_order_and_blocks_are_for_local_recoding() {
    for entry in algorithm::registry() {
        assert!(entry.settings.is_sorted_by(|a, b| a < b), "'{}'", entry.name);
        assert!(entry.family == Family::Local || !entry.takes(Setting::BlockRows), "'{}'", entry.name);
    }
    for setting in Setting::ALL {
        assert_eq!(Setting::find(setting.name()), Some(setting));
    }
}
