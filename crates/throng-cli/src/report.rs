//! A run's report for people: what was protected, what was lost, how it was found.

mod columns;
mod refusal;
mod requirements;

use indicatif::HumanCount;
use serde_json::Value;

use throng::algorithm::{self, BLOCK_ROWS, Family, Settings};
use throng::loss;
use throng::notion::Notion;
use throng::wording::count_nodes;
use throng_engine::job::Job;
use throng_engine::output::sink::NO_RELEASE;
use throng_engine::pipeline::CHOSEN;
use throng_engine::profile::numbers_households;
use throng_engine::summary::{Minimal, RunOutcome, SearchSummary, Summary};

use crate::aligned::align;

/// Measures that are shown besides the one that was minimised.
const SHOWN: [&str; 4] = ["lm", "prec", "entropy", "aecs"];

/// The report as text, without a line break at its end.
pub(crate) fn text(job: &Job, summary: &Summary) -> String {
    let sections = match &summary.output {
        Some(output) => vec![
            format!("Released: {output}{}\n{}", parts(summary), origin(summary).trim_end()),
            section("Protected", &protected(job, summary)),
            section("Lost", &lost(summary)),
            section("Search", &search(summary)),
            section("Seconds", &seconds(summary)),
            minimal(summary),
            warnings(summary),
        ],
        None => vec![
            NO_RELEASE.to_owned(),
            section("Why", &refusal::why(job, summary)),
            section("What would help", &refusal::remedies(job, summary)),
            section("Search", &search(summary)),
        ],
    };
    let sections: Vec<String> = sections.into_iter().filter(|section| !section.is_empty()).collect();
    sections.join("\n\n")
}

/// How many files it is, if it is a directory of parts.
fn parts(summary: &Summary) -> String {
    match summary.output_files {
        None => String::new(),
        Some(1) => " (1 file)".to_owned(),
        Some(files) => format!(" ({} files)", HumanCount(files as u64)),
    }
}

/// By what, when and of which files it was made.
fn origin(summary: &Summary) -> String {
    let origin = &summary.provenance;
    let commit = origin.commit.as_ref().map(|commit| format!(" ({commit})")).unwrap_or_default();
    let files = [
        ("input", origin.input_sha256.as_ref()),
        ("job", origin.job_sha256.as_ref()),
        ("output", origin.output_sha256.as_ref()),
    ];
    let files =
        files.iter().filter_map(|(what, hash)| Some([format!("SHA-256 of the {what}"), (*hash)?.clone()]));
    let made = format!("throng {}{commit}, {}", origin.version, origin.date);
    align(&std::iter::once(["made by".to_owned(), made]).chain(files).collect::<Vec<_>>())
}

/// A title and indented lines.
pub(crate) fn section(title: &str, body: &str) -> String {
    format!("{title}\n{}", body.trim_end())
}

fn protected(job: &Job, summary: &Summary) -> String {
    let released = summary.rows - (summary.suppressed_rows - summary.masked_rows);
    let rows = format!("  {} of {} rows are released\n", HumanCount(released), HumanCount(summary.rows));
    let asked =
        summary.requirement.k.map(|k| format!("  required: {} with k = {k}\n", job.privacy.notion.text()));
    let others = requirements::lines(summary);
    format!(
        "{rows}{}{}{others}{}",
        asked.unwrap_or_default(),
        classes(job, summary),
        columns::table(job, summary)
    )
}

fn classes(job: &Job, summary: &Summary) -> String {
    let count = |name: &str| summary.measures.get(name).and_then(Value::as_u64).unwrap_or(0);
    let (classes, smallest, largest) = (count("classes"), count("smallest_class"), count("largest_class"));
    if classes == 0 {
        return String::new();
    }
    let sizes = match largest {
        _ if classes == 1 => "1 class".to_owned(),
        _ if largest == smallest => {
            format!("{} classes of {} rows", HumanCount(classes), HumanCount(largest))
        }
        _ => format!("{} classes of {smallest} to {} rows", HumanCount(classes), HumanCount(largest)),
    };
    match summary.achieved.get(job.privacy.notion.name()).and_then(Value::as_u64) {
        Some(degree) if job.privacy.notion != Notion::K => {
            format!("  it holds for k = {degree}; rows alike in all quasi-identifiers: {sizes}\n")
        }
        _ => {
            let k = summary.achieved.get("k").and_then(Value::as_u64).unwrap_or(smallest);
            let persons = match &summary.person {
                Some(column) if numbers_households(column) => " households",
                Some(_) => " persons",
                None => "",
            };
            let k = HumanCount(k);
            format!(
                "  each is one of at least {k}{persons} that are alike in all quasi-identifiers: {sizes}\n"
            )
        }
    }
}

