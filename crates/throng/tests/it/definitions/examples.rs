//! The worked examples of `docs/models.md`, by hand.
//!
//! Twelve rows, three classes; p is the share of a value in the whole table.
//!
//! | class | flu | asthma | gastritis | ulcer | rows | of the population |
//! |---|---|---|---|---|---|---|
//! | A | 3 | 1 | 1 | 0 | 5 | 20 |
//! | B | 1 | 1 | 1 | 1 | 4 | 8 |
//! | C | 0 | 0 | 1 | 2 | 3 | 30 |
//! | all | 4 | 2 | 3 | 3 | 12 | 65: 7 are in class D, of which nothing is released |
//! | p | 1/3 | 1/6 | 1/4 | 1/4 | | |
//!
//! The days of stay are distributed alike: 1, 2, 3 and 8 days in the place of the four diagnoses.

use super::*;

/// Class, person, diagnosis, days.
const TABLE: [(&str, &str, &str, usize); 12] = [
    ("A", "p1", "flu", 1),
    ("A", "p1", "flu", 1),
    ("A", "p2", "flu", 2),
    ("A", "p1", "asthma", 1),
    ("A", "p3", "gastritis", 3),
    ("B", "p4", "flu", 2),
    ("B", "p5", "asthma", 1),
    ("B", "p6", "gastritis", 3),
    ("B", "p7", "ulcer", 8),
    ("C", "p8", "gastritis", 3),
    ("C", "p9", "ulcer", 8),
    ("C", "p9", "ulcer", 8),
];

/// The rows that are in any of some classes.
fn rows_of(
    classes: &str,
) -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str, usize)> {
    TABLE.iter().filter(move |row| classes.contains(row.0))
}

fn diagnoses(classes: &str) -> Group<&'static str> {
    Group::of_rows(&rows_of(classes).map(|row| row.2).collect::<Vec<_>>())
}

fn days(classes: &str) -> Group<usize> {
    Group::of_rows(&rows_of(classes).map(|row| row.3).collect::<Vec<_>>())
}

fn persons(classes: &str) -> Group<&'static str> {
    Group::of_persons(&rows_of(classes).map(|row| (row.1, row.2)).collect::<Vec<_>>())
}

/// The degrees of the classes A, B and C, and of B with C.
fn each<T>(degree: impl Fn(&str) -> T) -> [T; 4] {
    ["A", "B", "C", "BC"].map(degree)
}

/// The same against the whole table.
fn against_all(degree: impl Fn(&Group<&'static str>, &Group<&'static str>) -> f64) -> [f64; 4] {
    each(|classes| degree(&diagnoses(classes), &diagnoses("ABC")))
}

fn tree() -> Vec<Vec<&'static str>> {
    vec![
        vec!["flu", "airways", "*"],
        vec!["asthma", "airways", "*"],
        vec!["gastritis", "stomach", "*"],
        vec!["ulcer", "stomach", "*"],
    ]
}

fn released() -> Vec<&'static str> {
    TABLE.iter().map(|row| row.0).collect()
}

fn population() -> Vec<&'static str> {
    let class = |(name, size): (&'static str, usize)| std::iter::repeat_n(name, size);
    [("A", 20), ("B", 8), ("C", 30), ("D", 7)].into_iter().flat_map(class).collect()
}

#[track_caller]
fn assert_close(found: impl AsRef<[f64]>, expected: impl AsRef<[f64]>) {
    let (found, expected) = (found.as_ref(), expected.as_ref());
    let close = |(a, b): (&f64, &f64)| a == b || (a - b).abs() < 1e-12;
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(close),
        "{found:?} instead of {expected:?}"
    );
}

const INFINITE: f64 = f64::INFINITY;

#[test]
fn example_table() {
    let p = |value| diagnoses("ABC").probability(value);
    assert_close(["flu", "asthma", "gastritis", "ulcer"].map(p), [1.0 / 3.0, 1.0 / 6.0, 0.25, 0.25]);
    // The days have the same counts, in every class.
    for classes in ["A", "B", "C"] {
        let counts = [1, 2, 3, 8].map(|value| days(classes).count(value));
        assert_eq!(
            ["flu", "asthma", "gastritis", "ulcer"].map(|value| diagnoses(classes).count(value)),
            counts
        );
    }
}

#[test]
fn example_k() {
    assert_eq!(each(|classes| k(&diagnoses(classes))), [5, 4, 3, 7]);
}

