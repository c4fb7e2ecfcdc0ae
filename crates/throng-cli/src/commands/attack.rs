//! `throng attack`: what adversaries can link a release to.

mod control;

use std::path::PathBuf;

use indicatif::HumanCount;
use serde_json::Value;

use throng::notion::Notion;
use throng_engine::check::{Bucket, Sizes, histogram};
use throng_engine::error::{EngineError, Result};
use throng_engine::job::{JobFlags, NO_PERSON, Role};
use throng_engine::plan::OpenJob;
use throng_engine::summary::Judgement;
use throng_engine::tables::Tables;
use throng_engine::verify::attack::control::{ATTACKS, Control, measure};
use throng_engine::verify::attack::{
    AttackSummary, InformedSummary, KnownValues, LinksSummary, WorstRow, attack,
};

use super::anonymize::read_notion;
use super::{pair, subject};
use crate::aligned::align;
use crate::args::{DialectArgs, read_at_least, read_k, read_seed, read_threads};
use crate::bars::{bars, range};
use crate::console::Console;
use crate::exit::Exit;
use crate::runtime;

const EXAMPLES: &str = "Examples:
  throng attack hospital.toml
  throng attack hospital.csv release.csv --qi age=age.csv --qi sex --sensitive diagnosis -k 5 --notion kk
  throng attack hospital.toml --known diagnosis=0.1
  throng attack hospital.toml --control others.csv";

/// Attacks a release: to how many records can adversaries link each person?
///
/// The first adversary knows everyone's quasi-identifiers; the second also knows exactly who is in the table;
/// the third, whom --known adds, also knows a sensitive value of some people. Rows may have been left out or
/// shuffled: the attack uses nothing but the two tables. Unless you give --allow, the exit code is 1 if an
/// adversary links someone to fewer than K records or learns a sensitive value for certain, or if the claim does
/// not hold or cannot be judged.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AttackArgs {
    /// A job file (.toml), or the original table
    #[arg(value_name = "JOB|ORIGINAL")]
    subject: PathBuf,

    /// The release; by default that of the job
    #[arg(value_name = "RELEASED")]
    released: Option<PathBuf>,

    /// A quasi-identifier and its hierarchy, as for anonymize. For several: A=a.csv,B=b.csv
    #[arg(long = "qi", value_name = "COLUMN[=HIERARCHY]")]
    quasi: Vec<String>,

    /// A column whose values must not become certain; by default those of the job
    #[arg(long, value_name = "COLUMN,…")]
    sensitive: Vec<String>,

    /// The size of the crowd that the release claims; by default that of the job. Without either, no claim is
    /// judged
    #[arg(long, short, value_name = "K", value_parser = read_k, allow_negative_numbers = true)]
    k: Option<u64>,

    /// What a crowd of K means: k, 1k, k1, kk or global-1k; by default that of the job, or k
    #[arg(long, value_name = "NOTION", value_parser = read_notion)]
    notion: Option<Notion>,

    /// The column of the original that says whose row it is. The claim is then judged by persons instead of rows; 'none'
    /// if each row belongs to a different person
    #[arg(long, value_name = "COLUMN")]
    person: Option<String>,

    /// A sensitive column, and how many people's values a third adversary knows: 0.1 or 10%, or a number
    /// of rows (20)
    #[arg(long, value_name = "COLUMN=SHARE")]
    known: Option<String>,

    /// A table of similar people who are not in the original: measures how much more attacks (singling
    /// out, linkability, inference, membership) learn about the people in the table than about these
    #[arg(long, value_name = "TABLE")]
    control: Option<PathBuf>,

    /// With --control: how many attacks of each kind; by default 2000
    #[arg(long, value_name = "NUMBER", value_parser = read_at_least::<1>, allow_negative_numbers = true, requires = "control")]
    attacks: Option<u64>,

    /// The seed that decides whose values the third adversary knows, and who is attacked with --control
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = read_seed, allow_negative_numbers = true)]
    seed: u64,

    /// Ends with exit code 0 even if an adversary succeeds
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
    let known = args.known.as_deref().map(|flag| KnownValues::read(flag, args.seed)).transpose()?;
    let control = args.control.as_ref().map(|table| Control {
        table: table.into(),
        attacks: args.attacks.unwrap_or(ATTACKS),
        seed: args.seed,
    });
    let (opened, sensitive) = args.open(console.tables())?;
    let released = opened.job.output.path()?;
    let found = {
        let progress = console.progress();
        let attacked = async {
            let known = known.as_ref();
            let mut found = attack(&opened, released, &sensitive, has_claim, known, &progress).await?;
            if let Some(control) = &control {
                found.control = Some(measure(&opened, released, &sensitive, control, &progress).await?);
            }
            Ok(found)
        };
        runtime::run(threads, attacked)?
    };
    if json {
        console.data(in_json(&found)?);
    } else {
        console.out(text(&found, opened.job.input == *released));
    }
    let is_bad = found.succeeds || found.verdict.is_some_and(|verdict| verdict != Judgement::Holds);
    Ok(if is_bad && !allow { Exit::NoRelease } else { Exit::Done })
}