fn lost(summary: &Summary) -> String {
    let objective = (!SHOWN.contains(&summary.measure.as_str())).then_some(summary.measure.as_str());
    let names = objective.into_iter().chain(SHOWN);
    let measures: Vec<[String; 3]> = names.filter_map(|name| measure(summary, name)).collect();
    let aggregate =
        summary.aggregate.as_ref().map(|aggregate| format!("  over columns: {}\n", aggregate.text()));
    let aggregate = aggregate.unwrap_or_default();
    format!("  {}\n{}{aggregate}{}", suppressed(summary), align(&measures), local_recoding(summary))
}

/// What a local recoding loses less, where the best levels leave nothing of a column.
fn local_recoding(summary: &Summary) -> String {
    let Some(local) = &summary.search.local_recoding else { return String::new() };
    let percent = (100.0 * local.less).floor();
    if percent < 1.0 {
        return String::new();
    }
    format!(
        "  nothing is left of {}; a local recoding would lose {percent} % less ({} {:.4}): --algorithm {}\n",
        summary.fully_generalised.join(", "),
        summary.measure,
        local.loss,
        local.algorithm
    )
}

fn suppressed(summary: &Summary) -> String {
    let most = match summary.max_suppressed_rows {
        0 => "none were allowed".to_owned(),
        1 => "at most 1 was allowed".to_owned(),
        most => format!("at most {} were allowed", HumanCount(most)),
    };
    let share = 100.0 * summary.suppressed_rows as f64 / summary.rows as f64;
    let rows = match summary.suppressed_rows {
        0 => return format!("no row is suppressed ({most})"),
        1 => "1 row is".to_owned(),
        rows => format!("{} rows are", HumanCount(rows)),
    };
    match summary.masked_rows {
        0 => format!("{rows} left out ({share:.2} %); {most}"),
        _ => format!("{rows} masked in all quasi-identifiers ({share:.2} %); {most}"),
    }
}

fn measure(summary: &Summary, name: &str) -> Option<[String; 3]> {
    let value = summary.measures.get(name)?;
    let summary = loss::find(name)?.summary();
    Some([name.to_owned(), number(value), summary.to_owned()])
}

fn number(value: &Value) -> String {
    match value.as_u64() {
        Some(whole) => HumanCount(whole).to_string(),
        None => value.as_f64().map_or("undefined".to_owned(), |value| format!("{value:.4}")),
    }
}

fn search(summary: &Summary) -> String {
    let entry = algorithm::find(&summary.algorithm);
    let family = entry.map_or(Family::FullDomain, |entry| entry.family);
    let proof = match (summary.outcome, summary.optimal, family) {
        (RunOutcome::Infeasible, ..) if summary.applied.is_some() => "it no longer holds",
        (RunOutcome::Released, ..) if summary.applied.is_some() => "applied as saved, without a search",
        (RunOutcome::Infeasible, ..) if summary.algorithm == CHOSEN => "these levels are not admissible",
        (RunOutcome::Released, ..) if summary.algorithm == CHOSEN => "levels chosen by you, without a search",
        (RunOutcome::Infeasible, _, Family::FullDomain) => "no combination of levels is admissible",
        (RunOutcome::Infeasible, ..) => "found nothing that may be released",
        (RunOutcome::Stopped, ..) => "stopped before it had finished",
        (RunOutcome::Released, true, Family::Cut) => "optimal, no cut loses less",
        (RunOutcome::Released, true, Family::Local) => "optimal, no release of the same notion loses less",
        (RunOutcome::Released, true, _) => "optimal, no full-domain release loses less",
        (RunOutcome::Released, false, _) if summary.proven => {
            entry.map_or("", |entry| entry.guarantee_with(&told(summary)).text())
        }
        (RunOutcome::Released, false, _) => "not proven optimal",
    };
    let search = &summary.search;
    format!(
        "  {}{}{}{}, judged by {}: {proof}{}{}{}\n  {}on {} distinct tuples",
        summary.algorithm,
        chosen(search),
        settings(summary),
        blocks(search),
        summary.measure,
        gap(summary),
        improved(search),
        matching(search),
        nodes(search, family == Family::Cut),
        HumanCount(search.distinct_tuples as u64),
    )
}

/// The search that was chosen, and why.
fn chosen(search: &SearchSummary) -> String {
    match search.chosen.as_ref().zip(search.chosen_because.as_ref()) {
        Some((name, why)) => format!(" ({name}: {why})"),
        None => String::new(),
    }
}

