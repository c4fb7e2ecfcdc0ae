//! `throng check`: how exposed a table is as it stands, and what a release of it guarantees.

mod degrees;
mod text;

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use throng::notion::Notion;
use throng_engine::check::PolicyFound;
use throng_engine::check::{CheckSummary, CheckedTable, Sampling, check, find_removals};
use throng_engine::error::{EngineError, Result};
use throng_engine::job::{Job, JobFlags, NO_PERSON, Require};
use throng_engine::output::sink::is_there;
use throng_engine::policy::{self, Policy};
use throng_engine::tables::Tables;

use super::anonymize::read_notion;
use super::subject;
use crate::args::{DialectArgs, read_at_least, read_threads};
use crate::console::Console;
use crate::exit::Exit;
use crate::runtime;
pub(crate) use text::percent;

/// Rows in classes smaller than this are at risk, unless a flag or a job says otherwise.
const THRESHOLD: u64 = 5;

const EXAMPLES: &str = "Examples:
  throng check hospital.csv --qi zip,sex,birth_date
  throng check release.csv --qi zip --qi sex --require 5   (exit code 1 if k is below 5)
  throng check hospital.csv --qi zip,sex --sensitive diagnosis      (every privacy model)
  throng check release.csv --qi zip,sex --require distinct-l:l=2,column=diagnosis
  throng check hospital.toml                               (what the job released)
  throng check hospital.toml --input                       (what the job reads)
  throng check hospital.csv release.csv --qi age=age.csv --qi sex   (k of every notion)
  throng check hospital.toml release.csv --notion kk --require 5";

/// Shows what k a table has, which rows are at risk, and which columns are to blame
///
/// Works on any table. With a job, checks its release by the job's quasi-identifiers and everything that it
/// requires; the exit code is 1 if any of that does not hold, or cannot be judged. With an original and its
/// release, row by row in the same order, finds the largest k of each notion: k, (1,k), (k,1), (k,k) and
/// global (1,k).
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    /// A table (.csv, .tsv, .jsonl, also with .gz or .zst; .parquet, .arrow; a directory or pattern of them), or
    /// a job file (.toml)
    #[arg(value_name = "DATA|JOB")]
    subject: PathBuf,

    /// A release of that table, or of the job's input
    #[arg(value_name = "RELEASED")]
    released: Option<PathBuf>,

    /// A column that others may know about a person; several: --qi A --qi B or --qi A,B. With RELEASED,
    /// a hierarchy may follow, as for anonymize: --qi A=a.csv,B=b.csv
    #[arg(long = "qi", value_name = "COLUMN[=HIERARCHY]")]
    quasi: Vec<String>,

    /// A column whose value nobody should learn about a person; shows what every privacy model says about it.
    /// For several: --sensitive A --sensitive B or --sensitive A,B. A job names its own
    #[arg(long, value_name = "COLUMN")]
    sensitive: Vec<String>,

    /// The column that says whose row it is. Persons are then counted instead of rows; 'none' if each row
    /// belongs to a different person
    #[arg(long, value_name = "COLUMN")]
    person: Option<String>,

    /// The share of the population that is in the table, above 0 and at most 1 (such as 0.1): estimates how
    /// many records are unique in the population
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, conflicts_with = "released")]
    sampling_fraction: Option<f64>,

    /// The column of design weights, which say how many people of the population each row stands for: makes
    /// the same estimates from them
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["released", "sampling_fraction"])]
    sampling_weight: Option<String>,

    /// The column that says which household a row belongs to: shows the risk that somebody in a household is
    /// found
    #[arg(long, value_name = "COLUMN", conflicts_with = "released")]
    household: Option<String>,

    /// Judges the table by a policy, such as ema-0070 or k-11 (`throng policies` lists them): exit code 1 if it fails
    #[arg(long, value_name = "NAME", conflicts_with = "released")]
    policy: Option<String>,

    /// Looks for special uniques (SUDA2): rows that are unique in some set of at most this many columns
    #[arg(long, value_name = "COLUMNS", value_parser = read_at_least::<1>, allow_negative_numbers = true,
          conflicts_with = "released")]
    suda: Option<u64>,

    /// Rows in classes smaller than K are at risk; by default 5, or the k of the job
    #[arg(long, short, value_name = "K", value_parser = read_at_least::<2>,
          allow_negative_numbers = true)]
    k: Option<u64>,

    /// With RELEASED: the notion that --require refers to: k, 1k, k1, kk or global-1k; by default that of the
    /// job, or k
    #[arg(long, value_name = "NOTION", value_parser = read_notion, requires = "released")]
    notion: Option<Notion>,

    /// Ends with exit code 1 if the table's k is below K, or if the table does not satisfy a model, as
    /// for anonymize: --require 'distinct-l:l=3,column=diagnosis'. For several: --require A --require B
    #[arg(long, value_name = "K|MODEL:KEY=VALUE,…", value_parser = read_asked, allow_negative_numbers = true)]
    require: Vec<AskedRequirements>,

    /// Checks the input of the job instead of its release
    #[arg(long)]
    input: bool,

    /// Prints one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "NUMBER", value_parser = read_threads, allow_negative_numbers = true)]
    threads: Option<usize>,

    #[command(flatten)]
    dialect: DialectArgs,
}

