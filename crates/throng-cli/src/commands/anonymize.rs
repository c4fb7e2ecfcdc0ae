//! `throng anonymize`: from a table to a verified release.

use std::path::{Path, PathBuf};
use std::time::Duration;

use throng::loss::{Mean, Preference};
use throng::notion::Notion;
use throng_engine::address::Address;
use throng_engine::error::{EngineError, Result};
use throng_engine::frontier::FrontierSummary;
use throng_engine::hash::sha256;
use throng_engine::job::{self, Job, JobFlags, Require, Role, Suppression, TlsFiles};
use throng_engine::memory::ByteSize;
use throng_engine::output::sink::{Made, refuse_same_file, write_text_of};
use throng_engine::pipeline::{self, ChosenRelease, Levels};
use throng_engine::pseudonym::PseudonymKey;
use throng_engine::summary::Summary;
use throng_engine::tables::Tables;

use super::report::{self, refuse_target};
use super::subject::{is_job, job_of_file, job_of_table};
use super::targets::refuse_one_place;
use crate::args::COMMIT;
use crate::args::{
    DialectArgs, KeyArgs, OutputArgs, SettingArgs, read_at_least, read_k, read_mean, read_preference,
    read_seed, read_threads,
};
use crate::console::Console;
use crate::exit::Exit;
use crate::log::LogLevel;
use crate::runtime;

const EXAMPLES: &str = "Examples:
  throng anonymize hospital.toml -k 10
  throng anonymize data.csv --qi age=age.csv --qi zip=mask:right --qi sex \\
      --identifier name --sensitive diagnosis -k 5 --suppression 2% -o out.csv
  throng frontier hospital.toml --save front.json
  throng anonymize hospital.toml --frontier front.json --pick 3
  throng anonymize hospital.toml --node age=2,sex=0,zip=3";

