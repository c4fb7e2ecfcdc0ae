//! The column that a classifier is to predict: counted with the quasi-identifiers.

use super::Beside;
use crate::job::{Role, Roles};

/// Classes that a target may have at most; one of more values is a measurement, which no class is the most
/// frequent of.
const MAX_CLASSES: usize = 1_000;

/// Position and name of the target: the first, if several columns have that role. Where persons are counted
/// there is none, because a person may have rows of several classes.
pub(super) fn column(roles: &Roles, person: Option<&str>) -> Option<(usize, String)> {
    let target = roles.with_role(Role::Target).next().filter(|_| person.is_none());
    target.map(|(column, name)| (column, name.to_owned()))
}

/// What stands beside the tuples without a target of too many values.
pub(super) fn without_measurements(mut beside: Beside, roles: &Roles) -> Beside {
    if let Some(place) = place(&beside, roles)
        && beside.columns[place].dictionary.len() > MAX_CLASSES
    {
        beside.columns.remove(place);
    }
    beside
}

/// The place of the target among the columns beside the tuples.
pub(super) fn place(beside: &Beside, roles: &Roles) -> Option<usize> {
    let (_, name) = roles.with_role(Role::Target).next()?;
    beside.columns.iter().position(|column| column.name() == name)
}