#[test]
fn example_distinct_l() {
    assert_eq!(each(|classes| distinct_l(&diagnoses(classes))), [3, 4, 2, 4]);
    // 98 of 100 alike: 3 values, and entropy-l sees through it.
    // H = −0.98 ln 0.98 + 0.02 ln 100 = 0.0197986 + 0.0921034 = 0.1119020; e^H = 1.118403.
    let mut values = vec!["ulcer"; 98];
    values.extend(["flu", "asthma"]);
    let class = Group::of_rows(&values);
    assert_eq!(distinct_l(&class), 3);
    assert!((entropy_l(&class) - 1.118_403).abs() < 1e-6);
}

#[test]
fn example_p_sensitive() {
    // C is the class that decides: 3 rows, 2 values.
    for (p, k, holds) in [(2, 3, true), (2, 4, false), (3, 3, false)] {
        assert_eq!(each(|classes| p_sensitive_holds(&diagnoses(classes), p, k))[2], holds);
    }
}

#[test]
fn example_entropy_l() {
    // e^H = Π (n / n_i)^(n_i / n).
    // A: (5/3)^(3/5) · 5^(2/5) = 1.358655 · 1.903654 = 2.586409
    // B: 4;  C: 3^(1/3) · (3/2)^(2/3) = 1.442250 · 1.310371 = 1.889882
    // B and C: 7^(2/7) · (7/2)^(2/7) · (7/3)^(3/7) = 1.743639 · 1.430369 · 1.437819 = 3.585989
    let degrees = each(|classes| entropy_l(&diagnoses(classes)));
    assert_close(
        degrees,
        [
            (5.0_f64 / 3.0).powf(0.6) * 5.0_f64.powf(0.4),
            4.0,
            3.0_f64.cbrt() * 1.5_f64.powf(2.0 / 3.0),
            24.5_f64.powf(2.0 / 7.0) * (7.0_f64 / 3.0).powf(3.0 / 7.0),
        ],
    );
    for (degree, rounded) in degrees.into_iter().zip([2.586_409, 4.0, 1.889_882, 3.585_989]) {
        assert!((degree - rounded).abs() < 1e-6, "{degree} {rounded}");
    }
    // l = 3.8 refuses the union of B, which it allows, with C.
    assert!(degrees[1] >= 3.8 && degrees[2] < 3.8 && degrees[3] < 3.8);
}

#[test]
fn example_recursive_cl() {
    // Sorted: A 3 1 1, B 1 1 1 1, C 2 1, B and C 3 2 1 1.
    assert_close(each(|classes| recursive_cl(&diagnoses(classes), 2)), [1.5, 1.0 / 3.0, 2.0, 0.75]);
    assert_close(each(|classes| recursive_cl(&diagnoses(classes), 3)), [3.0, 0.5, INFINITE, 1.5]);
    // Strict: A does not have (3, 3), C does not have (2, 2).
    assert!(!recursive_cl_holds(&diagnoses("A"), 3.0, 3) && recursive_cl_holds(&diagnoses("A"), 3.1, 3));
    assert!(!recursive_cl_holds(&diagnoses("C"), 2.0, 2) && recursive_cl_holds(&diagnoses("C"), 2.1, 2));
    assert!(!recursive_cl_holds(&diagnoses("C"), 1e9, 3));
    // (0.5, 2): B has it, B with C does not.
    assert_eq!(each(|classes| recursive_cl_holds(&diagnoses(classes), 0.5, 2)), [false, true, false, false]);
}

#[test]
fn example_alpha_k() {
    assert_close(each(|classes| alpha_k(&diagnoses(classes), None)), [0.6, 0.25, 2.0 / 3.0, 3.0 / 7.0]);
    assert_close(each(|classes| alpha_k(&diagnoses(classes), Some("flu"))), [0.6, 0.25, 0.0, 1.0 / 7.0]);
    // α = 0.4 suppresses A and C, 8 rows; where B and C are one class, all 12.
    let refused = |class: &Group<_>, _: &Group<_>| alpha_k(class, None) > 0.4;
    let [a, b, c, bc] = ["A", "B", "C", "BC"].map(|classes| diagnoses(classes).values);
    assert_eq!(keep_unrefused(&[a.clone(), b, c], refused), [1]);
    assert_eq!(keep_unrefused(&[a, bc], refused), [] as [usize; 0]);
}

