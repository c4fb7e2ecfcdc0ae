//! `throng attack`: what adversaries can link a release to.

use std::path::PathBuf;

use indicatif::HumanCount;
use serde_json::{Map, Value, json};

use throng::attack::{Attack, Links};
use throng::notion::Notion;
use throng_engine::check::{Bucket, Sizes, histogram};
use throng_engine::error::{EngineError, Result};
use throng_engine::job::{Job, JobFlags, Role};
use throng_engine::linkage::Linkage;

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

    /// The crowd that the release claims
    #[arg(long, short, value_name = "K", value_parser = read_k, allow_negative_numbers = true)]
    k: Option<u64>,

    /// What a crowd of K means: k, 1k, k1, kk or global-1k
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

/// Attacks, and says what was found; exit code 1 if the claim does not hold.
pub(crate) fn run(args: AttackArgs, console: &Console) -> Result<Exit> {
    let (json, threads) = (args.json, args.threads);
    let (job, sensitive) = args.job()?;
    let linkage = {
        let progress = console.progress();
        let released = job.output.path.clone();
        runtime::run(threads, Linkage::read(&job, &released, &sensitive, &progress))?
    };
    let attack = linkage.attack();
    if json {
        console.out(in_json(&linkage, &attack));
    } else {
        console.out(text(&linkage, &attack));
    }
    Ok(if attack.holds { Exit::Done } else { Exit::NoRelease })
}

impl AttackArgs {
    /// The job that made the release, and the columns that must not become certain.
    fn job(self) -> Result<(Job, Vec<String>)> {
        if self.released.is_none() && !subject::is_job(&self.subject) {
            return Err(EngineError::bad(
                "name the release after the original: throng attack ORIGINAL RELEASED",
            ));
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

fn text(linkage: &Linkage, attack: &Attack) -> String {
    let (notion, k) = attack.claim;
    let verdict = if attack.holds { "holds" } else { "DOES NOT HOLD" };
    let degrees = attack.degrees;
    let rows = Notion::ALL.map(|notion| [notion.text().to_owned(), format!("k = {}", degrees.of(notion))]);
    format!(
        "{} rows; {} with k = {k} {verdict}\n\nLargest k of each notion\n{}\n{}\n{}",
        HumanCount(linkage.rows()),
        notion.text(),
        align(&rows),
        adversary(linkage, &attack.neighbours, k, "First adversary: knows everybody's quasi-identifiers"),
        adversary(linkage, &attack.matches, k, "Second adversary: also knows who is in the table").trim_end(),
    )
}

fn adversary(linkage: &Linkage, links: &Links, k: u64, title: &str) -> String {
    let mut rows = vec![
        ["fewest records a person is linked to".to_owned(), HumanCount(links.fewest()).to_string()],
        [format!("rows linked to fewer than {k}"), HumanCount(links.rows_below(k)).to_string()],
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
    let rows: Vec<String> =
        below.map(|tuple| format!("row {} ({})", linkage.first_row(tuple), links.rows[tuple])).collect();
    rows.join(", ")
}

fn in_json(linkage: &Linkage, attack: &Attack) -> String {
    let (notion, k) = attack.claim;
    let degrees: Map<String, Value> =
        Notion::ALL.iter().map(|&n| (n.name().to_owned(), json!(attack.degrees.of(n)))).collect();
    let links = |links: &Links| {
        let certain: Map<String, Value> = linkage
            .sensitive()
            .zip(&links.certain_rows)
            .map(|(name, &rows)| (name.to_owned(), json!(rows)))
            .collect();
        let worst: Vec<Value> = links
            .worst(WORST)
            .into_iter()
            .map(|tuple| json!({ "row": linkage.first_row(tuple), "links": links.rows[tuple] }))
            .collect();
        json!({
            "fewest": links.fewest(),
            "rows_below_k": links.rows_below(k),
            "distribution": links.distribution,
            "worst": worst,
            "certain_rows": certain,
        })
    };
    let whole = json!({
        "rows": linkage.rows(),
        "claim": { "notion": notion.name(), "k": k },
        "holds": attack.holds,
        "degrees": degrees,
        "neighbours": links(&attack.neighbours),
        "matches": links(&attack.matches),
    });
    format!("{whole:#}")
}
