//! Hand-worked releases; random ones against brute force are among the integration tests.

use super::examples::{Example, five_rows, with_suppressed_row};
use super::*;

/// The table of the proof of Proposition 4.5, with 0 and 1 for 1 and 2, and for 3 and 4.
fn proposition_4_5(released: [&str; 3]) -> Degrees {
    let [a, b, c] = released;
    degrees(&Example::new(&[(1, "00", a), (1, "01", b), (1, "11", c)], Notion::K).release())
}

#[test]
fn the_anonymisations_of_proposition_4_5_have_the_notions_that_it_says() {
    let two = proposition_4_5(["**", "**", "**"]);
    assert_eq!(two, Degrees { k: 3, one_k: 3, k_one: 3, kk: 3, global_one_k: 3 });
    let one_two = proposition_4_5(["00", "**", "*1"]);
    assert_eq!(one_two, Degrees { k: 1, one_k: 2, k_one: 1, kk: 1, global_one_k: 1 });
    let two_one = proposition_4_5(["0*", "*1", "*1"]);
    assert_eq!(two_one, Degrees { k: 1, one_k: 1, k_one: 2, kk: 1, global_one_k: 1 });
    let two_two = proposition_4_5(["0*", "**", "*1"]);
    assert_eq!(two_two, Degrees { k: 1, one_k: 2, k_one: 2, kk: 2, global_one_k: 2 });
}

#[test]
fn a_kk_table_need_not_be_global() {
    let found = degrees(&five_rows(Notion::KK).release());
    assert_eq!(found, Degrees { k: 1, one_k: 2, k_one: 2, kk: 2, global_one_k: 1 });
}

/// Every row has three matches, but only the two rows of `10` are consistent with the record `10`.
/// The rows of `10`, and those of `11`, are two tuples, because they are released differently.
#[test]
fn a_global_table_need_not_be_k1() {
    let lines = [(1, "10", "10"), (1, "11", "**"), (1, "10", "1*"), (1, "11", "**")];
    let found = degrees(&Example::new(&lines, Notion::KK).release());
    assert_eq!(found, Degrees { k: 1, one_k: 3, k_one: 2, kk: 2, global_one_k: 3 });
}

#[test]
fn crowds_are_counted_in_rows() {
    let example = five_rows(Notion::KK);
    let graph = Consistency::new(&example.release());
    assert_eq!(graph.crowds(Notion::K), [2, 1, 1, 1]);
    assert_eq!(graph.crowds(Notion::OneK), [4, 2, 2, 2]);
    assert_eq!(graph.crowds(Notion::KOne), [2, 2, 5, 3]);
    assert_eq!(graph.crowds(Notion::KK), [2, 2, 2, 2]);
    assert_eq!(graph.crowds(Notion::GlobalOneK), [2, 2, 2, 1]);
}

#[test]
fn suppressed_rows_have_no_crowd_and_do_not_count() {
    let example = with_suppressed_row();
    for notion in Notion::ALL {
        assert_eq!(Consistency::new(&example.release()).crowds(notion), [2, 0], "{}", notion.name());
    }
    assert_eq!(degrees(&example.release()).kk, 2);
}

#[test]
fn a_release_of_nothing_has_degree_zero() {
    let example = Example::new(&[(1, "00", "00")], Notion::K);
    let node = crate::lattice::Node::new(vec![0, 0]);
    let release = crate::recoding::Recoding::FullDomain(node).apply(&example.problem);
    assert_eq!((release.suppressed_rows(), degrees(&release)), (1, Degrees::default()));
}

#[test]
fn a_value_that_does_not_cover_its_original_is_found() {
    let example = Example::new(&[(1, "00", "0*"), (1, "01", "*0")], Notion::K);
    assert_eq!(find_uncovered(&example.release()), Some((1, 1)));
    assert_eq!(find_uncovered(&five_rows(Notion::K).release()), None);
}
