//! What is needed to make the release again: the job, the command, and which files they were.

use crate::evidence::Evidence;
use crate::job::{HierarchySpec, Job};
use crate::page::html::{Cell, paragraph, remark, table};
use crate::plot::escape;

pub(super) fn body(evidence: &Evidence, command: Option<&str>) -> String {
    let command = command.map(|command| format!("<pre>{}</pre>\n", escape(command))).unwrap_or_default();
    let (job, left_out) = shown_job(&evidence.job);
    let left_out = if left_out.is_empty() {
        String::new()
    } else {
        remark(&format!(
            "Left out here, because the values in it may not be in the release: {}.",
            left_out.join("; ")
        ))
    };
    let rows: Vec<Vec<Cell>> = evidence
        .fingerprints
        .iter()
        .map(|file| {
            vec![
                Cell::text(&file.what),
                Cell::text(file.path.display().to_string()),
                Cell::Hash(file.sha256.clone()),
            ]
        })
        .collect();
    format!(
        "{}{command}{}<pre>{}</pre>\n{left_out}{}{}",
        paragraph(&format!(
            "Made by throng {} with the seed {}. The same files and the same job give the same release{}.",
            env!("CARGO_PKG_VERSION"),
            evidence.job.search.seed,
            if evidence.job.search.time_budget().is_some() {
                ", unless a time limit cuts the search short"
            } else {
                ""
            }
        )),
        paragraph("The job, with all that flags changed:"),
        escape(&job),
        paragraph("The files:"),
        table(&["", "file", "SHA-256"], &rows)
    )
}

/// The job without values of the table, and what was left out of it.
fn shown_job(job: &Job) -> (String, Vec<String>) {
    let mut job = job.clone();
    let mut left_out = Vec::new();
    let names: Vec<String> = job.columns.named().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        let Some((_, column)) = job.columns.named().find(|(known, _)| *known == name) else { continue };
        let mut column = column.clone();
        if column.order.take().is_some() {
            left_out.push(format!("the order of the values of {name}"));
        }
        if matches!(column.hierarchy, Some(HierarchySpec::Groups(_))) {
            column.hierarchy = None;
            left_out.push(format!("the groups of the values of {name}"));
        }
        job.columns.set(name, column);
    }
    for require in &mut job.privacy.require {
        if require.parameters.remove("value").is_some() {
            left_out.push(format!("the value that {} is about", require.model));
        }
    }
    (job.to_toml().unwrap_or_else(|error| error.to_string()), left_out)
}
