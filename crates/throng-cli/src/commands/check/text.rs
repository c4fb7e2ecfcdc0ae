//! A check for people.

use indicatif::HumanCount;
use throng::wording::quoted;

use throng_engine::check::PolicyFound;
use throng_engine::check::{
    Bucket, CheckSummary, CheckedTable, ColumnRisk, HouseholdFound, ModelDegree, Population,
    RequirementFound, SampleFound, SpecialFound, Uniqueness,
};
use throng_engine::profile::PersonColumn;

use crate::aligned::align;
use crate::bars::{bars, range};
use crate::grid::grid;
use crate::report::section;

/// The check as text, without a line break at its end.
pub(super) fn text(subject: &CheckedTable, found: &CheckSummary, judged: Option<&PolicyFound>) -> String {
    let mut sections = vec![
        format!("{}: {} rows, k = {}", subject.path().display(), HumanCount(found.rows), HumanCount(found.k)),
        section("Risk", &risk(found)),
    ];
    if let Some(judged) = judged {
        let title = format!("Policy {}: {}", judged.policy.name, judged.policy.title);
        sections.push(section(&title, &policy(judged)));
    }
    if let (Some(sample), Some(population)) = (&found.sample, &found.population) {
        sections.push(section("Population: what the sample says about it", &sampled(sample, population)));
    }
    if let Some(household) = &found.household {
        sections.push(section("Households", &households(household)));
    }
    if let Some(special) = &found.special_uniques {
        sections.push(section("Special uniques (SUDA2)", &special_uniques(special)));
    }
    if let Some(person) = found.person_columns.first() {
        sections.push(section("People", &people(person)));
    }
    if !found.histogram.is_empty() {
        let each = if found.person.is_some() { "persons each" } else { "rows each" };
        sections.push(section("Class sizes", &histogram(&found.histogram, each)));
    }
    // Where nobody is at risk, no column puts anyone there.
    if found.exposure.at_risk_rows > 0 {
        sections.push(section("Columns: how much leaving each one out would help", &columns(found)));
    }
    if !found.requirements.is_empty() {
        sections.push(section("Required", &requirements(&found.requirements)));
    }
    // Without a sensitive column, all of it was said above.
    if !found.sensitive.is_empty() || found.person.is_some() {
        sections.push(section("Privacy models: the value of the worst class", &models(&found.models)));
    }
    sections.join("\n\n")
}

/// That k counts rows, though some people have several.
fn people(person: &PersonColumn) -> String {
    let name = quoted(&person.column);
    format!(
        "  column {name} seems to identify people, and some of them have several rows. k rows of one person \
         are not a crowd:\n  --person {name} counts persons; --person none says that each row belongs to a \
         different person\n"
    )
}

/// What a policy asks for, and what the table has.
fn policy(judged: &PolicyFound) -> String {
    let mut lines: Vec<[String; 3]> = Vec::new();
    for one in &judged.criteria {
        let about = match one.holds {
            true => format!("it has {:.4}", one.found),
            false => format!("it has {:.4}: off by {:.4}", one.found, one.short_by),
        };
        let verdict = if one.holds { "holds" } else { "FAILS" };
        lines.push([format!("{} {}", one.name, one.asked), verdict.to_owned(), about]);
    }
    lines.extend(judged.findings.iter().map(|finding| {
        let name = finding.column.as_deref().map_or("the file's name".to_owned(), quoted);
        let rows =
            if finding.rows > 0 { format!(" ({} rows)", HumanCount(finding.rows)) } else { String::new() };
        [
            format!("{} {name}", finding.rule),
            "must go".to_owned(),
            format!("{}: {}{rows}", finding.what, finding.why),
        ]
    }));
    if judged.policy.needs_expert {
        lines.push(["an expert".to_owned(), "decides".to_owned(), judged.policy.about.clone()]);
    }
    lines.extend(judged.columns.iter().map(|column| {
        let about = "fewer rows at risk without it".to_owned();
        [format!("without {}", column.name), HumanCount(column.rows_saved).to_string(), about]
    }));
    lines.push(["source".to_owned(), judged.policy.date.clone(), judged.policy.source.clone()]);
    align(&lines)
}

/// What a table lacks of a policy.
pub(super) fn policy_complaint(judged: &PolicyFound) -> String {
    let name = quoted(&judged.policy.name);
    let failing: Vec<String> = judged
        .criteria
        .iter()
        .filter(|one| !one.holds)
        .map(|one| {
            format!("{} is {:.4}, not {} (off by {:.4})", one.name, one.found, one.asked, one.short_by)
        })
        .collect();
    match failing.is_empty() {
        true if judged.policy.needs_expert => {
            format!("the policy {name} is not judged: an expert decides, using the figures above")
        }
        true => format!("the policy {name} is not judged: the table does not show which rows belong to whom"),
        false => format!("the policy {name} does not hold: {}", failing.join("; ")),
    }
}

