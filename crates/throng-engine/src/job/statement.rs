//! What the custodian states about a release: `[release]` of a job. It changes no byte of the release; the report shows it.

use serde::{Deserialize, Deserializer, Serialize};

/// Who gets the release, and who answers for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Who gets the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// What they need it for, and until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Who decided about the roles of the columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// When that was: text, or a date of TOML.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "text_or_date")]
    pub date: Option<String>,
}

fn text_or_date<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "date must be text, or a date such as 2026-11-18")]
    enum Date {
        Text(String),
        Date(toml::value::Datetime),
    }
    Ok(Some(match Date::deserialize(deserializer)? {
        Date::Text(text) => text,
        Date::Date(date) => date.to_string(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_text_or_a_date_of_toml() {
        for date in ["2026-11-18", "\"2026-11-18\""] {
            let read: Statement = toml::from_str(&format!("date = {date}\nrecipient = 'the study'")).unwrap();
            assert_eq!(read.date.as_deref(), Some("2026-11-18"));
            assert_eq!(read.recipient.as_deref(), Some("the study"));
        }
        let refused = toml::from_str::<Statement>("date = 7").unwrap_err().to_string();
        assert!(refused.contains("date must be text"), "{refused}");
    }
}
