//! Why there is no release, and what would help.

use indicatif::HumanCount;

use super::requirements;
use throng::algorithm::{self, BLOCK_ROWS, Entry, Family};
use throng::wording::quoted;
use throng_engine::job::{HierarchySpec, Job};
use throng_engine::pipeline::CHOSEN;
use throng_engine::summary::{Applied, RunOutcome, Summary};

/// Why there is none.
pub(super) fn why(job: &Job, summary: &Summary) -> String {
    let crowd = summary.requirement.k.map(|k| format!("{} for k = {k}", job.privacy.notion.text()));
    if let Some(applied) = &summary.applied {
        return no_longer(applied, summary);
    }
    let asked = crowd.into_iter().chain(requirements::asked(summary)).collect::<Vec<_>>().join(" and ");
    match summary.outcome {
        RunOutcome::Infeasible if summary.suppressed_rows == summary.rows => {
            let rows = HumanCount(summary.rows);
            format!(
                "  {asked} would only be possible by suppressing all {rows} rows, which would leave nothing \
                    to release"
            )
        }
        RunOutcome::Infeasible if is_local(job) => {
            let (name, most) = (&job.search.algorithm, HumanCount(summary.max_suppressed_rows));
            format!(
                "  {name} found no classes of the {} rows that give {asked} with at most {most} of them \
                 suppressed;\n  it does not try all of them",
                HumanCount(summary.rows)
            )
        }
        RunOutcome::Infeasible => {
            let rows = HumanCount(summary.rows);
            let most = HumanCount(summary.max_suppressed_rows);
            let best = match best_k(summary) {
                0 => String::new(),
                best if summary.algorithm == CHOSEN => {
                    format!(";\n  the largest k that they reach is {best}")
                }
                best => format!(";\n  the largest possible k is {best}"),
            };
            let who = match summary.algorithm == CHOSEN {
                true => format!("these levels of the {rows} rows do not give"),
                false => format!("no generalisation of the {rows} rows gives"),
            };
            format!(
                "  {who} {asked} with at most {most} of them suppressed{best}{}",
                requirements::reach(summary)
            )
        }
        _ => format!("  the search was stopped before it found a generalisation that gives {asked}"),
    }
}