impl AttackArgs {
    /// Whether somebody says what crowd the release has: a job always does.
    fn has_claim(&self) -> bool {
        self.k.is_some() || subject::is_job(&self.subject)
    }

    /// The job that made the release, with its table, and the columns that must not become certain.
    fn open(self, tables: &Tables) -> Result<(OpenJob, Vec<String>)> {
        if self.released.is_none() && !subject::is_job(&self.subject) {
            return Err(EngineError::bad(
                "give the release after the original: throng attack ORIGINAL RELEASED",
            ));
        }
        if let Some(notion) = self.notion.filter(|_| !self.has_claim()) {
            return Err(EngineError::bad((
                format!("--notion {} makes a claim only with a k", notion.name()),
                "add -k NUMBER, or leave --notion out: the largest k of each notion is shown anyway",
            )));
        }
        // A job says itself what its columns are; of a table, the release need not have the column.
        let identifier =
            self.person.iter().filter(|name| *name != NO_PERSON && !subject::is_job(&self.subject));
        let flags = JobFlags {
            output: self.released,
            csv: self.dialect.overrides(),
            quasi: self.quasi,
            identifier: identifier.cloned().collect(),
            k: self.k,
            notion: self.notion,
            person: self.person,
            ..JobFlags::default()
        };
        let opened = OpenJob::of_tables(&pair::job_of(&self.subject, flags, tables)?)?;
        let of_job = || {
            let named = opened.job.columns.named().filter(|(_, column)| column.role == Role::Sensitive);
            named.map(|(name, _)| name.to_owned()).collect()
        };
        let sensitive = match self.sensitive.is_empty() {
            true => of_job(),
            false => subject::each_column(&self.sensitive, &opened.source),
        };
        Ok((opened, sensitive))
    }
}

fn in_json(found: &AttackSummary) -> Result<String> {
    serde_json::to_string_pretty(found)
        .map_err(|error| EngineError::Data(format!("cannot write the attack as JSON: {error}").into()))
}

fn text(found: &AttackSummary, is_original: bool) -> String {
    let degree = |notion: Notion| found.degrees.get(notion.name()).and_then(Value::as_u64).unwrap_or(0);
    let rows = Notion::ALL.map(|notion| [notion.text().to_owned(), format!("k = {}", degree(notion))]);
    let mut adversaries = vec![
        adversary(found, &found.neighbours, "First adversary: knows everybody's quasi-identifiers"),
        adversary(found, &found.matches, "Second adversary: also knows who is in the table"),
    ];
    adversaries.extend(found.informed.as_ref().map(|informed| third(found, informed)));
    let control = found.control.as_ref().map(|found| format!("\n\n{}", control::text(found)));
    format!(
        "{}; {}\n{}\n\nLargest k of each notion\n{}\n{}{}",
        tables(found, is_original),
        verdict(found),
        success(found),
        align(&rows),
        adversaries.join("\n").trim_end(),
        control.unwrap_or_default(),
    )
}

