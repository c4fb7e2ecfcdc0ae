//! Where a release comes from: how it was judged and found, the job, the command, and which files they were.

use maud::{Markup, html};
use serde_json::Value;

use throng::algorithm::{self, IMPROVE_SECONDS};
use throng::loss;
use throng_engine::job::{HierarchySpec, Job, RowOrder};
use throng_engine::summary::{RunOutcome, Summary};

use crate::evidence::Evidence;
use crate::page::html::{count, decimal, table};

pub(super) fn body(evidence: &Evidence, command: Option<&str>) -> Markup {
    let (job, left_out) = shown_job(&evidence.job);
    html! {
        p { (judged(evidence)) " Made by throng " (env!("CARGO_PKG_VERSION")) " with seed " (evidence.job.search.seed) "." }
        @if let Some(summary) = &evidence.summary { p.soft { (found(&evidence.job, summary)) } }
        h3 { "Files" }
        table {
            thead { tr { th scope="col" { "" } th scope="col" { "file" } th scope="col" { "SHA-256" } } }
            tbody { @for file in &evidence.fingerprints {
                tr {
                    td { (file.what) }
                    td { (file.path.display()) }
                    td.hash { (file.sha256.as_deref().unwrap_or("not shown")) }
                }
            } }
        }
        p.soft {
            "Hashes of the original, of hierarchies and of populations are not shown: someone who knows \
             all of such a file but one "
            "cell could test guesses against its hash. The hash of the original is in the summary of the run."
        }
        @if let Some(command) = command { h3 { "Command" } pre { (command) } }
        h3 { "The job, with everything that flags changed" }
        pre { (job.trim_end()) }
        @if !left_out.is_empty() {
            p.soft { "Left out here, because it reveals more than the release: " (left_out.join("; ")) "." }
        }
        p.soft {
            "The same job on the same files gives the same release"
            (unless(&evidence.job))
            ". " code { "throng check" } " judges it again."
        }
        @if let Some(summary) = &evidence.summary { h3 { "All measures of loss" } (measures(summary)) }
    }
}

/// What may make another release of the same job.
fn unless(job: &Job) -> &'static str {
    match &job.search {
        search if search.settings.says(&IMPROVE_SECONDS) => {
            ", except for how far improvements get in the time they have"
        }
        search if search.time_budget().is_some() => ", unless a time limit cuts the search short",
        _ => "",
    }
}

fn judged(evidence: &Evidence) -> &'static str {
    match evidence.summary {
        Some(_) => {
            "The release was judged three times: by a verifier that shares no code with the search, once more when the \
             written file was read back before it was published, and a third time for this report."
        }
        None => {
            "The release was read and judged for this report, by a reader that shares no code with any search."
        }
    }
}

/// How it was found, and what of that is proven.
fn found(job: &Job, summary: &Summary) -> String {
    let proof = match (summary.outcome, summary.optimal) {
        (RunOutcome::Stopped, _) => "It was stopped early, so a better release may exist.",
        (_, true) => "It is proven that no release of this kind loses less.",
        _ => "It is the best that was found, but not proven to be the best.",
    };
    let promise = algorithm::find(&summary.algorithm)
        .map(|entry| format!(" ({})", entry.guarantee_with(&job.search.settings).text()));
    // Searches that go row by row look at no levels.
    let looked = match summary.search.checked_nodes {
        0 => String::new(),
        nodes => format!(", which checked {} choices of levels", count(nodes)),
    };
    format!(
        "It was found by {}{}{looked}. It minimised {}{}. {proof}",
        summary.algorithm,
        promise.unwrap_or_default(),
        summary.measure,
        summary.aggregate.as_ref().map(|of| format!(" ({})", of.text())).unwrap_or_default()
    )
}

fn measures(summary: &Summary) -> Markup {
    let row = |(name, value): (&String, &Value)| {
        let about = loss::find(name).map(|measure| measure.summary().to_owned()).unwrap_or_default();
        let marked = if *name == summary.measure { format!("{name} (minimised)") } else { name.clone() };
        Some(vec![marked, decimal(value.as_f64()?), about])
    };
    table(
        &["measure", "value#", "what it measures"],
        &summary.measures.iter().filter_map(row).collect::<Vec<_>>(),
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
    if let RowOrder::Shuffle { seed: seed @ Some(_) } = &mut job.output.order {
        *seed = None;
        left_out.push("the seed of the order, by which it could be undone".to_owned());
    }
    (job.to_toml().unwrap_or_else(|error| error.to_string()), left_out)
}
