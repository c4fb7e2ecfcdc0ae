//! Calendar units: 2024-03-17 → 2024-03 → 2024-Q1 → 2024 → 2020s → *.

use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time, date};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

use super::{Taxonomy, TaxonomyError, TreeBuilder, line, usual};
use crate::wording::quoted;

/// A calendar unit; each contains whole units of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DateUnit {
    /// `2024-03-17`
    Day,
    /// `2024-03`
    Month,
    /// `2024-Q1`
    Quarter,
    /// `2024`
    Year,
    /// `2020s`
    Decade,
}

impl DateUnit {
    /// All units, the shortest first.
    pub const ALL: [DateUnit; 5] =
        [DateUnit::Day, DateUnit::Month, DateUnit::Quarter, DateUnit::Year, DateUnit::Decade];

    /// The name in a job.
    pub fn name(self) -> &'static str {
        match self {
            DateUnit::Day => "day",
            DateUnit::Month => "month",
            DateUnit::Quarter => "quarter",
            DateUnit::Year => "year",
            DateUnit::Decade => "decade",
        }
    }

    pub(super) fn label(self, day: Date) -> String {
        let year = day.year();
        match self {
            DateUnit::Day => format!("{year:04}-{:02}-{:02}", day.month(), day.day()),
            DateUnit::Month => format!("{year:04}-{:02}", day.month()),
            DateUnit::Quarter => format!("{year:04}-Q{}", (day.month() - 1) / 3 + 1),
            DateUnit::Year => format!("{year:04}"),
            DateUnit::Decade => format!("{:04}s", year.div_euclid(10) * 10),
        }
    }
}

impl FromStr for DateUnit {
    type Err = TaxonomyError;

    fn from_str(name: &str) -> Result<DateUnit, TaxonomyError> {
        let unit = DateUnit::ALL.into_iter().find(|unit| unit.name() == name);
        unit.ok_or_else(|| {
            let names = DateUnit::ALL.map(DateUnit::name).join(", ");
            TaxonomyError::Builder(format!("a unit of dates is one of {names}").into())
        })
    }
}

/// Calendar units of growing length, then `*`.
///
/// Without a format, values are ISO 8601 dates or date-times (of which the date as written
/// counts, whatever the offset), or all of one usual spelling in which day and month can be told
/// apart (`17/03/2024 10:20`); a format is one of `strptime`. `units` grow strictly;
/// [`DateUnit::Day`] adds a level only when the data have times (or spell a day in two ways),
/// since otherwise the leaves are the days. Leaves are in order of the date and time as written, and
/// their extents are in days, between instants if every value has an offset from UTC; the empty value
/// (missing) is last, and by itself below the top.
pub fn dates<S: AsRef<str>>(
    values: &[S],
    units: &[DateUnit],
    format: Option<&str>,
) -> Result<Taxonomy, TaxonomyError> {
    check_units(units)?;
    format.map_or(Ok(()), check_format)?;
    let usual = if format.is_none() { usual::find(values)? } else { None };
    let leaves = place(values, format.or(usual.as_deref()))?;
    if leaves.is_empty() {
        return Err(TaxonomyError::Empty);
    }
    let mut tree = TreeBuilder::leaves(leaves.iter().map(|leaf| leaf.text));
    for &unit in units.iter().filter(|&&unit| unit != DateUnit::Day || !are_days(&leaves)) {
        let label = |moment: Moment| unit.label(moment.at.date());
        let labels: Vec<String> =
            leaves.iter().map(|leaf| leaf.moment.map_or(String::new(), label)).collect();
        tree.push_level(labels.iter().map(String::as_str))?;
    }
    tree.push_top();
    let moments: Vec<Moment> = leaves.iter().filter_map(|leaf| leaf.moment).collect();
    let mut line = line::from_least_moment(&on_one_clock(&moments)).into_iter();
    let positions: Vec<Option<f64>> =
        leaves.iter().map(|leaf| leaf.moment.and_then(|_| line.next())).collect();
    Ok(tree.finish().with_positions(&positions))
}

fn check_units(units: &[DateUnit]) -> Result<(), TaxonomyError> {
    if units.is_sorted_by(|a, b| a < b) {
        return Ok(());
    }
    let names = DateUnit::ALL.map(DateUnit::name).join(", ");
    Err(TaxonomyError::Builder(
        format!("units of dates must be in this order, each at most once: {names}").into(),
    ))
}

