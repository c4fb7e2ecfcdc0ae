//! What a release guarantees, judged beside its original: the largest k of each notion.

use indicatif::HumanCount;
use throng::consistency::Degrees;
use throng::notion::Notion;
use throng::wording::quoted;
use throng_engine::error::{EngineError, Result};
use throng_engine::job::{Job, JobFlags, Require};
use throng_engine::tables::Tables;
use throng_engine::verify::degrees::DegreesSummary;
use throng_engine::verify::linkage::Linkage;

use super::{AskedRequirements, CheckArgs};
use crate::aligned::align;
use crate::commands::pair;
use crate::commands::subject::is_job;
use crate::console::Console;
use crate::exit::Exit;
use crate::report::section;
use crate::runtime;

/// Judges the release, and says what was found.
pub(super) fn run(args: CheckArgs, console: &Console) -> Result<Exit> {
    let (required, json, threads) = (args.required_k(), args.json, args.threads);
    let models = models_of(&args);
    let job = job_of(args, &models, console.tables())?;
    if models.iter().any(|require| !require.is_of_crowds(job.privacy.notion)) {
        return Err(EngineError::bad((
            "with an original and its release, --require takes K and, for the notions 1k, kk and global-1k, distinct-l over all quasi-identifiers",
            "to check another model, check the release alone",
        )));
    }
    let linkage = {
        let progress = console.progress();
        runtime::run(threads, Linkage::read(&job, job.output.path()?, &progress))?
    };
    let degrees = linkage.degrees();
    let notion = job.privacy.notion;
    let found = DegreesSummary::new(&job, &linkage, &degrees, required);
    if json {
        let text = serde_json::to_string_pretty(&found);
        console.data(text.map_err(|error| EngineError::Data(error.to_string().into()))?);
    } else {
        console.out(text(&job, &linkage, &degrees, &found));
    }
    let mut falls_short = false;
    for one in found.diversity.iter().filter(|one| !one.meets_required_l) {
        console.note(format_args!(
            "a crowd under {} has {} values of column {}, below the {} that are required",
            notion.text(),
            one.values,
            quoted(&one.column),
            one.required_l
        ));
        falls_short = true;
    }
    let done = if falls_short { Exit::NoRelease } else { Exit::Done };
    let Some(required) = required else { return Ok(done) };
    let (name, k) = (notion.text(), degrees.degree(notion));
    match found.meets_required_k {
        Some(true) => return Ok(done),
        Some(false) => {
            console.note(format_args!("{name} holds for k = {k}, below the {required} that is required"));
        }
        None => {
            console.note(format_args!("the required k is not judged, because rows were counted, not persons"))
        }
    }
    Ok(Exit::NoRelease)
}

/// The privacy models that are asked about.
fn models_of(args: &CheckArgs) -> Vec<Require> {
    let models = args.require.iter().filter_map(|asked| match asked {
        AskedRequirements::Model(require) => Some(require.clone()),
        AskedRequirements::K(_) => None,
    });
    models.collect()
}

/// The job that made the release, asked for some models.
fn job_of(args: CheckArgs, models: &[Require], tables: &Tables) -> Result<Job> {
    if args.input {
        return Err(EngineError::bad((
            "--input checks a table alone",
            "leave out either --input or the release",
        )));
    }
    if args.k.is_some() {
        return Err(EngineError::bad((
            "-k is for a single table",
            "with an original and its release, --require K checks whether a notion holds for K",
        )));
    }
    // Of a table, nothing else says what the column is.
    let identifier = args.person.iter().filter(|name| !is_job(&args.subject) && *name != "none");
    let sensitive =
        models.iter().filter(|_| !is_job(&args.subject)).filter_map(|require| require.column.clone());
    let flags = JobFlags {
        sensitive: sensitive.collect(),
        require: models.to_vec(),
        identifier: identifier.cloned().collect(),
        person: args.person.clone(),
        output: args.released,
        csv: args.dialect.overrides(),
        quasi: args.quasi,
        notion: args.notion,
        ..JobFlags::default()
    };
    pair::job_of(&args.subject, flags, tables)
}

fn text(job: &Job, linkage: &Linkage, degrees: &Degrees, found: &DegreesSummary) -> String {
    let rows = Notion::ALL.map(|notion| {
        let k = HumanCount(degrees.degree(notion));
        [notion.text().to_owned(), format!("k = {k}"), meaning(notion).to_owned()]
    });
    let (released, original) = (&found.released, &found.original);
    let persons = job.person().map(|column| {
        format!(
            "\nThese figures count rows. A release does not say which person a row belongs to ({}); `throng \
                attack` counts persons in the original",
            quoted(column)
        )
    });
    let values = found.diversity.iter().map(|one| {
        let (l, asked) = (HumanCount(one.values), HumanCount(one.required_l));
        [one.column.clone(), format!("l = {l}"), format!("{asked} values are required of each crowd")]
    });
    let values: Vec<[String; 3]> = values.collect();
    let values = match values.is_empty() {
        true => String::new(),
        false => format!("\n{}", section("Different values in a crowd", &align(&values))),
    };
    format!(
        "{released}, released from {original}: {} rows\n\n{}{values}{}",
        HumanCount(linkage.rows()),
        section("Largest k of each notion", &align(&rows)),
        persons.unwrap_or_default()
    )
}

/// What there are at least k of, for everybody.
fn meaning(notion: Notion) -> &'static str {
    match notion {
        Notion::K => "released rows that share all quasi-identifiers",
        Notion::OneK => "released rows that fit a person",
        Notion::KOne => "people who fit a released row",
        Notion::KK => "both: the smaller of the two",
        Notion::GlobalOneK => "released rows that fit a person, if everybody else is to have one",
    }
}
