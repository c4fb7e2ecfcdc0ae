//! The column that a classifier is to predict: counted with the quasi-identifiers.

use throng::wording::quoted;

use super::CarriedColumns;
use crate::job::{Role, Roles};

/// Classes that a target may have at most; one of more values is a measurement.
pub(crate) const MAX_CLASSES: usize = 1_000;

/// Position and name of the target: the first, if several columns have that role. Where persons are counted
/// there is none, because a person may have rows of several classes.
pub(super) fn column(roles: &Roles, person: Option<&str>) -> Option<(usize, String)> {
    let target = roles.with_role(Role::Target).next().filter(|_| person.is_none());
    target.map(|(column, name)| (column, name.to_owned()))
}

/// Takes away a target that nothing can be learned from; why it is not used, if the job has one that is not.
pub(super) fn leave_useless(beside: &mut CarriedColumns, roles: &Roles) -> Option<String> {
    let (_, name) = roles.with_role(Role::Target).next()?;
    let name = quoted(name);
    let Some(place) = place(beside, roles) else {
        return Some(format!(
            "the target {name} is not used when persons are counted: no search or measure sees it"
        ));
    };
    let classes = beside.columns[place].dictionary.len();
    if (2..=MAX_CLASSES).contains(&classes) {
        return None;
    }
    beside.columns.remove(place);
    Some(match classes {
        0 | 1 => format!("the target {name} has only one class: no search or measure uses it"),
        many => format!(
            "the target {name} has {many} values, but at most {MAX_CLASSES} classes are possible: no search \
                or measure uses it"
        ),
    })
}

/// What should be known of a target that is used.
pub(super) fn note(beside: &CarriedColumns, roles: &Roles) -> Option<String> {
    let column = &beside.columns[place(beside, roles)?];
    let name = quoted(column.name());
    if roles.with_role(Role::Target).count() > 1 {
        return Some(format!("there are several targets; searches and measures use the first, {name}"));
    }
    let missing = column.dictionary.missing();
    missing
        .map(|_| format!("some cells of the target {name} are missing; they count as a class of their own"))
}

/// The place of the target among the columns beside the tuples.
pub(super) fn place(beside: &CarriedColumns, roles: &Roles) -> Option<usize> {
    let (_, name) = roles.with_role(Role::Target).next()?;
    beside.columns.iter().position(|column| column.name() == name)
}