#[test]
fn example_t_closeness_equal() {
    // Surplus of the class over the whole, in sixtieths. A: 16 2 −3 −15, so 18 / 60 have to move.
    // In twelfths, B: −1 1 0 0; C: −4 −2 1 5. In 84ths, B and C: −16 −2 3 15.
    assert_close(against_all(t_closeness_equal), [0.3, 1.0 / 12.0, 0.5, 18.0 / 84.0]);
    // Left after C: flu 4, asthma 2, gastritis 2, ulcer 1 of 9. In 45ths, A: 7 −1 −1 −5;
    // in 36ths, B: −7 1 1 5.
    let left = |classes| t_closeness_equal(&diagnoses(classes), &diagnoses("AB"));
    assert_close(["A", "B"].map(left), [7.0 / 45.0, 7.0 / 36.0]);
}

#[test]
fn example_t_closeness_ordered() {
    // The running sums of the surplus. A: 16 18 15 of 60; B: −1 0 0 of 12; C: −4 −6 −5 of 12;
    // B and C: −16 −18 −15 of 84. Divided by 3 steps.
    let degree = |classes: &str| t_closeness_ordered(&days(classes), &days("ABC"));
    assert_close(each(degree), [49.0 / 180.0, 1.0 / 36.0, 15.0 / 36.0, 49.0 / 252.0]);
    // One row of 2 days: −1/3, 1/2, 1/4, so 13/12 over 3.
    assert_close([t_closeness_ordered(&Group::of_rows(&[2]), &days("ABC"))], [13.0 / 36.0]);
}

#[test]
fn example_t_closeness_hierarchical() {
    // A and C: nothing can stay within the airways or the stomach, so all moves the whole way.
    // B: 1/12 from asthma to flu, half the way. B and C: 18 of 84 to the airways.
    let degree = |class: &Group<_>, whole: &Group<_>| t_closeness_hierarchical(class, whole, &tree());
    assert_close(against_all(degree), [0.3, 1.0 / 24.0, 0.5, 18.0 / 84.0]);
    // Half asthma, half gastritis: as much of the airways and of the stomach as in the whole table.
    // Asthma 1/2 to 1/6: 1/3 to flu, half the way; gastritis 1/2 to 1/4: 1/4 to ulcer, half the way.
    let class = Group::of_rows(&["asthma", "gastritis"]);
    assert_close([degree(&class, &diagnoses("ABC"))], [7.0 / 24.0]);
    assert_close([t_closeness_equal(&class, &diagnoses("ABC"))], [7.0 / 12.0]);
}

#[test]
fn example_beta_likeness() {
    // q / p − 1. A: 9/5 6/5 4/5 0; B: 3/4 3/2 1 1; C: 0 0 4/3 8/3; B and C: 3/7 6/7 8/7 12/7.
    assert_close(against_all(beta_likeness), [0.8, 0.5, 5.0 / 3.0, 5.0 / 7.0]);
    // −ln p: flu 1.0986, asthma 1.7918, the others 1.3863. Only the ulcers of C gain more.
    assert_close(against_all(enhanced_beta_likeness), [0.8, 0.5, INFINITE, 5.0 / 7.0]);
    let holds = |classes: &str| enhanced_beta_likeness_holds(&diagnoses(classes), &diagnoses("ABC"), 2.0);
    assert_eq!(each(holds), [true, true, false, true]);
    // p = 1/2: basic β = 1 allows q = 1, −ln p = 0.6931 only 0.5 · 1.6931 = 0.8466.
    let half = Group::of_rows(&["flu", "ulcer"]);
    assert_close([beta_likeness(&Group::of_rows(&["flu"]), &half)], [1.0]);
    let flu = |of: usize, rest: usize| Group::of_rows(&[vec!["flu"; of], vec!["ulcer"; rest]].concat());
    let allowed = |class: &Group<_>| enhanced_beta_likeness_holds(class, &half, 1.0);
    assert!(allowed(&flu(846, 154)) && !allowed(&flu(847, 153)));
    // One gastritis, one ulcer: both gain 0.5 · 4 − 1 = 1; as one value, 1 / 0.5 − 1 = 1 is above 0.6931.
    let stomach = Group::of_rows(&["gastritis", "ulcer"]);
    assert_close([enhanced_beta_likeness(&stomach, &diagnoses("ABC"))], [1.0]);
    let organ = |classes: &Group<&'static str>| {
        let is_stomach = |value: &&str| ["gastritis", "ulcer"].contains(value);
        Group::of_rows(&classes.values.iter().map(is_stomach).collect::<Vec<_>>())
    };
    assert_close([beta_likeness(&organ(&stomach), &organ(&diagnoses("ABC")))], [1.0]);
    assert_close([enhanced_beta_likeness(&organ(&stomach), &organ(&diagnoses("ABC")))], [INFINITE]);
}

