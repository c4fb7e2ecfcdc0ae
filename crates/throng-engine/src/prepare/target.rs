//! The column that a classifier is to predict: counted with the quasi-identifiers.

use throng::wording::quoted;

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

/// Takes away a target that nothing can be learned from, and says so.
pub(super) fn leave_useless(beside: &mut Beside, roles: &Roles) -> Option<String> {
    let place = place(beside, roles)?;
    let classes = beside.columns[place].dictionary.len();
    if (2..=MAX_CLASSES).contains(&classes) {
        return None;
    }
    let column = beside.columns.remove(place);
    let name = quoted(column.name());
    Some(match classes {
        0 | 1 => format!("the target {name} has one class only: no search or measure uses it"),
        many => format!(
            "the target {name} has {many} values, more than the {MAX_CLASSES} that classes can be: no search or \
             measure uses it"
        ),
    })
}

/// The place of the target among the columns beside the tuples.
pub(super) fn place(beside: &Beside, roles: &Roles) -> Option<usize> {
    let (_, name) = roles.with_role(Role::Target).next()?;
    beside.columns.iter().position(|column| column.name() == name)
}