/// What is estimated of the population.
fn sampled(sample: &SampleFound, population: &Population) -> String {
    let by = |name: &str, found: &Uniqueness| {
        let about = match (&found.reason, &found.instead, &found.taken) {
            (Some(reason), Some(instead), _) => format!("{reason}; use {instead}"),
            (_, _, Some(taken)) => format!("uses {taken} for a sample like this"),
            _ => "of the records are unique in the population".to_owned(),
        };
        [format!("unique by {name}"), found.share.map_or("-".to_owned(), percent), about]
    };
    align(&[
        [
            "population".to_owned(),
            format!("about {}", HumanCount(sample.population_rows.round() as u64)),
            format!("the table has {} of it", percent(sample.sampling_fraction)),
        ],
        by("pitman", &population.pitman),
        by("zayatz", &population.zayatz),
        by("snb", &population.snb),
        by("dankar", &population.dankar),
        [
            "correct matches".to_owned(),
            format!("{} at most, {} on average", percent(sample.highest_risk), percent(sample.global_risk)),
            format!(
                "{:.1} rows in all, if an attacker tries to match every row",
                sample.expected_reidentifications
            ),
        ],
    ])
}

/// How likely somebody of a household is found.
fn households(found: &HouseholdFound) -> String {
    align(&[
        [
            format!("households by {}", found.column),
            HumanCount(found.households).to_string(),
            format!("of at most {} rows", HumanCount(found.largest)),
        ],
        [
            "somebody is found".to_owned(),
            format!("{} at most, {} on average", percent(found.highest_risk), percent(found.mean_risk)),
            format!("{:.1} rows are expected to belong to such a household", found.expected_rows),
        ],
    ])
}

/// Who is told from all others by few columns.
fn special_uniques(found: &SpecialFound) -> String {
    let mut lines = vec![[
        "special rows".to_owned(),
        HumanCount(found.rows).to_string(),
        format!("unique in at most {} columns", found.most_columns),
    ]];
    lines.extend(found.sets.iter().zip(1..).map(|(&sets, size)| {
        let columns = if size == 1 { "column" } else { "columns" };
        [format!("sets of {size} {columns}"), HumanCount(sets).to_string(), String::new()]
    }));
    let [highest, mean] = [found.highest_score, found.mean_score];
    lines.push(["score".to_owned(), format!("{highest:.2} at most"), format!("{mean:.2} on average")]);
    lines.extend(
        found
            .columns
            .iter()
            .map(|column| [format!("by {}", column.name), percent(column.share), "of all scores".to_owned()]),
    );
    lines.extend(found.dis.map(|dis| {
        ["match with a unique row".to_owned(), percent(dis), "chance that it is right (DIS)".to_owned()]
    }));
    lines.extend(found.worst.iter().map(|special| {
        let right = special
            .dis_suda
            .map_or(String::new(), |dis| format!("; a match has a {} chance of being right", percent(dis)));
        let first = special.columns.first().map_or("", |column| column.name.as_str());
        [
            format!("row {}", HumanCount(special.row)),
            format!("{:.2}", special.score),
            format!("most by {first}{right}"),
        ]
    }));
    align(&lines)
}

fn requirements(requirements: &[RequirementFound]) -> String {
    let row = |one: &RequirementFound| {
        let verdict = match one.summary.holds {
            Some(true) => "holds",
            Some(false) => "FAILS",
            None => "not judged",
        };
        let about = match &one.not_judged {
            Some(reason) => reason.clone(),
            None => format!("the worst class has {}{}", one.summary.degree_text(), failing(one)),
        };
        [one.summary.name(), verdict.to_owned(), about]
    };
    align(&requirements.iter().map(row).collect::<Vec<_>>())
}

fn failing(one: &RequirementFound) -> String {
    if one.failing_classes == 0 {
        return String::new();
    }
    let (classes, rows) = (HumanCount(one.failing_classes), HumanCount(one.failing_rows));
    format!(": {classes} classes with {rows} rows fail; the worst has {}", rows_of(&one.worst_rows))
}

/// What a requirement that does not hold lacks.
pub(super) fn complaint(one: &RequirementFound) -> String {
    format!("{} does not hold: the worst class has {}", one.summary.name(), one.summary.degree_text())
}

/// The first rows of a class.
fn rows_of(numbers: &[u64]) -> String {
    let rows: Vec<String> = numbers.iter().take(3).map(u64::to_string).collect();
    let more = if numbers.len() > 3 { ", …" } else { "" };
    format!("rows {}{more}", rows.join(", "))
}