#[test]
fn example_suppression_repeats() {
    // β = 1: C goes. Of the 9 rows left p is 4/9 2/9 2/9 1/9; A gains 0.6 · 9/4 − 1 = 0.35,
    // B 0.25 · 9 − 1 = 1.25, so B goes, too; A alone is like itself.
    let left = |classes| beta_likeness(&diagnoses(classes), &diagnoses("AB"));
    assert_close(["A", "B"].map(left), [0.35, 1.25]);
    let refused = |class: &Group<_>, whole: &Group<_>| beta_likeness(class, whole) > 1.0;
    let [a, b, c, bc] = ["A", "B", "C", "BC"].map(|classes| diagnoses(classes).values);
    assert_eq!(keep_unrefused(&[a.clone(), b, c], refused), [0]);
    // B and C as one class lose nothing.
    assert_eq!(keep_unrefused(&[a, bc], refused), [0, 1]);
}

#[test]
fn example_delta_disclosure() {
    // B: ln 3/4, ln 3/2, 0, 0. B and C: ln 3/7 is the farthest.
    assert_close(against_all(delta_disclosure), [INFINITE, 1.5_f64.ln(), INFINITE, (7.0_f64 / 3.0).ln()]);
    assert!((1.5_f64.ln() - 0.405_465).abs() < 1e-6 && ((7.0_f64 / 3.0).ln() - 0.847_298).abs() < 1e-6);
    let holds = |classes: &str| delta_disclosure_holds(&diagnoses(classes), &diagnoses("ABC"), 0.5);
    assert_eq!(each(holds), [false, true, false, false]);
    // Strict.
    assert!(!delta_disclosure_holds(&diagnoses("A"), &diagnoses("A"), 0.0));
}

#[test]
fn example_rare_value() {
    // A disease of 1 in 100 that one in five of a class has: t = 0.19, but a gain of 19.
    let mut whole = vec!["rare"; 2];
    whole.extend(["other"; 198]);
    let class = ["rare", "other", "other", "other", "other"];
    let (class, whole) = (Group::of_rows(&class), Group::of_rows(&whole));
    assert_close([t_closeness_equal(&class, &whole)], [0.19]);
    assert_close([beta_likeness(&class, &whole)], [19.0]);
    // −ln 0.01 = 4.605 is the most that enhanced β-likeness lets it gain.
    assert!((100.0_f64.ln() - 4.605).abs() < 1e-3 && enhanced_beta_likeness(&class, &whole) == INFINITE);
}

#[test]
fn example_k_map() {
    assert_eq!(["A", "B", "C"].map(|class| k_map(&class, &population())), [20, 8, 30]);
}

#[test]
fn example_delta_presence() {
    let degrees = |min| ["A", "B", "C"].map(|class| delta_presence(&class, &released(), &population(), min));
    assert_close(degrees(0.0), [0.25, 0.5, 0.1]);
    assert_close(degrees(0.2), [0.25, 0.5, INFINITE]);
    assert!(delta_presence_holds(&released(), &population(), 0.0, 0.5));
    assert!(!delta_presence_holds(&released(), &population(), 0.0, 0.3));
    // Whoever is in D is known not to be in the table.
    assert!(!delta_presence_holds(&released(), &population(), 0.05, 0.5));
    // A and B as one class: 9 of 28, above 0.3, which A alone is below.
    let merge = |classes: Vec<&'static str>| -> Vec<&str> {
        classes.into_iter().map(|class| if class == "B" { "A" } else { class }).collect()
    };
    let union = delta_presence(&"A", &merge(released()), &merge(population()), 0.0);
    assert_close([union], [9.0 / 28.0]);
}

#[test]
fn example_max_risk() {
    assert_close(["A", "B", "C"].map(|class| risk(&class, &released())), [0.2, 0.25, 1.0 / 3.0]);
    assert_close(["A", "B", "C"].map(|class| risk(&class, &population())), [0.05, 0.125, 1.0 / 30.0]);
}