/// A format is good if what it writes for a known day can be read back.
pub(super) fn check_format(format: &str) -> Result<(), TaxonomyError> {
    let day = date(2024, 3, 17);
    let known = day.at(10, 20, 30, 0).to_zoned(TimeZone::UTC);
    let read = known
        .and_then(|known| strtime::format(format, &known))
        .and_then(|text| strtime::parse(format, text)?.to_datetime());
    if read.is_ok_and(|read| read.date() == day) {
        return Ok(());
    }
    Err(TaxonomyError::Builder(
        (
            format!("the date format {} does not give a day", quoted(format)),
            "it needs year, month and day, such as '%d/%m/%Y'",
        )
            .into(),
    ))
}

/// A day or a time of day.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// As it is written, whatever the offset from UTC.
    pub(super) at: DateTime,
    /// Since 1970 in UTC, if there is an offset.
    nanoseconds_utc: Option<i128>,
}

/// Nanoseconds of a day.
pub(super) const NANOSECONDS_OF_DAY: i128 = 86_400_000_000_000;

/// Where each moment lies in time, in nanoseconds: by its instant, if all have an offset from UTC, else
/// as it is written.
pub(super) fn on_one_clock(moments: &[Moment]) -> Vec<i128> {
    let instants: Option<Vec<i128>> = moments.iter().map(|moment| moment.nanoseconds_utc).collect();
    instants.unwrap_or_else(|| moments.iter().map(|moment| nanoseconds(moment.at)).collect())
}

/// Nanoseconds since 1970 by the same clock.
fn nanoseconds(at: DateTime) -> i128 {
    let days = (at.date() - date(1970, 1, 1)).get_days();
    let time = at.time();
    let seconds = (i128::from(time.hour()) * 60 + i128::from(time.minute())) * 60 + i128::from(time.second());
    i128::from(days) * NANOSECONDS_OF_DAY + seconds * 1_000_000_000 + i128::from(time.subsec_nanosecond())
}

struct DateLeaf<'a> {
    text: &'a str,
    /// `None` for the missing value.
    moment: Option<Moment>,
}

/// The distinct values in the order of the leaves.
fn place<'a, S: AsRef<str>>(
    values: &'a [S],
    format: Option<&str>,
) -> Result<Vec<DateLeaf<'a>>, TaxonomyError> {
    let mut leaves = Vec::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        let text = value.as_ref();
        leaves.push(DateLeaf { text, moment: read_or_missing(text, index, format)? });
    }
    leaves
        .sort_unstable_by_key(|leaf| (leaf.moment.is_none(), leaf.moment.map(|moment| moment.at), leaf.text));
    leaves.dedup_by(|a, b| a.text == b.text);
    Ok(leaves)
}

/// The moment of a value of the column, the one at this index; none for an empty one.
pub(super) fn read_or_missing(
    text: &str,
    index: usize,
    format: Option<&str>,
) -> Result<Option<Moment>, TaxonomyError> {
    let moment = read(text, format);
    if moment.is_some() || text.is_empty() {
        return Ok(moment);
    }
    let expected = match format {
        Some(format) => format!("a date of the form {}", quoted(format)),
        None => "a date such as 2024-03-17 (for other forms, give a format)".to_owned(),
    };
    Err(TaxonomyError::Unfit { index, expected: expected.into() })
}

/// The moment that a text spells, in ISO 8601 if there is no format.
pub(super) fn read(text: &str, format: Option<&str>) -> Option<Moment> {
    let text = text.trim();
    let Some(format) = format else {
        // A civil date-time has no zone, so the sign of UTC is set aside like any other offset.
        let at = text.strip_suffix(['Z', 'z']).unwrap_or(text).parse().ok()?;
        let instant: Option<Timestamp> = text.parse().ok();
        return Some(Moment { at, nanoseconds_utc: instant.map(Timestamp::as_nanosecond) });
    };
    let parts = strtime::parse(format, text).ok()?;
    let at = parts.to_datetime().ok()?;
    let ahead = parts.offset().map(|offset| i128::from(offset.seconds()) * 1_000_000_000);
    Some(Moment { at, nanoseconds_utc: ahead.map(|ahead| nanoseconds(at) - ahead) })
}

