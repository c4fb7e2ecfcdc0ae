//! Special categories of personal data, which the law protects whatever a column is to a release.

use super::lexicon::SPECIAL;
use crate::profile::words::Words;

/// The special category that a column belongs to by its name (`religion`, `Diagnose`), if any: those of Articles 9 and
/// 10 of the General Data Protection Regulation, and disability, which belongs to health, by its own name.
///
/// ```
/// use throng_engine::profile::special_category;
///
/// assert_eq!(special_category("trade_union"), Some("trade union membership"));
/// assert_eq!(special_category("shoe size"), None);
/// ```
pub fn special_category(name: &str) -> Option<&'static str> {
    let name = Words::in_name(name);
    SPECIAL.iter().find(|(_, words)| name.find(words).is_some()).map(|(category, _)| *category)
}

/// A note on such a column.
pub(in crate::profile) fn note(name: &str) -> Option<String> {
    special_category(name)
        .map(|category| format!("its name suggests a special category of personal data: {category}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_category_is_known_in_eight_languages() {
        let cases = [
            ("religion", "religion Konfession culte religión religione godsdienst religião wyznanie"),
            (
                "disability",
                "disability Behinderung handicap discapacidad disabilità handicap deficiência niepełnosprawność",
            ),
            (
                "trade union membership",
                "union_member Gewerkschaft syndicat sindicato sindacato vakbond sindicato związek_zawodowy",
            ),
            ("health", "diagnosis Krankheit maladie enfermedad malattia ziekte doença choroba"),
            (
                "political opinions",
                "party_vote Partei parti_politique voto_politico partito_politico politiek partido_politico poglądy_polityczne",
            ),
        ];
        for (category, names) in cases {
            for name in names.split(' ') {
                assert_eq!(special_category(name), Some(category), "{name}");
            }
        }
    }

    #[test]
    fn other_names_are_no_special_category() {
        for name in
            ["age", "zip", "income", "party_size", "third_party", "union_all", "blood_bank_city", "race_time"]
        {
            assert_eq!(special_category(name), None, "{name}");
        }
    }
}