#[test]
fn example_average_risk() {
    // 3 classes, 12 rows. (5/20 + 4/8 + 3/30) / 12 = 0.85 / 12.
    assert_close([average_risk(&released(), &released())], [0.25]);
    assert_close([average_risk(&released(), &population())], [0.85 / 12.0]);
    // At most 0.23: C goes, 2 classes of 9 rows are left. At most 0.21: B goes, too.
    let classes = [(5, 5), (4, 4), (3, 3)];
    assert_eq!(keep_average_risk(&classes, 0.23), [(5, 5), (4, 4)]);
    assert_eq!(keep_average_risk(&classes, 0.21), [(5, 5)]);
    // One row alone among a hundred: the mean says 0.02.
    let mut rows = vec!["crowd"; 99];
    rows.push("alone");
    assert_close([average_risk(&rows, &rows), risk(&"alone", &rows)], [0.02, 1.0]);
}

#[test]
fn example_average_risk_of_a_population() {
    // At most 1/6. 7/9 + 4/4 + 2/2 + 1/3 = 28/9 of 14 rows, above 14/6; without (2, 2) 19/9 of 12, above 2;
    // without (1, 3) 16/9 of 11, below 11/6: 3 rows go.
    let kept = |classes: &[(usize, usize)]| keep_average_risk(classes, 1.0 / 6.0);
    assert_eq!(kept(&[(7, 9), (4, 4), (2, 2), (1, 3)]), [(7, 9), (4, 4)]);
    // These two as one class: 7/9 + 1 + 3/5 = 107/45 of 14, above 14/6; (4, 4) goes, 62/45 of 10 is below
    // 10/6: 4 rows go.
    assert_eq!(kept(&[(7, 9), (4, 4), (3, 5)]), [(7, 9), (3, 5)]);
}

#[test]
fn example_persons() {
    // A: p1 has flu and asthma, p2 flu, p3 gastritis. C: p8 gastritis, p9 ulcer.
    assert_eq!(["A", "B", "C"].map(|classes| k(&persons(classes))), [3, 4, 2]);
    assert_eq!(["A", "B", "C"].map(|classes| distinct_l(&persons(classes))), [3, 4, 2]);
    assert_eq!(["flu", "asthma", "gastritis"].map(|value| persons("A").count(value)), [2, 1, 1]);
    // Two of three persons have flu; of the four pairs of a person and a value, two.
    assert_close(["A", "B", "C"].map(|classes| alpha_k(&persons(classes), None)), [2.0 / 3.0, 0.25, 0.5]);
    assert_close([persons("A").probability("flu")], [0.5]);
    // e^H = 2^(1/2) · 4^(1/2) = 2.828427; C: 2.
    assert_close(["A", "B", "C"].map(|classes| entropy_l(&persons(classes))), [8.0_f64.sqrt(), 4.0, 2.0]);
    assert_close(["A", "B", "C"].map(|classes| recursive_cl(&persons(classes), 2)), [1.0, 1.0 / 3.0, 1.0]);
    // Three classes, nine persons.
    let rows: Vec<(&str, &str)> = TABLE.iter().map(|row| (row.0, row.1)).collect();
    let released = classes_of_persons(&rows);
    assert_close([average_risk(&released, &released), risk(&"C", &released)], [1.0 / 3.0, 0.5]);
}

#[test]
fn example_persons_in_two_classes() {
    // r and s are in both classes, each time with an ulcer. Each class: two with flu, two with an ulcer.
    let one = [("p", "flu"), ("q", "flu"), ("r", "ulcer"), ("s", "ulcer")];
    let two = [("t", "flu"), ("u", "flu"), ("r", "ulcer"), ("s", "ulcer")];
    let both: Vec<_> = one.into_iter().chain(two).collect();
    let groups = [&one[..], &two, &both].map(Group::of_persons);
    // Together: four with flu, two with an ulcer. e^H = (3/2)^(2/3) · 3^(1/3) = 1.889882.
    assert_close(groups.each_ref().map(|group| alpha_k(group, None)), [0.5, 0.5, 2.0 / 3.0]);
    assert_close(groups.each_ref().map(|group| recursive_cl(group, 2)), [1.0, 1.0, 2.0]);
    let entropies = groups.each_ref().map(entropy_l);
    assert_close(entropies, [2.0, 2.0, 1.5_f64.powf(2.0 / 3.0) * 3.0_f64.cbrt()]);
    // By rows the union is as safe as its parts.
    let rows = Group::of_rows(&both.iter().map(|&(_, value)| value).collect::<Vec<_>>());
    assert_close([entropy_l(&rows), alpha_k(&rows, None)], [2.0, 0.5]);
}

