//! `throng attack`: what adversaries can link a release to.

use std::path::PathBuf;

use indicatif::HumanCount;
use serde_json::Value;

use throng::notion::Notion;
use throng_engine::check::{Bucket, Sizes, histogram};
use throng_engine::error::{EngineError, Result};
use throng_engine::input::source::Source;
use throng_engine::job::{Job, JobFlags, Role};
use throng_engine::verify::attack::{AttackSummary, LinksSummary, WorstRow};
use throng_engine::verify::linkage::Linkage;

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
/// the table. The rows of the release must be those of the original, in the same order.
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

    /// Prints one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "NUMBER", value_parser = read_threads, allow_negative_numbers = true)]
    threads: Option<usize>,

    #[command(flatten)]
    dialect: DialectArgs,
}

/// Attacks, and says what was found; exit code 1 if there is a claim that does not hold.
pub(crate) fn run(args: AttackArgs, console: &Console) -> Result<Exit> {
    let (json, threads, has_claim) = (args.json, args.threads, args.has_claim());
    let (job, sensitive) = args.job()?;
    let linkage = {
        let progress = console.progress();
        let released = job.output.path.clone();
        runtime::run(threads, Linkage::read(&job, &released, &sensitive, &progress))?
    };
    let found = AttackSummary::new(&linkage, &linkage.attack(), has_claim);
    if json {
        console.data(in_json(&found)?);
    } else {
        console.out(text(&found));
    }
    Ok(if found.holds == Some(false) { Exit::NoRelease } else { Exit::Done })
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

fn text(found: &AttackSummary) -> String {
    let degree = |notion: Notion| found.degrees.get(notion.name()).and_then(Value::as_u64).unwrap_or(0);
    let rows = Notion::ALL.map(|notion| [notion.text().to_owned(), format!("k = {}", degree(notion))]);
    format!(
        "{} rows; {}\n\nLargest k of each notion\n{}\n{}\n{}",
        HumanCount(found.rows),
        verdict(found),
        align(&rows),
        adversary(found, &found.neighbours, "First adversary: knows everybody's quasi-identifiers"),
        adversary(found, &found.matches, "Second adversary: also knows who is in the table").trim_end(),
    )
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
