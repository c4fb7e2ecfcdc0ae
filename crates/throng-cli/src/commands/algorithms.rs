//! `throng algorithms`: what the registries hold.

use serde_json::{Value, json};

use throng::algorithm::{self, Entry, Setting, SettingKind};
use throng::loss::{self, Loss};
use throng::privacy;
use throng_engine::error::Result;
use throng_engine::job::SpelledValue;

use crate::aligned::align;
use crate::args::{flag, users};
use crate::console::Console;
use crate::exit::Exit;
use crate::report::section;

/// Lists the algorithms with their guarantees, sources, notions and settings, and the measures of loss
#[derive(Debug, clap::Args)]
pub(crate) struct AlgorithmsArgs {
    /// Prints one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Prints the registries.
pub(crate) fn run(args: AlgorithmsArgs, console: &Console) -> Result<Exit> {
    if args.json {
        console.data(format_args!("{:#}", as_json()));
    } else {
        console.out(as_text());
    }
    Ok(Exit::Done)
}

fn as_text() -> String {
    let algorithms: Vec<[String; 2]> = algorithm::registry().iter().flat_map(algorithm_rows).collect();
    let settings: Vec<[String; 2]> = Setting::all().iter().flat_map(|s| setting_rows(s)).collect();
    let models: Vec<[String; 2]> = privacy::registry().iter().flat_map(model_rows).collect();
    let measures: Vec<[String; 2]> = loss::measures().iter().map(|m| measure_row(*m)).collect();
    format!(
        "{}\n\n{}\n\n{}\n\n{}",
        section("Algorithms (--algorithm)", &align(&algorithms)),
        section("Settings (in [search] of a job, or flags)", &align(&settings)),
        section("Privacy models ([[privacy.require]] of a job, or --require)", &align(&models)),
        section("Measures (--measure)", &align(&measures))
    )
}

/// What the algorithm does, what it promises, where it comes from, and what it can be told.
fn algorithm_rows(entry: &Entry) -> Vec<[String; 2]> {
    let mut rows = vec![
        [entry.name.to_owned(), entry.summary.to_owned()],
        [String::new(), entry.guarantee.text().to_owned()],
        [String::new(), format!("{}; {}", entry.family.name(), entry.citation)],
        [String::new(), format!("notions: {}", notions(entry).join(", "))],
    ];
    if !entry.settings.is_empty() {
        rows.push([String::new(), format!("settings: {}", settings(entry).join(", "))]);
    }
    rows.extend(entry.deviations.iter().map(|deviation| [String::new(), format!("deviates: {deviation}")]));
    rows
}

fn notions(entry: &Entry) -> Vec<&'static str> {
    entry.notions.iter().map(|notion| notion.name()).collect()
}

fn settings(entry: &Entry) -> Vec<&'static str> {
    entry.settings.iter().map(|setting| setting.name).collect()
}

/// What the setting does, what it can be, what it is by default, and whose it is.
fn setting_rows(setting: &Setting) -> [[String; 2]; 2] {
    let default = setting.default.map(|default| format!("; {default} by default")).unwrap_or_default();
    let only = setting.only_with.map(|(other, value)| format!("; only with {} = {value}", other.name));
    let (kind, only, users) = (setting.kind, only.unwrap_or_default(), users(setting));
    [
        [setting.name.to_owned(), setting.help.to_owned()],
        [String::new(), format!("--{}: {kind}{default}{only}; for {users}", flag(setting))],
    ]
}

fn setting_json(setting: &Setting) -> Value {
    let (kind, choices) = match setting.kind {
        SettingKind::Flag => ("flag", None),
        SettingKind::Number { .. } | SettingKind::Share => ("number", None),
        SettingKind::Count { .. } => ("count", None),
        SettingKind::Choice(names) => ("choice", Some(names)),
    };
    json!({
        "name": setting.name,
        "flag": format!("--{}", flag(setting)),
        "help": setting.help,
        "type": kind,
        "allowed": setting.kind.to_string(),
        "choices": choices,
        "default": setting.default.map(SpelledValue),
        "only_with": setting.only_with.map(|(other, value)| json!({ other.name: SpelledValue(value) })),
        "algorithms": setting.users().map(|entry| entry.name).collect::<Vec<_>>(),
    })
}

/// What the model asks of every class, and what it must be given.
fn model_rows(entry: &privacy::ModelEntry) -> [[String; 2]; 2] {
    let mut given: Vec<String> =
        entry.parameters.iter().map(|parameter| format!("{}: {}", parameter.name, parameter.help)).collect();
    if entry.takes_column {
        given.push("column: the sensitive column".to_owned());
    }
    [
        [entry.name.to_owned(), entry.summary.to_owned()],
        [String::new(), format!("{}; {}", given.join(", "), entry.citation)],
    ]
}

fn model_json(entry: &privacy::ModelEntry) -> Value {
    json!({
        "name": entry.name,
        "citation": entry.citation,
        "summary": entry.summary,
        "parameters": entry.parameters.iter().map(|parameter| parameter.name).collect::<Vec<_>>(),
        "takes_column": entry.takes_column,
    })
}

fn measure_row(measure: &dyn Loss) -> [String; 2] {
    let more = if measure.more_is_better() { " (more is better)" } else { "" };
    [measure.name().to_owned(), format!("{}{more}", measure.summary())]
}

fn as_json() -> Value {
    let algorithms: Vec<Value> = algorithm::registry()
        .iter()
        .map(|entry| {
            json!({
                "name": entry.name,
                "family": entry.family.name(),
                "guarantee": entry.guarantee.text(),
                "citation": entry.citation,
                "deviations": entry.deviations,
                "summary": entry.summary,
                "notions": notions(entry),
                "settings": settings(entry),
            })
        })
        .collect();
    let measures: Vec<Value> = loss::measures()
        .iter()
        .map(|measure| {
            json!({
                "name": measure.name(),
                "summary": measure.summary(),
                "more_is_better": measure.more_is_better(),
            })
        })
        .collect();
    let settings: Vec<Value> = Setting::all().iter().map(|setting| setting_json(setting)).collect();
    json!({ "algorithms": algorithms, "settings": settings, "models": privacy::registry().iter().map(model_json).collect::<Vec<_>>(), "measures": measures })
}