fn models(models: &[ModelDegree]) -> String {
    let row = |degree: &ModelDegree| {
        let mut variant: Vec<String> =
            degree.variant.iter().map(|(name, value)| format!("{name} = {value}").replace('"', "")).collect();
        variant.insert(0, degree.model.clone());
        let of = degree.column.as_ref().map_or_else(String::new, |column| format!("of {column}"));
        let shown = degree.degree.map_or("infinite".to_owned(), |degree| format!("{:.4}", degree));
        let shown = shown.trim_end_matches('0').trim_end_matches('.').to_owned();
        [variant.join(", "), of, shown, rows_of(&degree.worst_rows)]
    };
    align(&models.iter().map(row).collect::<Vec<_>>())
}

fn risk(found: &CheckSummary) -> String {
    let CheckSummary { rows, masked_rows, classes, k, threshold, classes_at_risk, exposure, risk, .. } =
        found;
    let mut lines = vec![
        ["smallest class".to_owned(), of_crowd(*k, &found.person), "the k of the table".to_owned()],
        [
            "classes".to_owned(),
            HumanCount(*classes).to_string(),
            format!("of rows that agree in {}", found.quasi.join(", ")),
        ],
        ["unique rows".to_owned(), with_share(exposure.unique_rows, exposure.unique_share), String::new()],
        [
            "rows at risk".to_owned(),
            with_share(exposure.at_risk_rows, exposure.at_risk_share),
            format!(
                "in {} classes of fewer than {}",
                HumanCount(*classes_at_risk),
                of_crowd(*threshold, &found.person)
            ),
        ],
        [
            "re-identification".to_owned(),
            format!("{} at most, {} on average", percent(risk.highest), percent(risk.mean)),
            "the chance of picking a person's row from what is known".to_owned(),
        ],
    ];
    if *masked_rows > 0 {
        let share = *masked_rows as f64 / *rows as f64;
        let about = "only * in all of these columns; counted above as one class".to_owned();
        lines.push(["masked rows".to_owned(), with_share(*masked_rows, share), about]);
    }
    align(&lines)
}

/// So many rows, or persons where these count.
fn of_crowd(count: u64, person: &Option<String>) -> String {
    let unit = if person.is_some() { "person" } else { "row" };
    format!("{} {unit}{}", HumanCount(count), if count == 1 { "" } else { "s" })
}

fn histogram(buckets: &[Bucket], each: &str) -> String {
    let row = |bucket: &Bucket| {
        let (classes, rows) = (HumanCount(bucket.classes), HumanCount(bucket.rows));
        (vec![range(bucket), classes.to_string(), rows.to_string()], bucket.rows)
    };
    bars(&[each, "classes", "rows"], &buckets.iter().map(row).collect::<Vec<_>>())
}

fn columns(found: &CheckSummary) -> String {
    let mut lines = vec![
        ["", "", "left out:", "", "alone:", ""].map(str::to_owned).to_vec(),
        ["column", "values", "unique", "at risk", "unique", "at risk"].map(str::to_owned).to_vec(),
    ];
    lines.extend(found.columns.iter().map(column));
    let all = &found.exposure;
    let (unique, at_risk) = (percent(all.unique_share), percent(all.at_risk_share));
    lines.push(vec!["(none left out)".to_owned(), String::new(), unique, at_risk]);
    grid(&lines, 1)
}

fn column(column: &ColumnRisk) -> Vec<String> {
    let (left_out, alone) = (&column.left_out, &column.alone);
    let shares =
        [left_out.unique_share, left_out.at_risk_share, alone.unique_share, alone.at_risk_share].map(percent);
    let mut cells = vec![column.name.clone(), HumanCount(column.values).to_string()];
    cells.extend(shares);
    cells
}

fn with_share(rows: u64, share: f64) -> String {
    format!("{} ({})", HumanCount(rows), percent(share))
}

/// A share in per cent; what is not quite none or all does not look like it.
pub(crate) fn percent(share: f64) -> String {
    match 100.0 * share {
        0.0 => "0 %".to_owned(),
        100.0 => "100 %".to_owned(),
        percent if percent < 0.01 => "<0.01 %".to_owned(),
        percent if percent > 99.99 => ">99.99 %".to_owned(),
        percent if !(1.0..99.95).contains(&percent) => format!("{percent:.2} %"),
        percent => format!("{percent:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_do_not_claim_none_or_all() {
        let shown = [0.0, 1e-9, 0.000_5, 0.123_4, 0.999_8, 0.999_99, 1.0].map(percent);
        assert_eq!(shown, ["0 %", "<0.01 %", "0.05 %", "12.3 %", "99.98 %", ">99.99 %", "100 %"]);
    }
}
