//! Flags that the environment gives: `THRONG_K=5` is `-k 5`, for every command that has the flag.

use std::ffi::OsString;

use clap::builder::BoolishValueParser;
use clap::{Arg, ArgAction, Command, Id};

use throng_engine::pseudonym::{KEY_FILE_VARIABLE, KEY_VARIABLE};
use throng_engine::wording::nearest;

use crate::commands::serve::PASSWORD_VARIABLE;

const PREFIX: &str = "THRONG_";

/// The same commands, of which every flag may also be given by its variable. A flag of the line goes before its
/// variable, and before those of flags that it does not go with.
pub(crate) fn with_variables(command: Command, line: &[OsString]) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    let overruled = overruled(&command, line);
    let command = command.mut_args(|arg| match overruled.contains(arg.get_id()) {
        true => arg,
        false => with_variable(arg),
    });
    let with = |command: Command, name| command.mut_subcommand(name, |one| with_variables(one, line));
    names.into_iter().fold(command, with)
}

/// Flags that do not go with one of the line.
fn overruled(command: &Command, line: &[OsString]) -> Vec<Id> {
    let mut pairs: Vec<(&Arg, &Arg)> = Vec::new();
    for arg in command.get_arguments() {
        pairs.extend(command.get_arg_conflicts_with(arg).into_iter().map(|other| (arg, other)));
    }
    let each_way = pairs.iter().flat_map(|&(one, other)| [(one, other), (other, one)]);
    each_way.filter(|(given, _)| is_given(given, line)).map(|(_, other)| other.get_id().clone()).collect()
}

fn is_given(arg: &Arg, line: &[OsString]) -> bool {
    let Some(long) = arg.get_long().map(|name| format!("--{name}")) else { return false };
    let is_it =
        |word: &str| word.strip_prefix(&long).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
    line.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--").any(is_it)
}

fn with_variable(arg: Arg) -> Arg {
    let Some(variable) = variable(&arg) else { return arg };
    let arg = match arg.get_action() {
        ArgAction::SetTrue => arg.value_parser(BoolishValueParser::new()),
        _ => arg,
    };
    // The guide tells of them; in the help of every flag they would only be noise.
    arg.env(variable).hide_env(true)
}

/// The variable of a flag. The file of a key has one that is read where pseudonyms are made, and nowhere else.
fn variable(arg: &Arg) -> Option<String> {
    let is_flag = !matches!(
        arg.get_action(),
        ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
    );
    let name = arg.get_long().filter(|_| is_flag)?;
    let variable = format!("{PREFIX}{}", name.replace('-', "_").to_uppercase());
    (variable != KEY_FILE_VARIABLE).then_some(variable)
}

/// What to say of variables that look like ours and are not, but almost: the name of each, and that which was meant.
pub(crate) fn misspelled(command: &Command, set: impl Iterator<Item = String>) -> Vec<(String, String)> {
    let ours = [KEY_VARIABLE, KEY_FILE_VARIABLE, PASSWORD_VARIABLE];
    let mut known = ours.map(str::to_owned).to_vec();
    collect(command, &mut known);
    let ours = set.filter(|name| name.starts_with(PREFIX) && !known.contains(name));
    let mut found: Vec<(String, String)> = ours
        .filter_map(|name| {
            let meant = nearest(&name, known.iter().map(String::as_str))?.to_owned();
            Some((name, meant))
        })
        .collect();
    found.sort();
    found
}

fn collect(command: &Command, known: &mut Vec<String>) {
    known.extend(command.get_arguments().filter_map(variable));
    command.get_subcommands().for_each(|one| collect(one, known));
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Args;

    #[test]
    fn only_what_is_nearly_a_variable_of_ours_is_misspelled() {
        let set = [
            "THRONG_ALGORITM",
            "THRONG_K",
            "THRONG_TIME_LIMIT",
            "THRONG_PSEUDONYM_KEY",
            "THRONG_HOME_OF_X",
            "PATH",
        ];
        let found = misspelled(&Args::command(), set.map(str::to_owned).into_iter());
        assert_eq!(found, [("THRONG_ALGORITM".to_owned(), "THRONG_ALGORITHM".to_owned())]);
    }
}
