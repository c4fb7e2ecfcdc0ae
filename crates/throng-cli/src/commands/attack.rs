//! `throng attack`: what adversaries can link a release to.

use std::path::PathBuf;

use indicatif::HumanCount;
use serde_json::Value;

use throng::notion::Notion;
use throng_engine::check::{Bucket, Sizes, histogram};
use throng_engine::error::{EngineError, Result};
use throng_engine::input::source::Source;
use throng_engine::job::{Job, JobFlags, Role};
use throng_engine::verify::attack::{AttackSummary, LinksSummary, WorstRow, attack};

use super::anonymize::read_notion;
use super::{pair, subject};
use crate::aligned::align;
use crate::args::{DialectArgs, read_k, read_threads};
use crate::bars::{bars, range};
use crate::console::Console;
use crate::exit::Exit;
use crate::runtime;

const EXAMPLES: &str = "Examples:
  throng attack hospital.toml
  throng attack hospital.csv release.csv --qi age=age.csv --qi sex --sensitive diagnosis -k 5 --notion kk";

/// Attacks a release: to how many records can adversaries link each person?
///
/// The first adversary knows everybody's quasi-identifiers; the second also knows who exactly is in
/// the table. Rows may have been left out or shuffled: all follows from the two tables. Exit code 1 if either
/// links somebody to fewer than K records, or is certain of a sensitive value, unless --allow is given.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AttackArgs {
    /// A job file (.toml), or the original table
    #[arg(value_name = "JOB|ORIGINAL")]
    subject: PathBuf,

    /// The release; that of the job if it is not named
    #[arg(value_name = "RELEASED")]
    released: Option<PathBuf>,

    /// A quasi-identifier and its hierarchy, as for anonymize; also several: A=a.csv,B=b.csv
    #[arg(long = "qi", value_name = "COLUMN[=HIERARCHY]")]
    quasi: Vec<String>,

    /// A column that must not become certain; those of the job if none is named
    #[arg(long, value_name = "COLUMN,…")]
    sensitive: Vec<String>,

    /// The crowd that the release claims; that of the job, else no claim is judged
    #[arg(long, short, value_name = "K", value_parser = read_k, allow_negative_numbers = true)]
    k: Option<u64>,

    /// What a crowd of K means: k, 1k, k1, kk or global-1k; that of the job, else k
    #[arg(long, value_name = "NOTION", value_parser = read_notion)]
    notion: Option<Notion>,

    /// Exit code 0 even if an adversary succeeds, for those who only look
    #[arg(long)]
    allow: bool,

    /// Prints one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "NUMBER", value_parser = read_threads, allow_negative_numbers = true)]
    threads: Option<usize>,

    #[command(flatten)]
    dialect: DialectArgs,
}

/// Attacks, and says what was found; exit code 1 if an adversary succeeds or a claim does not hold.
pub(crate) fn run(args: AttackArgs, console: &Console) -> Result<Exit> {
    let (json, allow, threads, has_claim) = (args.json, args.allow, args.threads, args.has_claim());
    let (job, sensitive) = args.job()?;
    let found = {
        let progress = console.progress();
        runtime::run(threads, attack(&job, &job.output.path, &sensitive, has_claim, &progress))?
    };
    if json {
        console.data(in_json(&found)?);
    } else {
        console.out(text(&found, job.input == job.output.path));
    }
    let is_bad = found.succeeds || found.holds == Some(false);
    Ok(if is_bad && !allow { Exit::NoRelease } else { Exit::Done })
}

impl AttackArgs {
    /// Whether somebody says what crowd the release has: a job always does.
    fn has_claim(&self) -> bool {
        self.k.is_some() || subject::is_job(&self.subject)
    }

    /// The job that made the release, and the columns that must not become certain.
    fn job(self) -> Result<(Job, Vec<String>)> {
        if self.released.is_none() && !subject::is_job(&self.subject) {
            return Err(EngineError::bad(
                "name the release after the original: throng attack ORIGINAL RELEASED",
            ));
        }
        if let Some(notion) = self.notion.filter(|_| !self.has_claim()) {
            return Err(EngineError::bad(format!(
                "--notion {} is no claim without a k; add -k NUMBER, or leave it out: the largest k of each \
                 notion is found anyway",
                notion.name()
            )));
        }
        let flags = JobFlags {
            output: self.released,
            csv: self.dialect.overrides(),
            quasi: self.quasi,
            k: self.k,
            notion: self.notion,
            ..JobFlags::default()
        };
        let job = pair::job_of(&self.subject, flags)?;
        let of_job = || {
            let named = job.columns.named().filter(|(_, column)| column.role == Role::Sensitive);
            named.map(|(name, _)| name.to_owned()).collect()
        };
        let sensitive = match self.sensitive.is_empty() {
            true => of_job(),
            false => subject::each_column(&self.sensitive, &Source::open(&job.input, &job.csv)?),
        };
        Ok((job, sensitive))
    }
}

