//! Answers about safety, as they change the job.

use std::path::Path;

use throng::notion::Notion;
use throng::privacy::ParameterValue;
use throng_engine::input::source::Source;
use throng_engine::job::{Job, Require, Role, RowOrder, Suppression};

use super::{Said, quasi, said};
use crate::app::App;
use crate::failure::{Answer, Failure};
use crate::store::Run;
use crate::words;

/// The search of a page for notions that need no classes; it has all of them.
const BY_RECORD: &str = "expansion";

/// The largest share of those who look alike that may be in the table, where it is a secret who is.
const MOST_PRESENT: f64 = 0.5;

/// What must hold, and who receives it.
pub(crate) fn choose_safety(app: &App, job: &mut Job, form: &Said) -> Answer<()> {
    choose_crowd(job, form)?;
    choose_suppression(job, form)?;
    choose_notion(job, form);
    choose_secrets(job, form)?;
    choose_membership(app, job, form)?;
    if let Some(again) = said(form, "again") {
        // Its place is that of the run.
        job.output.recoding = (again == "yes").then(|| Run::RECODING.into());
    }
    let stated =
        |name: &str| said(form, name).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    if said(form, "recipient").is_some() {
        job.release.recipient = stated("recipient");
        job.release.purpose = stated("purpose");
        job.release.decided_by = stated("decided_by");
    }
    Ok(())
}

/// How large a crowd must be, wherever it is counted.
pub(crate) fn crowd(job: &Job) -> Option<u64> {
    let mapped = job.privacy.require.iter().find(|one| one.model == "k-map");
    let mapped = mapped.and_then(|one| match one.parameters.get("k") {
        Some(ParameterValue::Number(k)) => Some(*k as u64),
        _ => None,
    });
    job.privacy.k.or(mapped)
}

fn choose_crowd(job: &mut Job, form: &Said) -> Answer<()> {
    let Some(k) = said(form, "front-k").or(said(form, "k")) else { return Ok(()) };
    let k = if k == "other" { said(form, "other-k").unwrap_or_default() } else { k };
    let k: u64 = k.trim().parse().map_err(|_| Failure::bad(words::BAD_K))?;
    if !(2..=1_000_000_000).contains(&k) {
        return Err(Failure::bad(words::BAD_K));
    }
    job.privacy.k = Some(k);
    Ok(())
}

fn choose_suppression(job: &mut Job, form: &Said) -> Answer<()> {
    let Some(share) = said(form, "suppression").filter(|share| *share != "kept") else { return Ok(()) };
    let share: f64 = share.parse().map_err(|_| Failure::bad(words::BAD_SHARE))?;
    if !(0.0..=100.0).contains(&share) {
        return Err(Failure::bad(words::BAD_SHARE));
    }
    job.privacy.suppression = Suppression::Share(share / 100.0);
    Ok(())
}

/// What those are alike in who make up a crowd. Only crowds of rows that are alike can be judged in another order, or
/// with rows left out.
fn choose_notion(job: &mut Job, form: &Said) {
    let Some(notion) = said(form, "alike").and_then(Notion::find) else { return };
    if notion == job.privacy.notion {
        return;
    }
    job.privacy.notion = notion;
    if notion == Notion::K {
        job.output.order = RowOrder::Shuffle { seed: None };
        if job.search.algorithm == BY_RECORD {
            job.search.algorithm = "auto".to_owned();
        }
    } else {
        job.output.order = RowOrder::Keep;
        job.privacy.suppression = Suppression::Rows(0);
        job.search.algorithm = BY_RECORD.to_owned();
    }
}

/// How mixed a crowd must be in each secret column.
fn choose_secrets(job: &mut Job, form: &Said) -> Answer<()> {
    for (at, name) in secrets(job).into_iter().enumerate() {
        let Some(mixed) = said(form, &format!("secret-{at}")) else { continue };
        // What a job says in another way stays.
        if mixed == "kept" {
            continue;
        }
        job.privacy.require.retain(|require| require.column.as_ref() != Some(&name));
        let spelled = match mixed {
            "2" | "3" | "4" => format!("distinct-l:l={mixed}"),
            "t" => "t-closeness:t=0.2".to_owned(),
            _ => continue,
        };
        let mut require: Require = spelled.parse()?;
        require.column = Some(name);
        job.privacy.require.push(require);
    }
    Ok(())
}

/// The columns that nobody should learn.
pub(crate) fn secrets(job: &Job) -> Vec<String> {
    let secret = job.columns.named().filter(|(_, column)| column.role == Role::Sensitive);
    secret.map(|(name, _)| name.to_owned()).collect()
}

/// What a job says about who knows that a person is in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Membership {
    /// Anybody may.
    Known,
    /// Nobody does, so the crowd is counted among all who could be in it: those of a register.
    Register(String),
    /// Nobody may even guess it.
    Secret(String),
    /// Something else that a job said.
    Kept,
}

impl Membership {
    /// That of a job, whose register is a file with this name.
    pub(crate) fn from_job(job: &Job) -> Membership {
        let all: Vec<&Require> =
            job.privacy.require.iter().filter(|one| one.population().is_some()).collect();
        let name = |one: &Require| {
            let file = one.population().and_then(|file| file.file_name().map(|name| name.to_os_string()));
            file.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        match all.as_slice() {
            [] => Membership::Known,
            [one] if one.shield.is_none() && one.model == "k-map" && job.privacy.k.is_none() => {
                Membership::Register(name(one))
            }
            [one] if one.shield.is_none() && *one == &presence(one) => Membership::Secret(name(one)),
            _ => Membership::Kept,
        }
    }
}

/// The requirement of this page about the presence in a register.
fn presence(like: &Require) -> Require {
    let number = |name: &str, value: f64| (name.to_owned(), ParameterValue::Number(value));
    let population = like.parameters.get("population").map(|file| ("population".to_owned(), file.clone()));
    let all = [number("min", 0.0), number("max", MOST_PRESENT)];
    Require {
        model: "delta-presence".to_owned(),
        parameters: all.into_iter().chain(population).collect(),
        ..Require::crowd(2)
    }
}

/// Whether others could know that a person is in the table.
fn choose_membership(app: &App, job: &mut Job, form: &Said) -> Answer<()> {
    let Some(member) = said(form, "member").filter(|member| *member != "kept") else { return Ok(()) };
    let k = crowd(job);
    job.privacy.require.retain(|one| one.population().is_none());
    job.privacy.k = k;
    if member == "known" {
        return Ok(());
    }
    let name = said(form, "register").unwrap_or_default();
    let file = app.folder.resolve(name).ok_or_else(|| Failure::bad(words::NO_REGISTER))?;
    refuse_other_columns(name, &file, job)?;
    let file = file.to_str().ok_or_else(|| Failure::bad(words::NO_REGISTER))?;
    let mut require = Require::crowd(k.unwrap_or(2));
    require.parameters.insert("population".to_owned(), ParameterValue::Text(file.to_owned()));
    if member == "register" {
        job.privacy.k = None;
        require.model = "k-map".to_owned();
    } else {
        require = presence(&require);
    }
    job.privacy.require.push(require);
    Ok(())
}

/// Refuses a list that lacks a column by which people could be found.
fn refuse_other_columns(name: &str, file: &Path, job: &Job) -> Answer<()> {
    let list = Source::open(file, &job.csv)?;
    let mut missing = quasi(job);
    missing.retain(|column| !list.columns().contains(column));
    match missing.as_slice() {
        [] => Ok(()),
        missing => Err(Failure::bad(words::list_lacks(name, missing))),
    }
}