/// Why a recoding cannot be applied any more.
fn no_longer(applied: &Applied, summary: &Summary) -> String {
    let mut lines = vec!["the recoding no longer gives these rows what is required:".to_owned()];
    lines.extend(applied.failing.iter().map(|one| {
        let classes = match one.classes {
            0 => String::new(),
            1 => " in 1 class".to_owned(),
            many => format!(" in {} classes", HumanCount(many)),
        };
        let rows = count(one.rows);
        format!(
            "  {rows}{classes} {} {} = {}",
            if one.rows == 1 { "fails" } else { "fail" },
            one.model,
            one.asked
        )
    }));
    if applied.uncovered_rows > 0 {
        let first = applied.unknown.as_ref().map_or_else(String::new, |unknown| {
            let column = quoted(&unknown.column);
            match unknown.row {
                Some(row) => format!("; the first value it does not know is in row {row} of {column}"),
                None => format!("; it does not know some value of {column}"),
            }
        });
        lines.push(format!("  the recoding does not cover {}{first}", count(applied.uncovered_rows)));
    }
    let (rows, most) = (count(applied.rows_to_suppress), HumanCount(summary.max_suppressed_rows));
    lines.push(format!("{rows} would have to be suppressed, but at most {most} may be"));
    lines.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn count(rows: u64) -> String {
    format!("{} row{}", HumanCount(rows), if rows == 1 { "" } else { "s" })
}

fn is_local(job: &Job) -> bool {
    algorithm::find(&job.search.algorithm).is_some_and(|entry| entry.family == Family::Local)
}

fn best_k(summary: &Summary) -> u64 {
    summary.achieved.get("k").and_then(serde_json::Value::as_u64).unwrap_or(0)
}

/// What to change.
pub(super) fn remedies(job: &Job, summary: &Summary) -> String {
    let remedies = match summary.outcome {
        _ if summary.applied.is_some() => again(summary),

        RunOutcome::Infeasible => infeasible(job, summary),
        _ => stopped(job),
    };
    remedies.iter().map(|remedy| format!("  - {remedy}\n")).collect()
}

fn again(summary: &Summary) -> Vec<String> {
    let rows = summary.applied.as_ref().map_or(0, |applied| applied.rows_to_suppress);
    let mut remedies = vec![
        "a new search for this delivery (`throng anonymize`); the guide says what two releases of the same \
            people reveal together"
            .to_owned(),
    ];
    if rows < summary.rows {
        remedies.insert(0, format!("suppressing the rows that fail (--suppression '{}')", count_plain(rows)));
    }
    remedies
}

fn count_plain(rows: u64) -> String {
    format!("{rows} row{}", if rows == 1 { "" } else { "s" })
}

fn stopped(job: &Job) -> Vec<String> {
    let mut remedies = vec!["more time (--time-limit)".to_owned()];
    if !job.search.accept_any {
        remedies
            .push("the best release found so far, even if nothing is left in it (--accept-any)".to_owned());
    }
    let local = algorithm::find(&job.search.algorithm).filter(|entry| entry.family == Family::Local);
    let Some(local) = local else {
        let fast = ["improved-greedy", "datafly"].into_iter().filter(|name| *name != job.search.algorithm);
        remedies.push(format!("a faster search (--algorithm {})", fast.collect::<Vec<_>>().join(" or ")));
        return remedies;
    };
    if local.takes(&BLOCK_ROWS) {
        let blocks =
            if job.search.settings.says(&BLOCK_ROWS) { "smaller blocks" } else { "a search in blocks" };
        remedies.push(format!("{blocks} (--block-rows, or block_rows in [search])"));
    }
    let is_faster = |entry: &&Entry| entry.name != local.name && entry.notions.contains(&job.privacy.notion);
    if let Some(mondrian) = algorithm::find("mondrian").filter(is_faster) {
        remedies.push(format!("a faster local search (--algorithm {})", mondrian.name));
    }
    remedies
}

fn infeasible(job: &Job, summary: &Summary) -> Vec<String> {
    let mut remedies = Vec::new();
    if summary.suppressed_rows == summary.rows {
        remedies.push("a release without rows, if that is acceptable (--accept-any)".to_owned());
    }
    match best_k(summary) {
        0 | 1 => {}
        // It is not k that fails.
        best if summary.requirement.k.is_none_or(|k| k <= best) => {}
        2 => remedies.push("k = 2".to_owned()),
        best => remedies.push(format!("a k of at most {best}")),
    }
    remedies
        .extend(requirements::failing(summary).map(|one| format!("less than {one}, or a different shield")));
    if is_local(job) {
        remedies.push("an optimal search (--algorithm flash), which may find a release".to_owned());
    }
    let share = summary.max_suppressed_rows as f64 / summary.rows.max(1) as f64;
    match share {
        _ if share < 0.05 => remedies.push("more suppression (--suppression 5%)".to_owned()),
        _ if share < 1.0 => remedies.push("more suppression (--suppression)".to_owned()),
        _ => {}
    }
    if summary.algorithm == CHOSEN {
        remedies.push("higher levels, or a search (without --node and --pick)".to_owned());
        return remedies;
    }
    let limited: Vec<String> = job
        .columns
        .named()
        .filter_map(|(name, column)| Some(format!("{} ({})", quoted(name), column.max_level?)))
        .collect();
    if !limited.is_empty() {
        remedies.push(format!("a higher max_level for {}", limited.join(", ")));
    }
    let open = open_ended(job);
    remedies.push(match open.as_slice() {
        [] => "a single value at the last level of every hierarchy".to_owned(),
        columns => format!("a single value at the last level of the hierarchy of {}", columns.join(", ")),
    });
    remedies
}

/// Columns whose hierarchy file ends in more than one value.
fn open_ended(job: &Job) -> Vec<String> {
    let files = job.columns.named().filter_map(|(name, column)| match &column.hierarchy {
        Some(file @ HierarchySpec::File(_)) => Some((name, file)),
        _ => None,
    });
    files
        .filter(|(name, file)| {
            let taxonomy = file.build::<&str>(name, &[]);
            taxonomy.is_ok_and(|taxonomy| taxonomy.level_size(taxonomy.height()) > 1)
        })
        .map(|(name, _)| quoted(name))
        .collect()
}
