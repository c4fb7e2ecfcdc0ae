//! The estimators against definitions by brute force, and against populations that are known.

use std::collections::BTreeMap;

use super::*;
use crate::random::Random;

fn near(a: f64, b: f64, tolerance: f64, context: &str) {
    assert!((a - b).abs() <= tolerance * b.abs().max(1e-3), "{context}: {a}, not {b}");
}

/// The sizes of the classes of a sample of the people of classes, and the true share of the sampled records that are
/// unique.
fn draw(population: &[u64], fraction: f64, random: &mut Random) -> (Sample, f64) {
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    let (mut rows, mut unique) = (0, 0);
    for &people in population {
        let sampled = (0..people).filter(|_| random.chance(fraction)).count() as u64;
        rows += sampled;
        unique += u64::from(people == 1 && sampled == 1);
        if sampled > 0 {
            *sizes.entry(sampled).or_default() += 1;
        }
    }
    (Sample::new(sizes, fraction), unique as f64 / rows as f64)
}

/// What an estimator says of ten samples is right on average, but for a twentieth.
fn assert_right_on_average(
    estimator: fn(&Sample) -> PopulationShare,
    draw_one: impl Fn(&mut Random) -> (Sample, f64),
    context: &str,
) {
    let (mut estimated, mut true_shares) = (0.0, 0.0);
    for seed in 0..10 {
        let (sample, truth) = draw_one(&mut Random::new(seed));
        estimated += estimator(&sample).unwrap_or_else(|error| panic!("{context}: {error:?}"));
        true_shares += truth;
    }
    near(estimated, true_shares, 0.05, context);
}

/// Classes that form by Pitman's formula, person by person.
fn pitman_population(people: u64, theta: f64, alpha: f64, random: &mut Random) -> Vec<u64> {
    let (mut classes, mut of_person): (Vec<u64>, Vec<usize>) = (Vec::new(), Vec::new());
    for person in 0..people {
        let new = (theta + classes.len() as f64 * alpha) / (theta + person as f64);
        let class = if random.chance(new) {
            classes.push(0);
            classes.len() - 1
        } else {
            // By its people less alpha: one of them, who is refused with alpha over the size.
            loop {
                let class = of_person[random.index(of_person.len())];
                if !random.chance(alpha / classes[class] as f64) {
                    break class;
                }
            }
        };
        classes[class] += 1;
        of_person.push(class);
    }
    classes
}

#[test]
fn pitman_finds_the_share_of_populations_of_its_formula() {
    for (theta, alpha, fraction) in [(200.0, 0.4, 0.1), (20.0, 0.7, 0.05), (1000.0, 0.2, 0.2)] {
        let one =
            |random: &mut Random| draw(&pitman_population(60_000, theta, alpha, random), fraction, random);
        assert_right_on_average(pitman, one, &format!("pitman: {theta} {alpha} {fraction}"));
    }
}

/// Negative binomial numbers: failures before a whole number of successes.
fn snb_population(classes: u32, r: u32, p: f64, random: &mut Random) -> Vec<u64> {
    let failures = |random: &mut Random| {
        let mut failures = 0;
        while !random.chance(p) {
            failures += 1;
        }
        failures
    };
    (0..classes).map(|_| 1 + (0..r).map(|_| failures(random)).sum::<u64>()).collect()
}

#[test]
fn snb_finds_the_share_of_slide_negative_binomial_populations() {
    for (r, p, fraction) in [(1, 0.5, 0.5), (2, 0.4, 0.3), (3, 0.7, 0.2)] {
        let one = |random: &mut Random| draw(&snb_population(40_000, r, p, random), fraction, random);
        assert_right_on_average(snb, one, &format!("snb: {r} {p} {fraction}"));
    }
}

/// Zayatz's rule by binomial coefficients, as the paper has it.
#[test]
fn zayatz_is_bayes_rule_over_hypergeometric_probabilities() {
    let choose = |n: u64, k: u64| (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product::<f64>();
    for (classes, fraction) in [(vec![(1, 5), (2, 3), (5, 1)], 0.25), (vec![(1, 3), (3, 4), (9, 2)], 0.5)] {
        let sample = Sample::new(classes.clone(), fraction);
        let (n, people) = (sample.rows() as u64, sample.population() as u64);
        let one = |size: u64| size as f64 * choose(people - size, n - 1) / choose(people, n);
        let all: f64 = classes.iter().map(|&(size, count)| count as f64 * one(size)).sum();
        let unique = sample.uniques();
        near(zayatz(&sample).unwrap(), unique * one(1) / all * unique / n as f64, 1e-9, "zayatz");
    }
}

#[test]
fn a_whole_population_is_known_and_so_is_one_without_unique_records() {
    let census = Sample::new([(1, 3), (2, 1)], 1.0);
    let crowded = Sample::new([(2, 30), (7, 4)], 0.1);
    for estimator in ESTIMATORS {
        assert_eq!((estimator.share)(&census), Ok(0.6), "{}", estimator.name);
        assert_eq!((estimator.share)(&crowded), Ok(0.0), "{}", estimator.name);
    }
}

#[test]
fn what_is_out_of_range_is_said() {
    let all_alone = Sample::new([(1, 100)], 0.01);
    let refused = pitman(&all_alone).unwrap_err();
    assert!(refused.reason.contains("alone") && refused.instead == "zayatz", "{refused:?}");
    assert!(snb(&all_alone).is_err());
    assert!(snb(&Sample::new([(1, 1), (2, 1_000)], 0.1)).is_err());
    // The rule then takes another.
    assert_eq!(rule(&all_alone).unwrap().0, "zayatz");
}

#[test]
fn the_rule_is_that_of_the_paper() {
    let large = Sample::new([(1, 400), (2, 100), (3, 100)], 0.5);
    let small = Sample::new([(1, 400), (2, 60), (3, 20), (10, 5), (50, 2)], 0.1);
    assert_eq!(rule(&large).unwrap().0, "snb");
    assert_eq!(dankar(&large), snb(&large));
    assert_eq!(rule(&small), Ok(("pitman", pitman(&small).unwrap())));
    let lower = |sample: &Sample| zayatz(sample).unwrap().min(snb(sample).unwrap_or(1.0));
    assert_eq!(dankar(&large), Ok(lower(&large)));
}

/// The mean of 1/F over negative binomial F, term by term.
#[test]
fn the_individual_risk_is_a_mean_over_negative_binomial_classes() {
    for fraction in [0.02, 0.1, 0.3, 0.5, 0.51, 0.8, 0.99] {
        let risks = individual_risks(30, fraction);
        for rows in [1u32, 2, 3, 7, 30] {
            let f = f64::from(rows);
            let (mut chance, mut mean, mut people) = (fraction.powi(rows as i32), 0.0, f);
            while people < 1e5 {
                mean += chance / people;
                chance *= (1.0 - fraction) * people / (people - f + 1.0);
                people += 1.0;
            }
            near(risks[rows as usize - 1], mean, 1e-8, &format!("{fraction} {rows}"));
        }
        assert!(risks.is_sorted_by(|a, b| a >= b), "{fraction}: {risks:?}");
    }
}

#[test]
fn expected_reidentifications_are_the_sum_of_individual_risks() {
    let sample = Sample::new([(1, 2), (2, 1)], 0.1);
    let expected = 2.0 * individual_risk(1, 0.1) + 2.0 * individual_risk(2, 0.1);
    near(sample.expected_reidentifications(), expected, 1e-12, "the sum");
    // Of a census every class gives one away.
    near(Sample::new([(1, 2), (5, 1)], 1.0).expected_reidentifications(), 3.0, 1e-12, "a census");
}