fn third(found: &AttackSummary, informed: &InformedSummary) -> String {
    let people = if informed.known_rows == 1 { "person" } else { "people" };
    let known = HumanCount(informed.known_rows);
    let title = format!(
        "Third adversary: also knows {} of {known} {people}, and attacks the others",
        informed.column
    );
    adversary(found, &informed.links, &title)
}

/// The rows of both tables, as far as they differ.
fn tables(found: &AttackSummary, is_original: bool) -> String {
    let rows = HumanCount(found.rows);
    if is_original {
        return format!("{rows} rows, attacked as if they were published unchanged");
    }
    let mut text = format!("{rows} rows");
    if found.released_rows != found.rows {
        text += &format!(", {} released", HumanCount(found.released_rows));
    }
    if found.left_out_rows > 0 {
        text += &format!(", {} of the original match no released row", HumanCount(found.left_out_rows));
    }
    if found.stray_rows > 0 {
        let stray = HumanCount(found.stray_rows);
        text += &format!(", {stray} released rows match nobody (is this a release of that table?)");
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
            learnt.push(format!("learns {} for certain", certain.join(", ")));
        }
        learnt.join(" and ")
    };
    let third = found.informed.as_ref().map(|informed| learns(&informed.links)).unwrap_or_default();
    let first_two = match (learns(&found.neighbours), learns(&found.matches)) {
        (first, second) if first.is_empty() && second.is_empty() => String::new(),
        (first, second) if first == second && third.is_empty() => format!("either adversary {first}"),
        (first, second) if first == second => format!("each of the first two adversaries {first}"),
        (first, second) if first.is_empty() => format!("the second adversary {second}"),
        (first, second) => format!("the first adversary {first}; the second {second}"),
    };
    match (first_two.is_empty(), third.is_empty()) {
        (true, true) => "no adversary succeeds".to_owned(),
        (false, true) => format!("THE ATTACK SUCCEEDS: {first_two}"),
        (true, false) => format!("THE ATTACK SUCCEEDS: the third adversary {third}"),
        (false, false) => format!("THE ATTACK SUCCEEDS: {first_two}; the third adversary {third}"),
    }
}

fn verdict(found: &AttackSummary) -> String {
    let Some(claim) = &found.claim else {
        return "there is no claim to judge (-k NUMBER makes one)".to_owned();
    };
    let notion = Notion::find(&claim.notion).map_or(claim.notion.as_str(), |notion| notion.text());
    let verdict = match found.holds {
        Some(true) => "holds",
        Some(false) => "DOES NOT HOLD",
        None => "is NOT JUDGED",
    };
    let persons = found.persons.as_ref().map(|persons| {
        let fewest = match (persons.at_least, persons.at_most) {
            (least, most) if least == most => HumanCount(least).to_string(),
            (least, most) => format!("{} to {}", HumanCount(least), HumanCount(most)),
        };
        format!(" (the class with the fewest persons, counted by {}, has {fewest})", persons.column)
    });
    format!("{notion} with k = {} {verdict}{}", claim.k, persons.unwrap_or_default())
}

fn adversary(found: &AttackSummary, links: &LinksSummary, title: &str) -> String {
    let k = found.threshold_k;
    let certain = if found.claim.is_none() { " (for certain)" } else { "" };
    let mut rows = vec![
        ["fewest records a person is linked to".to_owned(), HumanCount(links.fewest).to_string()],
        [format!("rows linked to fewer than {k}{certain}"), HumanCount(links.rows_below_k).to_string()],
    ];
    if links.rows_below_k > 0 {
        rows.push(["the worst of them".to_owned(), worst_rows(links, k)]);
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
