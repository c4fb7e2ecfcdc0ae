//! The requirements of a job, with names found in its table.

use std::sync::Arc;

use throng::privacy::{ParameterValue, PrivacyModel};
use throng::requirement::{Requirement, Requirements};
use throng::wording::{quoted, quoted_list};

use super::{CarriedColumn, sensitive};
use crate::error::{EngineError, Result};
use crate::job::{Require, Role, Roles, Sensitive};
use crate::wording::{Message, guess};

/// Positions and names of the columns that requirements look at, and of some others, in the order of the table.
///
/// # Errors
/// A column that the table lacks, or that is not sensitive.
pub(super) fn columns(
    required: &[Require],
    others: &[String],
    roles: &Roles,
) -> Result<Vec<(usize, String)>> {
    for require in required {
        if let Some(column) = &require.column {
            check_column(require, column, roles)?;
        }
    }
    let is_looked_at = |name: &str| {
        let mut required = required.iter().filter_map(|require| require.column.as_deref());
        required.any(|column| column == name) || others.iter().any(|column| column == name)
    };
    let columns = roles.columns().iter().enumerate().filter(|(_, (name, _))| is_looked_at(name));
    Ok(columns.map(|(column, (name, _))| (column, name.clone())).collect())
}

fn check_column(require: &Require, column: &str, roles: &Roles) -> Result<()> {
    let sensitive: Vec<&str> = roles.with_role(Role::Sensitive).map(|(_, name)| name).collect();
    let Some((_, role)) = roles.columns().iter().find(|(name, _)| name == column) else {
        let problem = (
            format!("the table has no column {}{}", quoted(column), guess(column, sensitive.iter().copied())),
            format!("its sensitive columns are {}", quoted_list(&sensitive)),
        );
        return Err(require.blame(problem).about_column(column));
    };
    match role.role() {
        Role::Sensitive => Ok(()),
        role => Err(require
            .blame((
                format!("column {} has the role {}", quoted(column), quoted(role.name())),
                format!("it must be sensitive. The sensitive columns are {}", quoted_list(&sensitive)),
            ))
            .about_column(column)),
    }
}

/// Position and name of the column of persons.
///
/// # Errors
/// A column that the table lacks, or that is no identifier.
pub(super) fn person(name: Option<&str>, roles: &Roles) -> Result<Option<usize>> {
    let Some(name) = name else { return Ok(None) };
    let identifiers: Vec<&str> = roles.with_role(Role::Identifier).map(|(_, name)| name).collect();
    if let Some((column, _)) = roles.with_role(Role::Identifier).find(|(_, known)| *known == name) {
        return Ok(Some(column));
    }
    let known = roles.columns().iter().find(|(known, _)| known == name);
    let allowed = format!("The identifiers are {}", quoted_list(&identifiers));
    let what = format!("person: column {}", quoted(name));
    let problem: Message = match known {
        Some((_, role)) => {
            let what = format!("{what} has the role {}", quoted(role.role().name()));
            (what, format!("it must be an identifier. {allowed}")).into()
        }
        None => format!("{what} is not in the table{}. {allowed}", guess(name, identifiers.iter().copied()))
            .into(),
    };
    Err(EngineError::bad(problem).about_column(name))
}

/// The requirements over quasi-identifiers of these names, and carried columns; and notes on those that
/// others stand for.
///
/// # Errors
/// A shield with another name; a degree that no class could have.
pub(super) fn find(
    required: &[Require],
    quasi: &[&str],
    carried: &[CarriedColumn],
    roles: &Roles,
) -> Result<(Vec<Requirement>, Vec<String>)> {
    let mut found: Vec<Requirement> = Vec::new();
    let mut notes = Vec::new();
    for require in required {
        let requirement = find_one(require, quasi, carried, &|name| told(roles, name))?;
        refuse_few_values(require, &requirement, carried)?;
        refuse_unknown_value(require, &requirement, carried, roles)?;
        let Some(same) = found.iter_mut().find(|other| are_alike(other, &requirement)) else {
            found.push(requirement);
            continue;
        };
        let (a, b) = (same.class_model(), requirement.class_model());
        let stricter = if a.direction().is_worse(a.asked(), b.asked()) { b } else { a };
        notes.push(format!(
            "{} is required twice for the same classes; the stricter requirement counts: {}",
            quoted(&require.model),
            stricter.asked()
        ));
        if stricter.asked() == requirement.class_model().asked() {
            *same = requirement;
        }
    }
    Ok((found, notes))
}