fn in_json(found: &AttackSummary) -> Result<String> {
    serde_json::to_string_pretty(found)
        .map_err(|error| EngineError::Data(format!("the attack cannot be written as JSON: {error}").into()))
}

fn text(found: &AttackSummary, is_original: bool) -> String {
    let degree = |notion: Notion| found.degrees.get(notion.name()).and_then(Value::as_u64).unwrap_or(0);
    let rows = Notion::ALL.map(|notion| [notion.text().to_owned(), format!("k = {}", degree(notion))]);
    format!(
        "{}; {}\n{}\n\nLargest k of each notion\n{}\n{}\n{}",
        tables(found, is_original),
        verdict(found),
        success(found),
        align(&rows),
        adversary(found, &found.neighbours, "First adversary: knows everybody's quasi-identifiers"),
        adversary(found, &found.matches, "Second adversary: also knows who is in the table").trim_end(),
    )
}

/// The rows of both tables, as far as they differ.
fn tables(found: &AttackSummary, is_original: bool) -> String {
    let rows = HumanCount(found.rows);
    if is_original {
        return format!("{rows} rows, attacked as if they were published as they are");
    }
    let mut text = format!("{rows} rows");
    if found.released_rows != found.rows {
        text += &format!(", {} released", HumanCount(found.released_rows));
    }
    if found.left_out_rows > 0 {
        text += &format!(", {} of the original fit none", HumanCount(found.left_out_rows));
    }
    if found.stray_rows > 0 {
        let stray = HumanCount(found.stray_rows);
        text += &format!(", {stray} released of nobody (is it a release of this table?)");
    }
    text
}

/// Who succeeds, in one line.
fn success(found: &AttackSummary) -> String {
    let learns = |links: &LinksSummary| {
        let certain = links.certain_rows.iter().filter(|(_, rows)| rows.as_u64() > Some(0));
        let certain: Vec<&str> = certain.map(|(name, _)| name.as_str()).collect();
        let mut learnt = Vec::new();
        if links.rows_below_k > 0 {
            learnt.push(format!("links people to fewer than {} records", found.threshold_k));
        }
        if !certain.is_empty() {
            learnt.push(format!("is certain of {}", certain.join(", ")));
        }
        learnt.join(" and ")
    };
    match (learns(&found.neighbours), learns(&found.matches)) {
        (first, second) if first.is_empty() && second.is_empty() => "no adversary succeeds".to_owned(),
        (first, second) if first == second => format!("THE ATTACK SUCCEEDS: either adversary {first}"),
        (first, second) if first.is_empty() => format!("THE ATTACK SUCCEEDS: the second adversary {second}"),
        (first, second) => format!("THE ATTACK SUCCEEDS: the first adversary {first}; the second {second}"),
    }
}

fn verdict(found: &AttackSummary) -> String {
    let Some(claim) = &found.claim else {
        return "no claim to judge (-k NUMBER makes one)".to_owned();
    };
    let notion = Notion::find(&claim.notion).map_or(claim.notion.as_str(), |notion| notion.text());
    let verdict = if found.holds == Some(true) { "holds" } else { "DOES NOT HOLD" };
    format!("{notion} with k = {} {verdict}", claim.k)
}

fn adversary(found: &AttackSummary, links: &LinksSummary, title: &str) -> String {
    let k = found.threshold_k;
    let certain = if found.claim.is_none() { " (for certain)" } else { "" };
    let mut rows = vec![
        ["fewest records a person is linked to".to_owned(), HumanCount(links.fewest).to_string()],
        [format!("rows linked to fewer than {k}{certain}"), HumanCount(links.rows_below_k).to_string()],
    ];
    if links.rows_below_k > 0 {
        rows.push(["of them the worst".to_owned(), worst_rows(links, k)]);
    }
    for (name, certain) in &links.certain_rows {
        let certain = HumanCount(certain.as_u64().unwrap_or(0)).to_string();
        rows.push([format!("rows whose {name} is certain"), certain]);
    }
    format!("{title}\n{}{}", align(&rows), distribution(links))
}

/// How many original rows are linked to how many released ones.
fn distribution(links: &LinksSummary) -> String {
    let counted = Sizes::counted(links.distribution.iter().map(|(&links, &rows)| (links, rows)));
    // The rows of the original are the classes, their links the size.
    let row = |bucket: &Bucket| (vec![range(bucket), HumanCount(bucket.classes).to_string()], bucket.classes);
    bars(&["linked to", "rows"], &histogram(&counted).iter().map(row).collect::<Vec<_>>())
}

fn worst_rows(links: &LinksSummary, k: u64) -> String {
    let below = links.worst.iter().filter(|worst| worst.links < k);
    let shown = |worst: &WorstRow| {
        let alike = match worst.rows_alike {
            0 => String::new(),
            alike => format!(" and {} alike", HumanCount(alike)),
        };
        format!("row {}{alike} ({})", worst.row, worst.links)
    };
    below.map(shown).collect::<Vec<_>>().join(", ")
}
