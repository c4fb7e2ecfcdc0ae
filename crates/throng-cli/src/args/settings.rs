//! Flags for the settings of the algorithms, made of their declarations.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use throng::algorithm::{self, Entry, Family, Setting, SettingKind, SettingValue, Settings};
use throng::frontier::Evolution;
use throng_engine::job::read_setting;
use throng_engine::wording::enumerate;

/// A flag for every setting that an algorithm declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingArgs(pub(crate) Settings);

impl Args for SettingArgs {
    fn augment_args(command: Command) -> Command {
        command.args(Setting::all().iter().map(|setting| arg(setting, format!("for {}", users(setting)))))
    }

    fn augment_args_for_update(command: Command) -> Command {
        SettingArgs::augment_args(command)
    }
}

impl FromArgMatches for SettingArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SettingArgs, Error> {
        let mut settings = SettingArgs::default();
        settings.update_from_arg_matches(matches)?;
        Ok(settings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        update(&mut self.0, Setting::all().iter().copied(), matches);
        Ok(())
    }
}

/// A flag for every setting of PBG-EA.
#[derive(Clone, Debug, Default)]
pub(crate) struct EvolutionArgs(pub(crate) Settings);

impl Args for EvolutionArgs {
    fn augment_args(command: Command) -> Command {
        command.args(Evolution::SETTINGS.iter().map(|setting| arg(setting, "for pbg-ea".to_owned())))
    }

    fn augment_args_for_update(command: Command) -> Command {
        EvolutionArgs::augment_args(command)
    }
}

impl FromArgMatches for EvolutionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<EvolutionArgs, Error> {
        let mut settings = EvolutionArgs::default();
        settings.update_from_arg_matches(matches)?;
        Ok(settings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        update(&mut self.0, Evolution::SETTINGS.iter(), matches);
        Ok(())
    }
}

/// Sets what the command line says of some settings.
fn update<'s>(settings: &mut Settings, flags: impl Iterator<Item = &'s Setting>, matches: &ArgMatches) {
    for setting in flags {
        if let Some(value) = given(setting, matches) {
            settings.set(setting, value);
        }
    }
}

/// The value that the command line gives a setting.
fn given(setting: &Setting, matches: &ArgMatches) -> Option<SettingValue> {
    match setting.kind {
        SettingKind::Flag => matches.get_flag(setting.name).then_some(SettingValue::Flag(true)),
        _ => matches.get_one::<SettingValue>(setting.name).copied(),
    }
}

fn arg(setting: &'static Setting, for_whom: String) -> Arg {
    let arg = Arg::new(setting.name).long(flag(setting)).help(help(setting, &for_whom));
    if setting.kind == SettingKind::Flag {
        return arg.action(ArgAction::SetTrue);
    }
    // A minus sign does not make a number look like another flag.
    arg.value_name(value_name(setting))
        .allow_negative_numbers(true)
        .value_parser(move |text: &str| read_setting(setting, text).map_err(|error| error.to_string()))
}

/// The name of a setting's flag, without the hyphens before it.
pub(crate) fn flag(setting: &Setting) -> String {
    setting.name.replace('_', "-")
}

fn value_name(setting: &Setting) -> String {
    match setting.kind {
        SettingKind::Flag | SettingKind::Number { .. } | SettingKind::Share => "NUMBER".to_owned(),
        SettingKind::Count { of, .. } => of.to_uppercase(),
        SettingKind::Choice(_) => setting.name.to_uppercase(),
    }
}

fn help(setting: &Setting, for_whom: &str) -> String {
    let choices = match setting.kind {
        SettingKind::Choice(_) => format!(": {}", setting.kind),
        _ => String::new(),
    };
    let default = match setting.default {
        Some(default) if setting.kind != SettingKind::Flag => format!(" [default: {default}]"),
        _ => String::new(),
    };
    format!("{}, {for_whom}{choices}{default}", setting.help)
}

/// Who takes a setting, for people.
pub(crate) fn users(setting: &Setting) -> String {
    let local: Vec<&Entry> =
        algorithm::registry().iter().filter(|entry| entry.family == Family::Local).collect();
    let others: Vec<&str> =
        local.iter().filter(|entry| !entry.takes(setting)).map(|entry| entry.name).collect();
    // Nearly all of them are best described by those that are not among them.
    if setting.users().all(|entry| entry.family == Family::Local) && others.len() * 3 < local.len() {
        let but =
            if others.is_empty() { String::new() } else { format!(" except {}", enumerate(&others, "and")) };
        return format!("local algorithms{but}");
    }
    let names: Vec<&str> = setting.users().map(|entry| entry.name).collect();
    enumerate(&names, "and")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Settings, Error> {
        let command = SettingArgs::augment_args(Command::new("t").no_binary_name(true));
        let matches = command.try_get_matches_from(line.split_whitespace())?;
        SettingArgs::from_arg_matches(&matches).map(|args| args.0)
    }

    #[test]
    fn every_setting_has_a_flag() {
        for setting in Setting::all() {
            let value = match setting.kind {
                SettingKind::Flag => String::new(),
                SettingKind::Number { above } => (above + 1.0).to_string(),
                SettingKind::Share => "0.5".to_owned(),
                SettingKind::Count { least, .. } => least.for_k(5).to_string(),
                SettingKind::Choice(names) => names[0].to_owned(),
            };
            let settings = parse(&format!("--{} {value}", flag(setting))).unwrap();
            let said: Vec<&str> = settings.said().map(|(said, _)| said.name).collect();
            assert_eq!(said, [setting.name]);
        }
        assert_eq!(parse("").unwrap(), Settings::default());
    }

    #[test]
    fn help_follows_from_the_declaration() {
        let of = |name: &str| {
            let setting = Setting::find(name).unwrap();
            help(setting, &format!("for {}", users(setting)))
        };
        assert_eq!(
            of("distance"),
            "The distance between clusters, for agglomerative and sequential: 1, 2, 3, 4 or nergiz-clifton \
             [default: 3]"
        );
        assert_eq!(of("relaxed"), "Lets parts overlap, for mondrian");
        assert!(
            of("block_rows")
                .ends_with("searches each separately, for local algorithms except optimal-k1 and min-gen")
        );
    }

    #[test]
    fn what_a_setting_cannot_be_is_refused_by_name() {
        let complaint = |line: &str| parse(line).unwrap_err().to_string();
        let rows = complaint("--block-rows -1");
        assert!(rows.contains("'-1' for '--block-rows <ROWS>': must be a whole number of rows"), "{rows}");
        let epsilon = complaint("--epsilon x");
        assert!(epsilon.contains("'--epsilon <NUMBER>': must be a number above 0"), "{epsilon}");
        assert!(complaint("--distance 5").contains("unknown distance '5'; allowed are: 1, 2"));
    }
}