/// Whether each leaf is a day of its own, without a time.
fn are_days(leaves: &[DateLeaf<'_>]) -> bool {
    let times: Vec<DateTime> = leaves.iter().filter_map(|leaf| leaf.moment.map(|moment| moment.at)).collect();
    times.is_sorted_by(|a, b| a < b) && times.iter().all(|at| *at == at.date().to_datetime(Time::midnight()))
}

#[cfg(test)]
mod tests {
    use DateUnit::*;
    use proptest::prelude::*;

    use super::*;
    use crate::taxonomy::tests::{assert_topped, leaf_labels, level_labels};

    #[test]
    fn every_unit_has_its_label() {
        let values = ["2024-03-17", "2019-12-31", "2024-04-01", "2020-01-01"];
        let taxonomy = dates(&values, &DateUnit::ALL, None).unwrap();
        assert_topped(&taxonomy);
        assert_eq!(leaf_labels(&taxonomy), ["2019-12-31", "2020-01-01", "2024-03-17", "2024-04-01"]);
        assert_eq!(taxonomy.height(), 5, "the leaves are the days");
        assert_eq!(level_labels(&taxonomy, 1), ["2019-12", "2020-01", "2024-03", "2024-04"]);
        assert_eq!(level_labels(&taxonomy, 2), ["2019-Q4", "2020-Q1", "2024-Q1", "2024-Q2"]);
        assert_eq!(level_labels(&taxonomy, 3), ["2019", "2020", "2024", "2024"]);
        assert_eq!(level_labels(&taxonomy, 4), ["2010s", "2020s", "2020s", "2020s"]);
    }

    #[test]
    fn times_are_generalised_to_days() {
        let values = ["2024-03-17T10:00:00", "2024-03-17 09:30", "2024-03-18T00:00:00Z", "2024-03-19"];
        let taxonomy = dates(&values, &[Day, Year], None).unwrap();
        assert_topped(&taxonomy);
        assert_eq!(leaf_labels(&taxonomy)[..2], ["2024-03-17 09:30", "2024-03-17T10:00:00"]);
        assert_eq!(level_labels(&taxonomy, 1), ["2024-03-17", "2024-03-17", "2024-03-18", "2024-03-19"]);
        assert_eq!(taxonomy.height(), 3);
    }

    #[test]
    fn two_spellings_of_a_day_meet_at_the_day() {
        let taxonomy = dates(&["2024-03-17", "20240317"], &[Day], None).unwrap();
        assert_topped(&taxonomy);
        assert_eq!(level_labels(&taxonomy, 1), ["2024-03-17"; 2]);
    }

    #[test]
    fn extents_are_in_days() {
        let values = ["1970-01-03T12:00:00", "1970-01-01", "", "1971-01-01"];
        let taxonomy = dates(&values, &[Year], None).unwrap();
        let spans: Vec<Option<f64>> = taxonomy.values().iter().map(|v| v.extent.map(|e| e.span())).collect();
        assert_eq!(spans, [Some(0.0), Some(0.0), Some(0.0), None, Some(2.5), Some(0.0), Some(365.0)]);
    }

    #[test]
    fn offsets_move_extents_but_not_days() {
        let values = ["2024-03-17T01:00:00+02:00", "2024-03-16T20:00:00-04:00", "2024-03-17T00:30:00Z"];
        let taxonomy = dates(&values, &[Day], None).unwrap();
        assert_topped(&taxonomy);
        assert_eq!(level_labels(&taxonomy, 1), ["2024-03-16", "2024-03-17", "2024-03-17"]);
        let minutes = |leaf: usize| (taxonomy.values()[leaf].extent.unwrap().min * 1440.0).round();
        // 20:00-04:00 is midnight in UTC, 00:30Z is later, 01:00+02:00 was 23:00 the day before.
        assert_eq!([0, 1, 2].map(minutes), [60.0, 90.0, 0.0]);
    }

    #[test]
    fn moments_are_instants_if_all_have_an_offset() {
        let clock = |texts: &[&str], format: Option<&str>| {
            let moments: Vec<Moment> = texts.iter().map(|text| read(text, format).unwrap()).collect();
            let hours = on_one_clock(&moments).into_iter().map(|nanoseconds| nanoseconds / 3_600_000_000_000);
            hours.collect::<Vec<_>>()
        };
        assert_eq!(clock(&["1970-01-01T10:00+02:00", "1970-01-01 09:00Z"], None), [8, 9]);
        assert_eq!(clock(&["1970-01-01T10:00+02:00[Europe/Berlin]", "1970-01-01T09:00z"], None), [8, 9]);
        assert_eq!(clock(&["1970-01-01T10:00+02:00", "1970-01-01T09:00"], None), [10, 9], "one has none");
        assert_eq!(clock(&["1970-01-01T10:00+02:00", "1970-01-02"], None), [10, 24], "nor has a day");
        assert_eq!(clock(&["1.1.1970 10:00 +0200"], Some("%d.%m.%Y %H:%M %z")), [8]);
    }

    #[test]
    fn a_format_reads_other_spellings() {
        let values = ["17/03/2024", "01/02/2023"];
        let taxonomy = dates(&values, &[Day, Month], Some("%d/%m/%Y")).unwrap();
        assert_topped(&taxonomy);
        assert_eq!(leaf_labels(&taxonomy), ["01/02/2023", "17/03/2024"]);
        assert_eq!(level_labels(&taxonomy, 1), ["2023-02", "2024-03"]);
        let times = dates(&["17.03.24 10:20"], &[Day], Some("%d.%m.%y %H:%M")).unwrap();
        assert_eq!(level_labels(&times, 1), ["2024-03-17"]);
    }

    #[test]
    fn bad_formats_and_units_say_what_is_allowed() {
        for format in ["%Y-%m", "%", "%!", "", "day"] {
            let error = dates(&["2024-03-17"], &[Year], Some(format)).unwrap_err();
            assert!(error.to_string().contains("year, month and day"), "{format}");
        }
        for units in [&[Year, Month][..], &[Year, Year], &[Month, Day]] {
            let error = dates(&["2024-03-17"], units, None).unwrap_err();
            assert!(error.to_string().contains("day, month, quarter, year, decade"), "{units:?}");
        }
        assert_eq!(dates::<&str>(&[], &[Year], None), Err(TaxonomyError::Empty));
    }

    #[test]
    fn values_that_are_not_dates_are_named_by_position() {
        for bad in ["secret", "2024-02-30", "2024-03", "17/03/2024", " ", "10:00:00"] {
            let error = dates(&["2024-03-17", "", bad], &[Year], None).unwrap_err();
            assert!(matches!(error, TaxonomyError::Unfit { index: 2, .. }), "{bad}");
            assert!(!format!("{error} {error:?}").contains("secret"));
        }
        let error = dates(&["2024-03-17"], &[Year], Some("%d/%m/%Y")).unwrap_err();
        assert!(matches!(error, TaxonomyError::Unfit { index: 0, .. }));
    }

    #[test]
    fn missing_is_last_and_alone_below_the_top() {
        let taxonomy = dates(&["", "2024-03-17", "2024-03-18"], &[Decade], None).unwrap();
        assert_topped(&taxonomy);
        assert_eq!((taxonomy.missing(), level_labels(&taxonomy, 1)), (Some(2), vec!["2020s", "2020s", ""]));
    }

    #[test]
    fn units_are_named() {
        for unit in DateUnit::ALL {
            assert_eq!(unit.name().parse(), Ok(unit));
        }
        let error = "week".parse::<DateUnit>().unwrap_err();
        assert!(error.to_string().contains("day, month, quarter, year, decade"));
    }

    proptest! {
        #[test]
        fn units_nest_and_extents_keep_the_order(
            parts in proptest::collection::vec((-9999_i16..=9999, 1_i8..=12, 1_i8..=28, 0_i8..24), 1..30),
            chosen in proptest::sample::subsequence(DateUnit::ALL.to_vec(), 0..=5),
        ) {
            let times: Vec<String> =
                parts.iter().map(|&(y, m, d, h)| date(y, m, d).at(h, 0, 0, 0).to_string()).collect();
            let taxonomy = dates(&times, &chosen, None).unwrap();
            assert_topped(&taxonomy);
            let positions: Vec<f64> =
                (0..taxonomy.leaf_total()).map(|leaf| taxonomy.values()[leaf].extent.unwrap().min).collect();
            prop_assert!(positions.is_sorted_by(|a, b| a < b));
        }
    }
}
