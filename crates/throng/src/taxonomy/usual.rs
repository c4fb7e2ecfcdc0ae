//! Usual spellings of dates that are not ISO 8601, with or without a time of day.

use super::TaxonomyError;
use super::dates::{self, Moment};

/// Days, each with the one in which day and month change places, if that is a usual one, too.
const DAYS: [(&str, Option<&str>); 10] = [
    ("%d/%m/%Y", Some("%m/%d/%Y")),
    ("%d-%m-%Y", Some("%m-%d-%Y")),
    ("%d.%m.%Y", None),
    ("%Y/%m/%d", None),
    ("%Y.%m.%d", None),
    ("%d/%m/%y", Some("%m/%d/%y")),
    ("%d-%m-%y", Some("%m-%d-%y")),
    ("%d.%m.%y", None),
    ("%d-%b-%Y", None),
    ("%d %b %Y", None),
];

/// Times of day, after the day.
const TIMES: [&str; 9] =
    ["", " %H:%M", " %H:%M:%S", "T%H:%M", "T%H:%M:%S", ", %H:%M", ", %H:%M:%S", " %I:%M %p", " %I:%M:%S %p"];

/// The format in which all values but the empty are spelled: nothing if that is ISO 8601, or none of
/// the usual ones.
///
/// # Errors
/// If day and month could change places in all of them.
pub(super) fn find<S: AsRef<str>>(values: &[S]) -> Result<Option<String>, TaxonomyError> {
    let known = || values.iter().map(|value| value.as_ref().trim()).filter(|text| !text.is_empty());
    let Some(first) = known().next() else { return Ok(None) };
    if dates::read(first, None).is_some() {
        return Ok(None);
    }
    for (day, swapped) in DAYS {
        for time in TIMES {
            let fits =
                |day: &str| Some(format!("{day}{time}")).filter(|f| known().all(|t| read(t, f).is_some()));
            match (fits(day), swapped.and_then(fits)) {
                (Some(one), Some(other)) => {
                    let day = |text: &str, format: &str| read(text, format).map(|moment| moment.at);
                    let same = known().all(|text| day(text, &one) == day(text, &other));
                    return if same { Ok(Some(one)) } else { Err(ambiguous(&one, &other)) };
                }
                (Some(only), None) | (None, Some(only)) => return Ok(Some(only)),
                (None, None) => {}
            }
        }
    }
    Ok(None)
}

/// Years of four digits have four.
fn read(text: &str, format: &str) -> Option<Moment> {
    let runs = || text.split(|c: char| !c.is_ascii_digit());
    let long = runs().any(|run| run.len() == 4);
    if long != format.contains("%Y") { None } else { dates::read(text, Some(format)) }
}

fn ambiguous(one: &str, other: &str) -> TaxonomyError {
    TaxonomyError::Builder(
        (
            "these dates do not show which is the day and which the month",
            format!(
                "give the format, '{one}' or '{other}' (format in a job, --date-format COLUMN=FORMAT on the command line)"
            ),
        )
            .into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_spellings_are_found() {
        for (values, format) in [
            (&["17/03/2024", "", "01/02/2024"][..], Some("%d/%m/%Y")),
            (&["03/17/2024 03:34", "01/02/2024 10:00"], Some("%m/%d/%Y %H:%M")),
            (&["3.2.2024 03:34", "13.12.2023 00:00"], Some("%d.%m.%Y %H:%M")),
            (&["17.03.24"], Some("%d.%m.%y")),
            (&["17 Mar 2024", "1 Feb 2024"], Some("%d %b %Y")),
            (&["03/17/2024 03:34:10 PM"], Some("%m/%d/%Y %I:%M:%S %p")),
            (&["05/05/2024"], Some("%d/%m/%Y")),
            (&["2024-02-03T03:34:00Z", "2024-02-03"], None),
            (&["17/03/2024", "soon"], None),
            (&["17/13/2024"], None),
            (&["12.5"], None),
            (&[""], None),
        ] {
            assert_eq!(find(values).unwrap().as_deref(), format, "{values:?}");
        }
    }

    #[test]
    fn day_and_month_are_not_guessed() {
        for values in [&["03/02/2024 03:34", "05/05/2024 00:00"][..], &["03-02-2024"], &["01/02/24"]] {
            let error = find(values).unwrap_err().to_string();
            assert!(error.contains("do not show which is the day") && error.contains("%m"), "{error}");
        }
    }
}
