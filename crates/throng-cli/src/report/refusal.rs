//! Why there is no release, and what would help.

use indicatif::HumanCount;

use super::requirements;
use throng::wording::quoted;
use throng_engine::job::Job;
use throng_engine::pipeline::CHOSEN;
use throng_engine::summary::{Applied, RunOutcome, Summary};
use throng_report::remedy::{self, Remedy, best_k, is_local};

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

/// What to change.
pub(super) fn remedies(job: &Job, report: &Summary) -> String {
    remedy::remedies(job, report).iter().map(|remedy| format!("  - {}\n", spelled(remedy))).collect()
}

/// A remedy with the flag that asks for it.
fn spelled(remedy: &Remedy) -> String {
    match remedy {
        Remedy::SuppressFailing { rows } => {
            let plural = if *rows == 1 { "" } else { "s" };
            format!("suppressing the rows that fail (--suppression '{rows} row{plural}')")
        }
        Remedy::Search => "a new search for this delivery (`throng anonymize`); the guide says what two releases of the same \
                           people reveal together"
            .to_owned(),
        Remedy::MoreTime => "more time (--time-limit)".to_owned(),
        Remedy::AcceptAny => {
            "the best release found so far, even if nothing is left in it (--accept-any)".to_owned()
        }
        Remedy::FasterSearch { names } => format!("a faster search (--algorithm {})", names.join(" or ")),
        Remedy::Blocks { is_in_blocks } => {
            let blocks = if *is_in_blocks { "smaller blocks" } else { "a search in blocks" };
            format!("{blocks} (--block-rows, or block_rows in [search])")
        }
        Remedy::FasterLocal { name } => format!("a faster local search (--algorithm {name})"),
        Remedy::AcceptEmpty => "a release without rows, if that is acceptable (--accept-any)".to_owned(),
        Remedy::SmallerK { most: 2 } => "k = 2".to_owned(),
        Remedy::SmallerK { most } => format!("a k of at most {most}"),
        Remedy::Less { requirement } => format!("less than {requirement}, or a different shield"),
        Remedy::OptimalSearch => "an optimal search (--algorithm flash), which may find a release".to_owned(),
        Remedy::MoreSuppression { is_small: true } => "more suppression (--suppression 5%)".to_owned(),
        Remedy::MoreSuppression { is_small: false } => "more suppression (--suppression)".to_owned(),
        Remedy::HigherLevels => "higher levels, or a search (without --node and --pick)".to_owned(),
        Remedy::HigherMaxLevel { columns } => {
            let limited = columns.iter().map(|(name, level)| format!("{} ({level})", quoted(name)));
            format!("a higher max_level for {}", limited.collect::<Vec<_>>().join(", "))
        }
        Remedy::LastLevel { columns } if columns.is_empty() => {
            "a single value at the last level of every hierarchy".to_owned()
        }
        Remedy::LastLevel { columns } => {
            let columns: Vec<String> = columns.iter().map(quoted).collect();
            format!("a single value at the last level of the hierarchy of {}", columns.join(", "))
        }
    }
}
