//! Sampling weights: for how many people a row of a survey stands. They are not the weight of a body, which others can
//! see.

use super::lexicon::{BODIES, BODY_MEASURES, BODY_OR_SAMPLING, SAMPLING_WEIGHTS, SURVEYS};
use super::{ColumnKind, Facts, Suggestion, by_name};
use crate::profile::words::Words;
use crate::role::Role;

/// Positions of the columns that are sampling weights, each with what to do about it.
///
/// A word such as `weight` alone is one only beside columns of a survey (`stratum`, `hh_id`), and where nothing speaks
/// of bodies (`height`).
pub(super) fn weights(columns: &[Facts<'_>]) -> Vec<(usize, Suggestion)> {
    let names: Vec<Words> = columns.iter().map(|facts| Words::in_name(facts.name)).collect();
    let is_survey = names.iter().any(|name| name.find(SURVEYS).is_some());
    let has_bodies = names.iter().any(|name| name.find(BODY_MEASURES).is_some());
    let word = |name: &Words| {
        let plain = || name.find(BODY_OR_SAMPLING).filter(|_| is_survey && !has_bodies);
        name.find(SAMPLING_WEIGHTS).or_else(plain).filter(|_| name.find(BODIES).is_none())
    };
    let weight = |(at, name): (usize, &Words)| {
        let facts = &columns[at];
        let is_number = facts.kind.is_number() || facts.kind == ColumnKind::Mixed;
        let word = word(name).filter(|_| is_number && facts.distinct > 1)?;
        Some((at, suggest(facts, word)))
    };
    names.iter().enumerate().filter_map(weight).collect()
}

fn suggest(facts: &Facts<'_>, word: &'static str) -> Suggestion {
    if facts.is_shared() && facts.unique_rows == 0 {
        return by_name(Role::Other, word, "a sampling weight, and many rows share each value");
    }
    by_name(
        Role::Identifier,
        word,
        "a sampling weight so precise that it identifies rows or households; round it before you release it",
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::facts;
    use super::*;

    /// The names of a table's columns that are taken for sampling weights.
    fn found(names: &[&'static str]) -> Vec<&'static str> {
        let columns: Vec<Facts<'_>> =
            names.iter().map(|name| facts(name, ColumnKind::Decimal, 40, 0)).collect();
        weights(&columns).into_iter().map(|(at, _)| names[at]).collect()
    }

    #[test]
    fn eight_languages_name_sampling_weights() {
        for name in [
            "design_weight",
            "pspwght",
            "fnlwgt",
            "Hochrechnungsfaktor",
            "Designgewicht",
            "poids_sondage",
            "pondération",
            "factor_expansion",
            "ponderador",
            "peso_campionario",
            "fattore_espansione",
            "weegfactor",
            "ophoogfactor",
            "peso_amostral",
            "fator_expansao",
            "waga_analityczna",
        ] {
            assert_eq!(found(&[name]), [name]);
        }
    }

    #[test]
    fn a_weight_alone_is_that_of_a_body_unless_it_stands_in_a_survey() {
        for name in ["weight", "Gewicht", "poids", "peso", "waga", "wt"] {
            assert_eq!(found(&[name, "sex"]), <[&str; 0]>::default(), "{name}");
            assert_eq!(found(&[name, "hh_id"]), [name]);
            assert_eq!(found(&[name, "stratum"]), [name]);
            assert_eq!(found(&[name, "hh_id", "height"]), <[&str; 0]>::default(), "{name}");
        }
        for name in
            ["body_weight", "birth_weight", "weight_kg", "Geburtsgewicht", "Körpergewicht", "poids_naissance"]
        {
            assert_eq!(found(&[name, "hh_id", "stratum"]), <[&str; 0]>::default(), "{name}");
        }
    }

    #[test]
    fn a_fine_weight_is_left_out_and_a_shared_one_is_kept() {
        let role = |distinct, unique| {
            let columns = [facts("design_weight", ColumnKind::Decimal, distinct, unique)];
            weights(&columns)[0].1.role
        };
        assert_eq!((role(12, 0), role(900, 800)), (Role::Other, Role::Identifier));
    }
}
