//! What `docs/models.md` says of unions and of suppression, on random classes; and the transport against
//! all transports that there are.

use throng::random::Random;

use super::*;

const CASES: u64 = 2_000;
/// Rounding of degrees that are mixtures of others.
const SLACK: f64 = 1e-9;

const VALUES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// A tree of height 3 over the six values.
fn tree() -> Vec<Vec<&'static str>> {
    let parents = [["ab", "abc"], ["ab", "abc"], ["c", "abc"], ["de", "def"], ["de", "def"], ["f", "def"]];
    VALUES.iter().zip(parents).map(|(&value, [low, high])| vec![value, low, high, "*"]).collect()
}

/// One to twelve rows: persons, of which there are few, and values, of which the first are frequent. The
/// persons of different classes are different ones.
fn random_class(random: &mut Random, class: usize) -> Vec<((usize, usize), &'static str)> {
    let rows = 1 + random.index(12);
    (0..rows).map(|_| ((class, random.index(6)), VALUES[random.skewed_index(VALUES.len())])).collect()
}

/// How many of 0 to 5 there are of each of some things.
fn random_counts(random: &mut Random, things: usize) -> Vec<usize> {
    (0..things).map(|_| random.index(6)).collect()
}

type Degree = fn(&Group<&'static str>, &Group<&'static str>) -> f64;

/// Models that are monotone: a union is at least as safe as each of its parts. More is safer.
const MONOTONE: [Degree; 2] = [|class, _| k(class) as f64, |class, _| distinct_l(class) as f64];

/// Models of which a union is at least as safe as its least safe part. Less is safer.
const SAFE_UNIONS: [Degree; 10] = [
    |class, _| -entropy_l(class),
    |class, _| recursive_cl(class, 2),
    |class, _| recursive_cl(class, 3),
    |class, _| alpha_k(class, None),
    |class, _| alpha_k(class, Some("b")),
    t_closeness_equal,
    t_closeness_ordered,
    |class, whole| t_closeness_hierarchical(class, whole, &tree()),
    beta_likeness,
    delta_disclosure,
];

#[test]
fn unions_are_as_safe_as_said() {
    let mut strictly_between = [0; SAFE_UNIONS.len()];
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        let parts: Vec<_> = (0..3).map(|class| random_class(random, class)).collect();
        let whole = parts.concat();
        let union = parts[..2].concat();
        let by_rows = |rows: &[(_, &'static str)]| {
            Group::of_rows(&rows.iter().map(|row: &((usize, usize), _)| row.1).collect::<Vec<_>>())
        };
        for count in [by_rows, Group::of_persons] {
            let [one, two, union, whole] = [&parts[0], &parts[1], &union, &whole].map(|rows| count(rows));
            for degree in MONOTONE {
                let [a, b, both] = [&one, &two, &union].map(|class| degree(class, &whole));
                assert!(both >= a.max(b), "case {seed}: {a} and {b} make {both}");
            }
            for (model, degree) in SAFE_UNIONS.into_iter().enumerate() {
                let [a, b, both] = [&one, &two, &union].map(|class| degree(class, &whole));
                assert!(both <= a.max(b) + SLACK, "case {seed}, {model}: {a} and {b} make {both}");
                strictly_between[model] += usize::from(both > a.min(b) + SLACK);
            }
            // An infinite degree of the enhanced form depends on the value, so by its condition.
            for beta in [0.3, 1.0, 3.0] {
                let [a, b, both] =
                    [&one, &two, &union].map(|class| enhanced_beta_likeness_holds(class, &whole, beta));
                assert!(both || !a || !b, "case {seed}, {beta}");
            }
        }
    }
    // None of them is monotone: unions are less safe than one of the parts.
    assert!(strictly_between.iter().all(|&times| times > 50), "{strictly_between:?}");
}

#[test]
fn conditions_and_degrees_say_the_same() {
    for seed in 0..CASES {
        let random = &mut Random::new(10_000 + seed);
        let parts: Vec<_> = (0..2).map(|class| random_class(random, class)).collect();
        let (class, whole) = (Group::of_persons(&parts[0]), Group::of_persons(&parts.concat()));
        // Not a number that any of these degrees is.
        let asked = 0.001_234_567 + random.index(40) as f64 / 10.0;
        for l in 2..5 {
            assert_eq!(recursive_cl(&class, l) < asked, recursive_cl_holds(&class, asked, l));
        }
        assert_eq!(delta_disclosure(&class, &whole) < asked, delta_disclosure_holds(&class, &whole, asked));
        let enhanced = enhanced_beta_likeness(&class, &whole) <= asked;
        assert_eq!(enhanced, enhanced_beta_likeness_holds(&class, &whole, asked));
    }
}