/// Checks the table, and says what was found.
pub(crate) fn run(args: CheckArgs, console: &Console) -> Result<Exit> {
    if args.released.is_some() {
        return degrees::run(args, console);
    }
    let policy = args.policy.as_deref().map(policy::find).transpose()?;
    let (subject, threshold) = args.subject(console.tables())?;
    // So that the columns to blame are those that put rows in classes that are too small for the policy.
    let of_policy = policy.as_ref().and_then(Policy::least_rows).filter(|_| args.k.is_none());
    let threshold = of_policy.unwrap_or(threshold);
    let (found, judged) = {
        let progress = console.progress();
        let checked = async {
            let found = check(&subject, threshold, &progress).await?;
            let Some(policy) = &policy else { return Ok((found, None)) };
            let findings = find_removals(&subject, policy, &progress).await?;
            let judged = policy.judge(&found, findings);
            Ok((found, Some(judged)))
        };
        runtime::run(args.threads, checked)?
    };
    let required = args.required_k();
    if args.json {
        console.data(format_args!("{:#}", as_json(&subject, &found, required, judged.as_ref())?));
    } else {
        console.out(text::text(&subject, &found, judged.as_ref()));
    }
    let mut falls_short = false;
    if let Some(judged) = judged.as_ref().filter(|judged| judged.holds != Some(true)) {
        console.note(format_args!("{}", text::policy_complaint(judged)));
        falls_short = true;
    }
    if let Some(required) = required.filter(|_| meets(&found, required) == Some(false)) {
        console.note(format_args!("k is {}, below the {required} that is required", found.k));
        falls_short = true;
    }
    for one in found.requirements.iter().filter(|one| one.summary.holds == Some(false)) {
        console.note(format_args!("{}", text::complaint(one)));
        falls_short = true;
    }
    for one in &found.requirements {
        if let Some(reason) = &one.not_judged {
            console.note(format_args!("{} is not judged: {reason}", one.summary.name()));
            falls_short = true;
        }
    }
    if required.is_some() && meets(&found, required).is_none() {
        console.note("the required k cannot be judged: the table does not show which rows belong to whom");
        falls_short = true;
    }
    // A table that falls short is one that must not be released, and so is one that nobody judged.
    Ok(if falls_short { Exit::NoRelease } else { Exit::Done })
}

/// What `--require` asks for.
#[derive(Clone, Debug)]
pub(crate) enum AskedRequirements {
    /// A crowd over all quasi-identifiers.
    K(u64),
    /// A privacy model.
    Model(Require),
}

fn read_asked(text: &str) -> std::result::Result<AskedRequirements, String> {
    let is_number = text.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit());
    if is_number || text.is_empty() {
        return read_at_least::<1>(text).map(AskedRequirements::K);
    }
    text.parse::<Require>().map(AskedRequirements::Model).map_err(|error| error.to_string())
}