/// Makes a table safe to publish, verifies the release and shows what it cost
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AnonymizeArgs {
    /// A job file (.toml), or a table: a file (.csv, .tsv, .jsonl, also with .gz or .zst; .parquet, .arrow; - for
    /// standard input), a directory of files, or a pattern such as '2024-*/*.parquet'
    #[arg(value_name = "JOB|DATA")]
    subject: PathBuf,

    /// Where to write the release. The name decides the format (- or -.parquet for standard output); a
    /// name that ends in / is a directory of parts
    #[arg(long, short, value_name = "FILE", value_parser = read_output, allow_hyphen_values = true)]
    output: Option<PathBuf>,

    /// Also writes a report on the release, as a single HTML file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Adds to the report what each column costs: searches again without it, and with a finer hierarchy for
    /// it, for at most this long
    #[arg(long, value_name = "SECONDS", value_parser = read_at_least::<1>, requires = "report", allow_negative_numbers = true)]
    what_if: Option<u64>,

    /// Prints one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// Writes the summary to a file. By default it goes to standard output, or to standard error if the
    /// release goes there
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,

    /// Saves the recoding for later deliveries of the same table: see `throng apply`. The release of a local
    /// recoding then follows the saved classes alone
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    #[command(flatten)]
    columns: ColumnArgs,

    #[command(flatten)]
    release: ReleaseArgs,

    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    levels: LevelArgs,

    #[command(flatten)]
    dialect: DialectArgs,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Columns")]
pub(super) struct ColumnArgs {
    /// A quasi-identifier, generalised by a file, mask:right, intervals:5,10, dates:month,year, auto, or
    /// (local algorithms) range, set or prefix. For several: --qi A --qi B or --qi A,B=b.csv
    #[arg(long = "qi", value_name = "COLUMN[=HIERARCHY]")]
    quasi: Vec<String>,

    /// The date format of a quasi-identifier with dates:… or range; may be repeated
    #[arg(long, value_name = "COLUMN=FORMAT")]
    date_format: Vec<String>,

    /// What to do with values that a hierarchy lacks: error, or top (release them as *); may be repeated
    #[arg(long, value_name = "COLUMN=WAY")]
    unknown: Vec<String>,

    /// keep: releases free text exactly as people typed it; may be repeated
    #[arg(long, value_name = "COLUMN=WAY")]
    text: Vec<String>,

    /// The separator in hierarchy files, if throng should not guess it: ; , or tab
    #[arg(long, value_name = "CHARACTER")]
    hierarchy_separator: Option<String>,

    /// A column that names people: left out
    #[arg(long, value_name = "COLUMN,…")]
    identifier: Vec<String>,

    /// A column that names people: replaced by a keyed hash, so a person's rows stay linkable
    #[arg(long, value_name = "COLUMN,…")]
    pseudonym: Vec<String>,

    /// A column whose value nobody should learn about a person: kept
    #[arg(long, value_name = "COLUMN,…")]
    sensitive: Vec<String>,

    /// A class label: kept
    #[arg(long, value_name = "COLUMN,…")]
    target: Vec<String>,

    /// A column to keep as it is
    #[arg(long, value_name = "COLUMN,…")]
    other: Vec<String>,

    /// The role of all other columns: other (kept) or identifier (left out)
    #[arg(long, value_name = "ROLE")]
    rest: Option<Role>,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Release")]
pub(super) struct ReleaseArgs {
    /// Every row shares its quasi-identifiers with at least K - 1 others
    #[arg(long, short, value_name = "K", value_parser = read_k, allow_hyphen_values = true)]
    k: Option<u64>,

    /// What a crowd of K means: k, 1k, k1, kk or global-1k
    #[arg(long, value_name = "NOTION", value_parser = read_notion)]
    notion: Option<Notion>,

    /// The identifier column that says whose row it is. Persons are then counted instead of rows; 'none'
    /// if each row belongs to a different person
    #[arg(long, value_name = "COLUMN")]
    person: Option<String>,

    /// What else must hold, such as distinct-l:l=3,column=diagnosis,shield=age+sex; may be repeated. See
    /// `throng algorithms` for the models
    #[arg(long, value_name = "MODEL:KEY=VALUE,...")]
    require: Vec<Require>,

    #[command(flatten)]
    key: KeyArgs,

    /// How many rows may be left out to achieve that: a share (0.02 or 2%) or a number ('1 row', 100)
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true)]
    suppression: Option<Suppression>,

    #[command(flatten)]
    written: OutputArgs,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Search")]
pub(super) struct SearchArgs {
    /// The search; see `throng algorithms`
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,

    /// The loss to minimise; see `throng algorithms`
    #[arg(long, value_name = "NAME")]
    measure: Option<String>,

    /// The mean of what columns lose, in measures that are sums over columns: arithmetic, geometric or largest
    #[arg(long, value_name = "NAME", value_parser = read_mean)]
    mean: Option<Mean>,

    /// What costs more, from 0 (suppressed rows cost nothing) to 1 (generalised cells cost nothing); 0.5 for
    /// neither
    #[arg(long, value_name = "NUMBER", value_parser = read_preference, allow_negative_numbers = true)]
    suppress_or_generalise: Option<Preference>,

    #[command(flatten)]
    settings: SettingArgs,

    /// The seed of all random choices
    #[arg(long, value_name = "NUMBER", value_parser = read_seed, allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Takes the best release found within this many seconds
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    time_limit: Option<f64>,

    /// Also releases a table without rows, or one with nothing left in it if the time limit allowed no
    /// better
    #[arg(long)]
    accept_any: bool,

    /// Generalises this release further, instead of starting from the table (expansion, nearest)
    #[arg(long, value_name = "RELEASE")]
    start: Option<PathBuf>,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "NUMBER", value_parser = read_threads, allow_negative_numbers = true)]
    threads: Option<usize>,

    /// Refuses tables whose values and distinct tuples take more memory than this, such as 2GiB
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    memory_limit: Option<ByteSize>,

    /// The cluster that counts the table and writes the release: df://HOST:PORT
    #[arg(long, value_name = "ADDRESS")]
    cluster: Option<String>,

    /// Certificates for the cluster: the authority's, the client's, and the client's key
    #[arg(long, value_name = "CA,CERT,KEY", value_parser = read_tls)]
    cluster_tls: Option<TlsFiles>,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Levels instead of a search")]
pub(super) struct LevelArgs {
    /// Releases these levels if they satisfy the job: one for each quasi-identifier, in the order of the
    /// job (2,0,1) or by name (age=2,sex=0,zip=1). The k that `throng frontier` shows is what the levels
    /// reach, not what the job asks for
    #[arg(long, value_name = "LEVELS", conflicts_with_all = ["algorithm", "frontier", "pick"])]
    node: Option<Levels>,

    /// A frontier that `throng frontier JOB --save FILE` wrote
    #[arg(long, value_name = "FILE", requires = "pick")]
    frontier: Option<PathBuf>,

    /// Releases the point with this number on the frontier. It must reach its own k, or that of -k, and
    /// satisfy everything else that the job requires
    #[arg(long, value_name = "NUMBER", requires = "frontier", conflicts_with = "algorithm")]
    pick: Option<usize>,
}