/// The least cost over all ways to carry whole units, one unit after the other.
fn least_of_all(supplies: &[usize], demands: &[usize], costs: &[Vec<usize>]) -> usize {
    let Some(from) = supplies.iter().position(|&supply| supply > 0) else { return 0 };
    let carry = |to: usize| {
        let (mut supplies, mut demands) = (supplies.to_vec(), demands.to_vec());
        supplies[from] -= 1;
        demands[to] -= 1;
        costs[from][to] + least_of_all(&supplies, &demands, costs)
    };
    (0..demands.len()).filter(|&to| demands[to] > 0).map(carry).min().expect("as much demand as supply")
}

#[test]
fn no_transport_costs_less_than_the_least() {
    for seed in 0..200 {
        let random = &mut Random::new(20_000 + seed);
        let [mut supplies, mut demands] = [0; 2].map(|_| vec![0; 3]);
        for _ in 0..7 {
            supplies[random.index(3)] += 1;
            demands[random.index(3)] += 1;
        }
        let costs: Vec<Vec<usize>> = (0..3).map(|_| random_counts(random, 3)).collect();
        let least = least_transport(&supplies, &demands, &costs);
        assert_eq!(least, least_of_all(&supplies, &demands, &costs), "{supplies:?} {demands:?} {costs:?}");
    }
}

#[test]
fn short_forms_of_the_distances_are_right() {
    for seed in 0..CASES {
        let random = &mut Random::new(30_000 + seed);
        let parts: Vec<_> = (0..2).map(|class| random_class(random, class)).collect();
        let (class, whole) = (Group::of_persons(&parts[0]), Group::of_persons(&parts.concat()));
        let domain = whole.domain();
        let surplus: Vec<f64> =
            domain.iter().map(|&value| class.probability(value) - whole.probability(value)).collect();
        let half: f64 = surplus.iter().map(|by| by.abs()).sum::<f64>() / 2.0;
        assert!((t_closeness_equal(&class, &whole) - half).abs() < SLACK);
        let running = surplus.iter().scan(0.0, |sum, by| {
            *sum += by;
            Some(f64::abs(*sum))
        });
        let steps = (domain.len() - 1).max(1) as f64;
        assert!((t_closeness_ordered(&class, &whole) - running.sum::<f64>() / steps).abs() < SLACK);
        // At every node what its children have too much meets what they lack; only the rest goes up. Half of
        // what all nodes of a height exchange with their parents moves by one height, up and down.
        let exchanged = |height: usize| -> f64 {
            let tree = tree();
            let nodes: BTreeSet<&str> = tree.iter().map(|way| way[height]).collect();
            let below = |node: &str, leaf: &str| tree.iter().any(|way| way[0] == leaf && way[height] == node);
            let surplus_below = |node: &str| -> f64 {
                domain.iter().zip(&surplus).filter(|(leaf, _)| below(node, leaf)).map(|(_, by)| by).sum()
            };
            nodes.into_iter().map(|node| surplus_below(node).abs()).sum::<f64>() / 2.0
        };
        let hierarchical = (0..3).map(exchanged).sum::<f64>() / 3.0;
        assert!((t_closeness_hierarchical(&class, &whole, &tree()) - hierarchical).abs() < SLACK);
    }
}

/// The fewest rows whose leaving makes the mean low enough, over all sets of classes.
fn fewest_rows(classes: &[(usize, usize)], most: f64) -> usize {
    let rows = |kept: usize| {
        let kept = classes.iter().enumerate().filter(move |(place, _)| (kept >> place) & 1 == 1);
        let kept: Vec<(usize, usize)> = kept.map(|(_, &class)| class).collect();
        let all: usize = kept.iter().map(|class| class.0).sum();
        (keep_average_risk(&kept, most) == sorted(kept)).then_some(all)
    };
    let total: usize = classes.iter().map(|class| class.0).sum();
    total - (0..1 << classes.len()).filter_map(rows).max().expect("nothing at all is kept at the worst")
}

fn sorted(mut classes: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    classes.sort_by_key(|&(rows, population)| (std::cmp::Reverse(population), std::cmp::Reverse(rows)));
    classes
}

#[test]
fn worst_first_suppresses_the_fewest_rows_of_an_average_risk_without_population() {
    let left_out = |classes: &[(usize, usize)], most| {
        let kept = keep_average_risk(classes, most);
        let rows = |classes: &[(usize, usize)]| classes.iter().map(|class| class.0).sum::<usize>();
        rows(classes) - rows(&kept)
    };
    for seed in 0..CASES {
        let random = &mut Random::new(40_000 + seed);
        let number = 2 + random.index(5);
        let sizes: Vec<usize> = random_counts(random, number).into_iter().map(|size| size + 1).collect();
        let most = 0.0123 + random.index(50) as f64 / 60.0;
        let classes: Vec<_> = sizes.iter().map(|&size| (size, size)).collect();
        assert_eq!(left_out(&classes, most), fewest_rows(&classes, most), "{sizes:?} {most}");
        // Nor does merging classes ever suppress more.
        let mut coarser = classes.clone();
        let (a, b) = (coarser.swap_remove(0), coarser.swap_remove(0));
        coarser.push((a.0 + b.0, a.1 + b.1));
        assert!(left_out(&coarser, most) <= left_out(&classes, most), "{sizes:?} {most}");
    }
}