#[test]
fn example_persons_in_two_classes_against_the_whole() {
    // As before, with four more ulcers in a third class: the whole has 4 with flu and 6 with an ulcer. The classes
    // are at |0.5 − 0.4| = 0.1, their union at |2/3 − 0.4| = 4/15.
    let one = [("p", "flu"), ("q", "flu"), ("r", "ulcer"), ("s", "ulcer")];
    let two = [("t", "flu"), ("u", "flu"), ("r", "ulcer"), ("s", "ulcer")];
    let both: Vec<_> = one.into_iter().chain(two).collect();
    let third = ["v", "w", "x", "y"].map(|person| (person, "ulcer"));
    let whole = Group::of_persons(&both.iter().copied().chain(third).collect::<Vec<_>>());
    let groups = [&one[..], &two, &both].map(Group::of_persons);
    assert_close(groups.each_ref().map(|group| t_closeness_equal(group, &whole)), [0.1, 0.1, 4.0 / 15.0]);
    // Gain of flu: 0.5 / 0.4 − 1 = 1/4, and 2/3 / 0.4 − 1 = 2/3.
    assert_close(groups.each_ref().map(|group| beta_likeness(group, &whole)), [0.25, 0.25, 2.0 / 3.0]);
    // ln(0.5 / 0.6) and ln(0.5 / 0.4): 0.2231; ln(1/3 / 0.6): 0.5878.
    let farthest = [1.25_f64.ln(), 1.25_f64.ln(), 1.8_f64.ln()];
    assert_close(groups.each_ref().map(|group| delta_disclosure(group, &whole)), farthest);
}

#[test]
fn example_average_risk_of_persons() {
    // Two classes of the same 100 persons, three classes of one person each: 5 classes, 203 members.
    // The first two as one: 4 classes, 103 members.
    let crowd = |class: usize| (0..100).map(move |person| (class, person));
    let alone = [(2, 100), (3, 101), (4, 102)];
    let two: Vec<(usize, usize)> = crowd(0).chain(crowd(1)).chain(alone).collect();
    let one: Vec<(usize, usize)> = crowd(0).chain(crowd(0)).chain(alone).collect();
    let [two, one] = [two, one].map(|rows| classes_of_persons(&rows));
    assert_close([average_risk(&two, &two), average_risk(&one, &one)], [5.0 / 203.0, 4.0 / 103.0]);
}

#[test]
fn example_delta_presence_of_persons() {
    // The same two persons in both classes, each of 4 of the population; then in one class of 8.
    let two = classes_of_persons(&[(0, "p"), (0, "q"), (1, "p"), (1, "q")]);
    let one = classes_of_persons(&[(0, "p"), (0, "q"), (0, "p"), (0, "q")]);
    assert_close(
        [0, 1].map(|class| delta_presence(&class, &two, &[0, 0, 0, 0, 1, 1, 1, 1], 0.3)),
        [0.5, 0.5],
    );
    assert_close([0.0, 0.3].map(|min| delta_presence(&0, &one, &[0; 8], min)), [0.25, INFINITE]);
}

#[test]
fn example_several_columns() {
    // A has three diagnoses and three lengths of stay.
    assert_eq!((distinct_l(&diagnoses("A")), distinct_l(&days("A"))), (3, 3));
    // Who stayed 3 days has gastritis; who stayed 2 days has flu.
    let of_days = |days| {
        let left: Vec<&str> = rows_of("A").filter(|row| row.3 == days).map(|row| row.2).collect();
        Group::of_rows(&left)
    };
    assert_eq!([1, 2, 3].map(|days| distinct_l(&of_days(days))), [2, 1, 1]);
    // Both columns as one: flu 1 twice, flu 2, asthma 1, gastritis 3.
    let both: Vec<(&str, usize)> = rows_of("A").map(|row| (row.2, row.3)).collect();
    assert_close([alpha_k(&Group::of_rows(&both), None)], [0.4]);
}

#[test]
fn example_shields() {
    // Class A is 20-39 in the north, B 40-59 in the north, C 20-39 in the south. By age alone: A with C,
    // and B; by region alone: A with B, and C.
    assert_eq!(["AC", "B", "AB", "C"].map(|classes| k(&diagnoses(classes))), [8, 4, 9, 3]);
    assert_eq!(["AC", "B", "AB", "C"].map(|classes| distinct_l(&diagnoses(classes))), [4, 4, 4, 2]);
    // Without C the class of 20-39 is A: 5 rows, 3 values.
    assert_eq!((k(&diagnoses("A")), distinct_l(&diagnoses("A"))), (5, 3));
}