impl CheckArgs {
    /// The table, and the size below which its classes are at risk.
    fn subject(&self, tables: &Tables) -> Result<(CheckedTable, u64)> {
        let overrides = self.dialect.overrides();
        if !subject::is_job(&self.subject) {
            if self.input {
                return Err(EngineError::bad((
                    "--input is for jobs (.toml)",
                    "leave it out to check a table",
                )));
            }
            let subject =
                CheckedTable::of_table(tables, &self.subject, &overrides, &self.quasi, &self.beside())?;
            return Ok((self.with_sensitive(subject)?, self.k.unwrap_or(THRESHOLD)));
        }
        let flags = JobFlags { csv: overrides, ..JobFlags::default() };
        let job = Job::read(&self.subject)?.with_flags(flags)?.with_tables(tables);
        let threshold = self.k.or(job.privacy.k).unwrap_or(THRESHOLD);
        if self.input {
            return Ok((self.with_sensitive(CheckedTable::of_job_input(&job, &self.quasi)?)?, threshold));
        }
        let released = job.output.path()?;
        if !is_there(released)? {
            let name = self.subject.display();
            let hint = (
                "the job has not written its release yet",
                format!(
                    "`throng anonymize {name}` writes it, `throng check {name} --input` checks the job's \
                     input"
                ),
            );
            return Err(EngineError::not_found(released, hint));
        }
        Ok((self.with_sensitive(CheckedTable::of_job_output(&job, &self.quasi)?)?, threshold))
    }

    /// The columns that are asked for beside the quasi-identifiers.
    fn beside(&self) -> Vec<String> {
        let required = self.require.iter().filter_map(|asked| match asked {
            AskedRequirements::Model(require) => require.column.clone(),
            AskedRequirements::K(_) => None,
        });
        let person = self.person.iter().filter(|name| *name != NO_PERSON).cloned();
        let weight = self.sampling_weight.iter().chain(&self.household).cloned();
        self.sensitive.iter().cloned().chain(required).chain(person).chain(weight).collect()
    }

    fn with_sensitive(&self, subject: CheckedTable) -> Result<CheckedTable> {
        if let Some(of_population) = self.require.iter().find_map(|asked| match asked {
            AskedRequirements::Model(require) if require.population().is_some() => Some(require),
            _ => None,
        }) {
            return Err(EngineError::bad(format!(
                "'{}' compares a table with its population before the table is generalised, so it cannot \
                    judge a release by itself",
                of_population.model
            )));
        }
        let models = self.require.iter().filter_map(|asked| match asked {
            AskedRequirements::Model(require) => Some(require.clone()),
            AskedRequirements::K(_) => None,
        });
        let sampling = Sampling::from_flags(self.sampling_fraction, self.sampling_weight.as_deref())?;
        let subject = subject.with_sensitive(&self.sensitive, self.person.as_deref())?;
        let subject = subject.with_sampling(sampling).with_required(models.collect())?;
        let subject = subject.with_household(self.household.as_deref())?;
        Ok(subject.with_special_uniques(self.suda.map(|most| usize::try_from(most).unwrap_or(usize::MAX))))
    }

    /// The largest k that is required.
    fn required_k(&self) -> Option<u64> {
        let ks = self.require.iter().filter_map(|asked| match asked {
            AskedRequirements::K(k) => Some(*k),
            AskedRequirements::Model(_) => None,
        });
        ks.max()
    }
}

/// Whether a table has the k that is required; none if none is, or if persons should be counted and are not there.
fn meets(found: &CheckSummary, required: Option<u64>) -> Option<bool> {
    match required {
        // Nobody is in a table without rows.
        Some(_) if found.rows == 0 => Some(true),
        Some(required) if found.k < required => Some(false),
        Some(_) if found.lacks_persons => None,
        required => required.map(|_| true),
    }
}

/// The check with the file's name, and what was required of it.
fn as_json(
    subject: &CheckedTable,
    found: &CheckSummary,
    required: Option<u64>,
    judged: Option<&PolicyFound>,
) -> Result<Value> {
    let Ok(Value::Object(found_keys)) = serde_json::to_value(found) else {
        return Err(EngineError::Data("cannot write the check as JSON".into()));
    };
    let mut object = Map::from_iter([("file".to_owned(), json!(subject.path().display().to_string()))]);
    object.extend(found_keys);
    object.insert("required_k".to_owned(), json!(required));
    object.insert("meets_required_k".to_owned(), json!(meets(found, required)));
    object.insert("policy".to_owned(), json!(judged));
    Ok(Value::Object(object))
}