impl ReleaseArgs {
    /// Whether a flag asks for a k.
    pub(super) fn asks_k(&self) -> bool {
        self.k.is_some()
    }
}

impl LevelArgs {
    /// What was chosen; `asks_k` if a flag asks for a k.
    pub(super) fn choice(&self, asks_k: bool) -> Result<Option<ChosenRelease>> {
        if let Some(levels) = &self.node {
            return Ok(Some(ChosenRelease::Levels(levels.clone())));
        }
        let Some((file, number)) = self.frontier.as_ref().zip(self.pick) else { return Ok(None) };
        let frontier = Box::new(FrontierSummary::read(file)?);
        Ok(Some(ChosenRelease::Point { frontier, number, own_k: !asks_k }))
    }
}

/// The three files of a flag.
fn read_tls(text: &str) -> std::result::Result<TlsFiles, String> {
    match <[PathBuf; 3]>::try_from(text.split(',').map(PathBuf::from).collect::<Vec<_>>()) {
        Ok([ca, cert, key]) => Ok(TlsFiles { ca, cert, key }),
        Err(_) => {
            Err("three files separated by commas: the authority's certificate, the client's certificate \
                 and the client's key"
                .to_owned())
        }
    }
}

/// The notion of a flag.
pub(super) fn read_notion(name: &str) -> std::result::Result<Notion, String> {
    job::parse_notion(name).map_err(|error| error.to_string())
}

/// A file, or standard output; a flag is none.
pub(super) fn read_output(text: &str) -> std::result::Result<PathBuf, String> {
    let is_file = !text.starts_with('-') || matches!(Address::of_target(text), Address::Stdio(_));
    if is_file {
        Ok(text.into())
    } else {
        Err(format!("if the name of a file begins with -, write ./{text}"))
    }
}

/// Runs the job and reports.
pub(crate) fn run(args: AnonymizeArgs, console: &Console) -> Result<Exit> {
    let json = args.json;
    let (key, page) = (args.release.key.clone(), args.report.clone());
    let what_if = args.what_if.map(Duration::from_secs);
    let summary_file = args.summary.clone();
    let subject = args.subject.clone();
    let choice = args.levels.choice(args.release.asks_k())?;
    let mut job = args.job(console.tables())?;
    let key = key.find(&job)?;
    let output = job.output.path()?.clone();
    if let Address::Stdio(_) = output {
        console.leave_standard_output();
        if page.is_some() {
            return Err(EngineError::bad((
                "--report needs a release that is written to a file",
                "this one goes to standard output",
            )));
        }
    }
    if let Some(file) = &summary_file {
        refuse_same_file(&subject, file)?;
        refuse_target(&job, file, Made::Summary)?;
    }
    if let Some(page) = &page {
        refuse_same_file(&subject, page)?;
        refuse_target(&job, page, Made::Page)?;
    }
    if let Some(recoding) = &job.output.recoding {
        refuse_same_file(&subject, recoding)?;
    }
    refuse_one_place(&[
        ("the release", Some(&output)),
        ("--save", job.output.recoding.as_deref()),
        ("--summary", summary_file.as_deref()),
        ("--report", page.as_deref()),
        ("--log", console.log_file()),
    ])?;
    let mut summary = match &choice {
        Some(choice) => {
            let progress = console.progress();
            let work = pipeline::release_chosen(&job, choice, key.as_ref(), &progress);
            runtime::run(job.search.threads, work)?
        }
        None => anonymize(&job, key.as_ref(), console)?,
    };
    tell_origin(&mut summary, &subject)?;
    log(&summary, console);
    let asked = job.clone();
    // What was chosen is no algorithm of the job.
    summary.algorithm.clone_into(&mut job.search.algorithm);
    let text = if json {
        serde_json::to_string_pretty(&summary)
            .map_err(|error| EngineError::Data(format!("the report cannot be written: {error}").into()))?
    } else {
        crate::report::text(&job, &summary)
    };
    match summary_file {
        Some(file) => write_text_of(&job.input, &file, Made::Summary, &format!("{text}\n"))?,
        None if json => console.data(text),
        None => console.out(text),
    }
    // The summary comes first: the release is there, whatever becomes of the page about it.
    if let Some(page) = page.filter(|_| summary.output.is_some()) {
        if summary.suppressed_rows - summary.masked_rows == summary.rows {
            console.note("there is no report: the release has no rows");
            return Ok(exit_of(&summary));
        }
        let about = ReportContext { choice: choice.as_ref(), summary: &summary, what_if };
        write_page(asked, &about, &page, console)?;
        if !json {
            console.out(format_args!("\nReport: {}", page.display()));
        }
    }
    Ok(exit_of(&summary))
}

