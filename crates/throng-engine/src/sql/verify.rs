//! The query that verifies the released table: it gives no rows if all is well.

use std::collections::BTreeMap;

use throng::notion::Notion;
use throng::privacy::{ParameterValue, PrivacyModel};
use throng::requirement::{Requirement, Rule};

use super::select::Select;
use super::{SqlDraft, comment};
use crate::dictionary::Dictionary;

/// What a check finds: a sentence, and the query that counts what is wrong.
struct SqlCheck {
    problem: String,
    count: String,
}

/// The query, with comments on what it cannot see.
pub(super) fn query(draft: &SqlDraft<'_>, select: &Select) -> String {
    let (checks, unseen) = checks(draft, select);
    let each = checks.iter().map(|check| {
        format!("  SELECT {} AS problem, ({}) AS found", draft.text(&check.problem), check.count)
    });
    let mut text = format!("\n{}", comment("Returns no rows if the release is what the search found."));
    unseen.iter().for_each(|line| text.push_str(&comment(line)));
    let each = each.collect::<Vec<_>>().join("\n  UNION ALL\n");
    text.push_str(&format!("SELECT problem, found FROM (\n{each}\n) AS checks WHERE found <> 0;\n"));
    text
}

fn checks(draft: &SqlDraft<'_>, select: &Select) -> (Vec<SqlCheck>, Vec<String>) {
    let mut unseen = Vec::new();
    let all = format!("SELECT COUNT(*) FROM {}", draft.table.in_dialect(draft.dialect));
    let rows = draft.prepared.rows();
    let mut checks = vec![
        SqlCheck {
            problem: "more or fewer rows than the table had during the search".to_owned(),
            count: format!("({all}) - {rows}"),
        },
        SqlCheck {
            problem: "rows with values that did not exist during the search".to_owned(),
            count: format!("({all}) - (SELECT COUNT(*) FROM {})", indented(&select.from)),
        },
    ];
    for requirement in &draft.released.problem().requirements {
        match check(draft, requirement) {
            Ok(check) => checks.push(check),
            Err(why) => unseen.push(format!("It cannot tell whether {}: {why}.", said(requirement))),
        }
    }
    (checks, unseen)
}

/// The check of a requirement; why there is none, else.
fn check(draft: &SqlDraft<'_>, requirement: &Requirement) -> Result<SqlCheck, &'static str> {
    if draft.job.person().is_some() {
        return Err("persons are counted, and the release does not show which rows belong to whom");
    }
    // Releases of whole columns are k-anonymous, whatever notion was asked for.
    let is_of_crowds = match requirement.rule() {
        Rule::Classes(_) => false,
        Rule::Crowd(notion, _) | Rule::Diverse(notion, _) => *notion != Notion::K,
    };
    if is_of_crowds && draft.released.is_local() {
        return Err("classes do not show which person a row may belong to");
    }
    let model = requirement.class_model();
    let classes = |having: &str| {
        let group = group(draft, requirement);
        let release = draft.release.in_dialect(draft.dialect);
        format!("SELECT COUNT(*) FROM (SELECT 1 AS one FROM {release} AS t{group} HAVING {having}) AS c")
    };
    let asked = model.asked();
    let over = over(draft, requirement);
    if let Some(rows) = model.least_rows() {
        let problem = format!("classes{over} of fewer than {rows} rows");
        return Ok(SqlCheck { problem, count: classes(&format!("COUNT(*) < {rows}")) });
    }
    match model.name() {
        "distinct-l" | "p-sensitive" => {
            let value = sensitive(draft, &*model)?;
            Ok(SqlCheck {
                problem: format!("classes{over} of fewer than {asked} values of {}", name(draft, &*model)),
                count: classes(&format!("COUNT(DISTINCT NULLIF({value}, '')) < {asked}")),
            })
        }
        "alpha-k" if !names_value(&*model) => share(draft, requirement, &*model),
        _ => Err("a simple query cannot check that; use `throng check` on the table"),
    }
}

/// No value has more than a share of a class, whatever is missing.
fn share(
    draft: &SqlDraft<'_>,
    requirement: &Requirement,
    model: &dyn PrivacyModel,
) -> Result<SqlCheck, &'static str> {
    let (value, names) = (sensitive(draft, model)?, shield(draft, requirement));
    let (release, alpha) = (draft.release.in_dialect(draft.dialect), model.asked());
    let of = names.iter().map(|name| format!("t.{name}")).collect::<Vec<_>>().join(", ");
    let by = names.join(", ");
    let counted =
        format!("SELECT {of}, {value} AS held, COUNT(*) AS n FROM {release} AS t GROUP BY {of}, {value}");
    let rows_where = |sign: &str| format!("CASE WHEN held {sign} '' THEN n ELSE 0 END");
    let most = format!("MAX({}) + SUM({})", rows_where("<>"), rows_where("="));
    let classes =
        format!("SELECT 1 AS one FROM ({counted}) AS v GROUP BY {by} HAVING {most} > {alpha} * SUM(n)");
    Ok(SqlCheck {
        problem: format!(
            "classes{} of which more than a share of {alpha} has one value of {}",
            over(draft, requirement),
            name(draft, model)
        ),
        count: format!("SELECT COUNT(*) FROM ({classes}) AS c"),
    })
}

