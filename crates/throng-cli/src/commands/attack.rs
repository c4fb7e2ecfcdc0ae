//! `throng attack`: what adversaries can link a release to.

use std::path::PathBuf;

use indicatif::HumanCount;
use serde_json::{Map, Value, json};

use throng::attack::{Attack, Links};
use throng::notion::Notion;
use throng_engine::check::{Bucket, Sizes, histogram};
use throng_engine::error::{EngineError, Result};
use throng_engine::job::{Job, JobFlags, Role};
use throng_engine::verify::linkage::Linkage;

use super::anonymize::read_notion;
use super::{pair, subject};
use crate::aligned::align;
use crate::args::{DialectArgs, read_k, read_threads};
use crate::bars::{bars, range};
use crate::console::Console;
use crate::exit::Exit;
use crate::runtime;

/// Rows that are named as the worst.
const WORST: usize = 5;

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
    #[arg(long, value_name = "COLUMN")]
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

/// The crowd below which rows are counted where nothing is claimed: links to one record are certain.
const CERTAIN_BELOW: u64 = 2;

/// Attacks, and says what was found; exit code 1 if there is a claim that does not hold.
pub(crate) fn run(args: AttackArgs, console: &Console) -> Result<Exit> {
    let (json, threads, has_claim) = (args.json, args.threads, args.has_claim());
    let (job, sensitive) = args.job()?;
    let linkage = {
        let progress = console.progress();
        let released = job.output.path.clone();
        runtime::run(threads, Linkage::read(&job, &released, &sensitive, &progress))?
    };
    let attack = linkage.attack();
    let claim = has_claim.then_some(attack.claim);
    if json {
        console.out(in_json(&linkage, &attack, claim));
    } else {
        console.out(text(&linkage, &attack, claim));
    }
    Ok(if claim.is_none() || attack.holds { Exit::Done } else { Exit::NoRelease })
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
        let sensitive = if self.sensitive.is_empty() { of_job() } else { self.sensitive };
        Ok((job, sensitive))
    }
}

/// A notion and its k.
type Claim = (Notion, u64);

fn text(linkage: &Linkage, attack: &Attack, claim: Option<Claim>) -> String {
    let degrees = attack.degrees;
    let rows = Notion::ALL.map(|notion| [notion.text().to_owned(), format!("k = {}", degrees.of(notion))]);
    let of = |links: &Links, title: &str| adversary(linkage, links, claim, title);
    format!(
        "{} rows; {}\n\nLargest k of each notion\n{}\n{}\n{}",
        HumanCount(linkage.rows()),
        verdict(attack, claim),
        align(&rows),
        of(&attack.neighbours, "First adversary: knows everybody's quasi-identifiers"),
        of(&attack.matches, "Second adversary: also knows who is in the table").trim_end(),
    )
}

fn verdict(attack: &Attack, claim: Option<Claim>) -> String {
    let Some((notion, k)) = claim else {
        return "no claim to judge (-k NUMBER makes one)".to_owned();
    };
    let verdict = if attack.holds { "holds" } else { "DOES NOT HOLD" };
    format!("{} with k = {k} {verdict}", notion.text())
}

/// The crowd below which rows are counted.
fn threshold(claim: Option<Claim>) -> u64 {
    claim.map_or(CERTAIN_BELOW, |(_, k)| k)
}

fn adversary(linkage: &Linkage, links: &Links, claim: Option<Claim>, title: &str) -> String {
    let k = threshold(claim);
    let certain = if claim.is_none() { " (for certain)" } else { "" };
    let mut rows = vec![
        ["fewest records a person is linked to".to_owned(), HumanCount(links.fewest()).to_string()],
        [format!("rows linked to fewer than {k}{certain}"), HumanCount(links.rows_below(k)).to_string()],
        ["of them the worst".to_owned(), worst_rows(linkage, links, k)],
    ];
    if links.rows_below(k) == 0 {
        rows.pop();
    }
    for (name, certain) in linkage.sensitive().zip(&links.certain_rows) {
        rows.push([format!("rows whose {name} is certain"), HumanCount(*certain).to_string()]);
    }
    format!("{title}\n{}{}", align(&rows), distribution(links))
}

/// How many original rows are linked to how many released ones.
fn distribution(links: &Links) -> String {
    let counted = Sizes::counted(links.distribution.iter().map(|(&links, &rows)| (links, rows)));
    // The rows of the original are the classes, their links the size.
    let row = |bucket: &Bucket| (vec![range(bucket), HumanCount(bucket.classes).to_string()], bucket.classes);
    bars(&["linked to", "rows"], &histogram(&counted).iter().map(row).collect::<Vec<_>>())
}

fn worst_rows(linkage: &Linkage, links: &Links, k: u64) -> String {
    let below = links.worst(WORST).into_iter().filter(|&tuple| links.rows[tuple] < k);
    let shown = |tuple: usize| {
        let alike = match linkage.rows_alike(tuple) {
            0 => String::new(),
            alike => format!(" and {} alike", HumanCount(alike)),
        };
        format!("row {}{alike} ({})", linkage.first_row(tuple), links.rows[tuple])
    };
    below.map(shown).collect::<Vec<_>>().join(", ")
}

fn in_json(linkage: &Linkage, attack: &Attack, claim: Option<Claim>) -> String {
    let degrees: Map<String, Value> =
        Notion::ALL.iter().map(|&n| (n.name().to_owned(), json!(attack.degrees.of(n)))).collect();
    let whole = json!({
        "rows": linkage.rows(),
        "claim": claim.map(|(notion, k)| json!({ "notion": notion.name(), "k": k })),
        "holds": claim.map(|_| attack.holds),
        "threshold_k": threshold(claim),
        "degrees": degrees,
        "neighbours": links_in_json(linkage, &attack.neighbours, threshold(claim)),
        "matches": links_in_json(linkage, &attack.matches, threshold(claim)),
    });
    format!("{whole:#}")
}

fn links_in_json(linkage: &Linkage, links: &Links, k: u64) -> Value {
    let certain: Map<String, Value> = linkage
        .sensitive()
        .zip(&links.certain_rows)
        .map(|(name, &rows)| (name.to_owned(), json!(rows)))
        .collect();
    let worst = |tuple: usize| {
        json!({
            "row": linkage.first_row(tuple),
            "rows_alike": linkage.rows_alike(tuple),
            "links": links.rows[tuple],
        })
    };
    json!({
        "fewest": links.fewest(),
        "rows_below_k": links.rows_below(k),
        "distribution": links.distribution,
        "worst": links.worst(WORST).into_iter().map(worst).collect::<Vec<_>>(),
        "certain_rows": certain,
    })
}