/// Notes on hierarchies and orders of sensitive columns that no distance needs: a reader may take the column to be
/// generalised by them.
pub(super) fn needless(required: &[Require], roles: &Roles) -> Vec<String> {
    let needs = |name: &str, distance: &str| {
        let is_of = |one: &Require| one.column.as_deref() == Some(name);
        let asks = |one: &Require| one.parameters.get("distance") == Some(&ParameterValue::from(distance));
        required.iter().any(|one| is_of(one) && asks(one))
    };
    let mut notes = Vec::new();
    for (_, name) in roles.with_role(Role::Sensitive) {
        let told = told(roles, name);
        let keys = [
            ("hierarchy", told.hierarchy.is_some(), "hierarchical"),
            ("order", told.order.is_some(), "ordered"),
        ];
        let needless = keys.into_iter().filter(|(_, is_told, distance)| *is_told && !needs(name, distance));
        notes.extend(needless.map(|(key, _, distance)| {
            format!(
                "the {key} of the sensitive column {} is not used: its values are released as they are, and only \
                 t-closeness with distance = \"{distance}\" looks at it",
                quoted(name)
            )
        }));
    }
    notes
}

/// Whether two requirements differ at most in the degree that is asked for.
fn are_alike(a: &Requirement, b: &Requirement) -> bool {
    let others = |model: &dyn PrivacyModel| -> Vec<_> { model.parameters().into_iter().skip(1).collect() };
    let (x, y) = (a.class_model(), b.class_model());
    (x.name(), x.column(), a.shield()) == (y.name(), y.column(), b.shield()) && others(&*x) == others(&*y)
}

/// What a job says of a sensitive column.
fn told(roles: &Roles, name: &str) -> Sensitive {
    roles.sensitive(name).cloned().unwrap_or_default()
}

/// A requirement over quasi-identifiers of these names, and carried columns of which something is `told`.
///
/// # Errors
/// A shield with another name; parameters that do not fit the column.
pub(crate) fn find_one(
    require: &Require,
    quasi: &[&str],
    carried: &[CarriedColumn],
    told: &dyn Fn(&str) -> Sensitive,
) -> Result<Requirement> {
    let place = require.column.as_ref().and_then(|name| carried.iter().position(|c| c.name() == name));
    let column = place.map(|place| &carried[place]);
    let described =
        column.map(|column| sensitive::describe(place.unwrap_or(0), column, &told(column.name())));
    let model = require.entry()?.model(&require.parameters(), described.transpose()?.as_ref());
    let blame = |problem: Message| {
        let error = require.blame(problem);
        if let Some(column) = column { error.about_column(column.name()) } else { error }
    };
    let model: Arc<dyn PrivacyModel> = model.map_err(|error| blame(error.message()))?.into();
    let requirement = Requirement::of_model(model);
    let Some(shield) = &require.shield else { return Ok(requirement) };
    let place = |name: &String| {
        quasi.iter().position(|known| known == name).ok_or_else(|| {
            let problem = (
                format!(
                    "the shield has {}{}, which is not a quasi-identifier",
                    quoted(name),
                    guess(name, quasi.iter().copied())
                ),
                format!("the quasi-identifiers are {}", quoted_list(quasi)),
            );
            require.blame(problem).about_column(name)
        })
    };
    let mut shield = shield.iter().map(place).collect::<Result<Vec<usize>>>()?;
    shield.sort_unstable();
    Ok(if shield.len() == quasi.len() { requirement } else { requirement.over(shield) })
}

/// Refuses a value that no row has: it was mistyped, and nothing would be protected. It is not repeated, as it
/// may be somebody's.
fn refuse_unknown_value(
    require: &Require,
    requirement: &Requirement,
    carried: &[CarriedColumn],
    roles: &Roles,
) -> Result<()> {
    let Some(place) = requirement.class_model().column() else { return Ok(()) };
    let column = &carried[place];
    let Some(ParameterValue::Text(value)) = require.parameters.get("value") else { return Ok(()) };
    match sensitive::describe(place, column, &told(roles, column.name()))?.code(value) {
        None => {
            let problem = "the column does not have the given value";
            Err(require.blame(problem).about_column(column.name()))
        }
        _ => Ok(()),
    }
}

/// Refuses a column that has too few values for any class to hold.
fn refuse_few_values(require: &Require, requirement: &Requirement, carried: &[CarriedColumn]) -> Result<()> {
    let model = requirement.class_model();
    let Some(column) = model.column().map(|place| &carried[place]) else { return Ok(()) };
    let missing = usize::from(column.dictionary.missing().is_some());
    let (values, name) = ((column.dictionary.len() - missing) as u64, quoted(column.name()));
    let needed = model.values_needed();
    let problem: Message = match values {
        0 => format!("column {name} has no value: all its cells are missing").into(),
        1 => format!("column {name} has only one value, so there is nothing to distinguish").into(),
        _ if needed > values => {
            (format!("it needs {needed} values"), format!("column {name} has {values}")).into()
        }
        _ => return Ok(()),
    };
    Err(require.blame(problem).about_column(column.name()))
}

/// Refuses requirements over more than the first `count` quasi-identifiers.
pub(super) fn refuse_beyond(requirements: &Requirements, count: usize) -> Result<()> {
    let beyond = |shield: &[usize]| shield.iter().any(|&a| a >= count);
    if requirements.iter().any(|one| one.shield().is_some_and(beyond)) {
        return Err(EngineError::bad(format!(
            "the shield of a requirement has quasi-identifiers that are not among the first {count}"
        )));
    }
    Ok(())
}