fn names_value(model: &dyn PrivacyModel) -> bool {
    model.parameters().iter().any(|(_, value)| matches!(value, ParameterValue::Text(_)))
}

/// What a requirement says, for people.
fn said(requirement: &Requirement) -> String {
    let numbers =
        requirement.class_model().parameters().into_iter().filter_map(|(name, value)| match value {
            ParameterValue::Number(number) => Some(format!("{name} = {number}")),
            _ => None,
        });
    format!("{} ({}) holds", requirement.name(), numbers.collect::<Vec<_>>().join(", "))
}

/// The quasi-identifiers that classes are over.
fn shield(draft: &SqlDraft<'_>, requirement: &Requirement) -> Vec<String> {
    let columns = &draft.mapping.columns;
    let all = || (0..columns.len()).collect();
    let shield: Vec<usize> = requirement.shield().map_or_else(all, <[usize]>::to_vec);
    shield.into_iter().map(|a| draft.name(&columns[a].name)).collect()
}

fn group(draft: &SqlDraft<'_>, requirement: &Requirement) -> String {
    let names: Vec<String> = shield(draft, requirement).iter().map(|name| format!("t.{name}")).collect();
    format!(" GROUP BY {}", names.join(", "))
}

fn over(draft: &SqlDraft<'_>, requirement: &Requirement) -> String {
    let names = requirement.shield().map(|shield| {
        let names = shield.iter().map(|&a| draft.mapping.columns[a].name.as_str());
        names.collect::<Vec<_>>().join(", ")
    });
    names.map(|names| format!(" over {names}")).unwrap_or_default()
}

fn name<'d>(draft: &SqlDraft<'d>, model: &dyn PrivacyModel) -> &'d str {
    model.column().map_or("", |column| draft.prepared.beside.columns[column].name())
}

/// The text of a sensitive column, the same for all spellings of a value and empty where it is missing; why there is
/// none, else.
fn sensitive(draft: &SqlDraft<'_>, model: &dyn PrivacyModel) -> Result<String, &'static str> {
    let name = name(draft, model);
    let column = draft.prepared.source.columns().iter().position(|known| known == name);
    let cell = draft.cell("t", column.expect("a column of the table"));
    let values = model.column().map(|place| &draft.prepared.beside.columns[place].dictionary);
    match values.filter(|values| values.is_folded()) {
        None => Ok(cell),
        Some(values) if is_told_by_case(values) => Ok(format!("UPPER(TRIM({cell}))")),
        Some(_) => {
            Err("SQL treats different spellings of a value as different values; use `throng check` on the \
                table")
        }
    }
}

/// Whether texts are spellings of one value just where every engine finds them so: in upper case, without spaces around
/// them. Engines differ in what they make of other letters and other white space, and know no codes for what is missing.
fn is_told_by_case(values: &Dictionary) -> bool {
    let mut codes = BTreeMap::new();
    let same = |(text, code): (&str, u32)| {
        let cased = text.trim_matches(' ').to_ascii_uppercase();
        let is_as_missing = cased.is_empty() == values.value(code).is_empty();
        text.is_ascii() && is_as_missing && *codes.entry(cased).or_insert(code) == code
    };
    values.originals().all(same) && codes.len() == values.len()
}

fn indented(text: &str) -> String {
    text.replace('\n', "\n    ")
}