/// Logs what was found: counts and levels, by which no cell can be told.
pub(super) fn log(summary: &Summary, console: &Console) {
    let Summary { rows, suppressed_rows, search, .. } = summary;
    console.log(LogLevel::Info, format_args!("{rows} rows, {} distinct tuples", search.distinct_tuples));
    console
        .log(LogLevel::Info, format_args!("{} nodes checked by {}", search.checked_nodes, summary.algorithm));
    if let Some(levels) = &summary.levels {
        let levels: Vec<String> = levels.iter().map(|(column, level)| format!("{column}={level}")).collect();
        console.log(LogLevel::Info, format_args!("chosen: {}", levels.join(", ")));
    }
    summary.warnings.iter().for_each(|warning| console.log(LogLevel::Warn, warning));
    match &summary.output {
        Some(output) => {
            console.log(LogLevel::Info, format_args!("released {output}, {suppressed_rows} rows suppressed"))
        }
        None => console.log(LogLevel::Warn, "nothing was released"),
    }
}

/// What a page is about beside the job.
struct ReportContext<'a> {
    choice: Option<&'a ChosenRelease>,
    summary: &'a Summary,
    what_if: Option<Duration>,
}

/// The page about a release; a point of a front is judged by its own k.
fn write_page(mut job: Job, about: &ReportContext<'_>, page: &Path, console: &Console) -> Result<()> {
    let chosen = about.choice.map(|choice| choice.job(&job)).transpose()?;
    job.privacy.k = chosen.map_or(job.privacy.k, |chosen| chosen.privacy.k);
    report::write(&job, Some(about.summary), page, about.what_if, console).map(|_| ())
}

/// Adds to a report what only the program knows of its origin.
pub(super) fn tell_origin(summary: &mut Summary, subject: &Path) -> Result<()> {
    summary.provenance.commit = COMMIT.map(str::to_owned);
    if is_job(subject) {
        let failed = |cause| EngineError::Io { path: subject.to_owned(), action: "cannot read", cause };
        summary.provenance.job_sha256 = Some(sha256(subject).map_err(failed)?);
    }
    Ok(())
}

/// Runs a job, with progress on a terminal.
pub(super) fn anonymize(job: &Job, key: Option<&PseudonymKey>, console: &Console) -> Result<Summary> {
    let progress = console.progress();
    runtime::run(job.search.threads, pipeline::anonymize_with(job, key, &progress))
}

/// A release is what counts, also one that a stopped search had found.
pub(super) fn exit_of(summary: &Summary) -> Exit {
    if summary.output.is_some() { Exit::Done } else { Exit::NoRelease }
}

impl AnonymizeArgs {
    fn job(self, tables: &Tables) -> Result<Job> {
        let subject = self.subject.clone();
        let flags = self.flags();
        match is_job(&subject) {
            true => job_of_file(&subject, flags, tables),
            false => job_of_table(&subject, flags, tables, Job::from_flags),
        }
    }

    fn flags(self) -> JobFlags {
        let AnonymizeArgs { output, save, columns, release, search, dialect, .. } = self;
        JobFlags { output, save, ..job_flags(columns, release, search, dialect) }
    }
}

/// What flags say of a job but where its release goes.
pub(super) fn job_flags(
    columns: ColumnArgs,
    release: ReleaseArgs,
    search: SearchArgs,
    dialect: DialectArgs,
) -> JobFlags {
    JobFlags {
        csv: dialect.overrides(),
        quasi: columns.quasi,
        date_formats: columns.date_format,
        unknown: columns.unknown,
        text: columns.text,
        hierarchy_separator: columns.hierarchy_separator,
        identifier: columns.identifier,
        pseudonym: columns.pseudonym,
        sensitive: columns.sensitive,
        target: columns.target,
        other: columns.other,
        rest: columns.rest,
        k: release.k,
        person: release.person,
        require: release.require,
        suppression: release.suppression,
        notion: release.notion,
        algorithm: search.algorithm,
        measure: search.measure,
        mean: search.mean,
        suppress_or_generalise: search.suppress_or_generalise,
        seed: search.seed,
        settings: search.settings.0,
        time_limit: search.time_limit,
        accept_any: search.accept_any,
        start: search.start,
        threads: search.threads,
        memory_limit: search.memory_limit,
        cluster: search.cluster,
        cluster_tls: search.cluster_tls,
        ..release.written.flags()
    }
}