/// How far the release may be from the optimum, where that is known and not proven to be nothing.
fn gap(summary: &Summary) -> String {
    match summary.search.gap.filter(|_| !summary.optimal) {
        Some(gap) => format!("; at most {} % above the optimum", rounded_up(100.0 * gap)),
        None => String::new(),
    }
}

/// For how long the search went on after it was through.
fn improved(search: &SearchSummary) -> String {
    match search.improved_seconds {
        Some(seconds) => format!("; improved for {seconds:.1} s"),
        None => String::new(),
    }
}

/// How many steps of Algorithm 6 records took.
fn matching(search: &SearchSummary) -> String {
    let Some(steps) = search.matching_steps.as_deref().filter(|steps| !steps.is_empty()) else {
        return String::new();
    };
    let (once, more): (u64, u64) = (steps[0], steps[1..].iter().sum());
    let more = match more {
        0 => String::new(),
        more => format!(", {} in up to {}", HumanCount(more), steps.len()),
    };
    format!("; matched {} records in one step{more}", HumanCount(once))
}

/// Two digits that are not less.
fn rounded_up(value: f64) -> String {
    if value >= 10.0 {
        format!("{:.0}", value.ceil())
    } else {
        format!("{:.1}", (value * 10.0).ceil() / 10.0)
    }
}

/// All nodes that the search found to be as good, the release first.
fn minimal(summary: &Summary) -> String {
    if summary.minimal.is_empty() {
        return String::new();
    }
    let row = |one: &Minimal| {
        let levels: Vec<String> = one.levels.iter().map(|(name, level)| format!("{name} {level}")).collect();
        [levels.join(", "), format!("{} {}", summary.measure, number(&one.loss))]
    };
    let title = match summary.minimal.len() {
        1 => "The only node of the least height".to_owned(),
        many => format!("All {many} nodes of the least height; the first is released"),
    };
    section(&title, &align(&summary.minimal.iter().map(row).collect::<Vec<_>>()))
}

/// What the algorithm was told.
fn told(summary: &Summary) -> Settings {
    let add = |told: Settings, (name, value): (&String, &Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        told.clone().with(name, &text).unwrap_or(told)
    };
    summary.settings.iter().fold(Settings::default(), add)
}

/// The settings that the algorithm used, as a job has them; blocks have words of their own.
fn settings(summary: &Summary) -> String {
    let is_told = |key: &str| key == BLOCK_ROWS.name && summary.search.blocks.is_some();
    let settings = summary.settings.iter().filter(|(key, _)| !is_told(key));
    let settings: Vec<String> = settings.map(|(key, value)| format!("{key} = {value}")).collect();
    if settings.is_empty() { String::new() } else { format!(" ({})", settings.join(", ")) }
}

/// The nodes that were checked; a local search has none.
fn nodes(search: &SearchSummary, is_of_cuts: bool) -> String {
    if search.checked_nodes == 0 {
        return String::new();
    }
    if is_of_cuts {
        return format!("{} cuts checked, ", HumanCount(search.checked_nodes));
    }
    let nodes = count_nodes(search.lattice_nodes);
    format!("{} of {nodes} nodes checked, ", HumanCount(search.checked_nodes))
}

/// That the table was cut, if it was: the search saw no block's neighbours.
fn blocks(search: &SearchSummary) -> String {
    match search.blocks.zip(search.block_rows) {
        Some((blocks, rows)) => {
            let plural = if blocks == 1 { "" } else { "s" };
            let (blocks, rows) = (HumanCount(blocks as u64), HumanCount(rows));
            format!(" in {blocks} block{plural} of at most about {rows} rows")
        }
        None => String::new(),
    }
}

fn seconds(summary: &Summary) -> String {
    let s = &summary.seconds;
    let phases = [
        ("read", s.read),
        ("search", s.search),
        ("apply", s.apply),
        ("verify", s.verify),
        ("write", s.write),
    ];
    let phases: Vec<String> = phases.iter().map(|(name, seconds)| format!("{name} {seconds:.3}")).collect();
    let memory = summary.peak_memory_bytes.map(|bytes| format!("; at most {} MiB of memory", bytes >> 20));
    format!("  {}{}", phases.join(", "), memory.unwrap_or_default())
}

fn warnings(summary: &Summary) -> String {
    let lines: Vec<String> = summary.warnings.iter().map(|warning| format!("  {warning}\n")).collect();
    if lines.is_empty() { String::new() } else { section("Warnings", &lines.concat()) }
}
