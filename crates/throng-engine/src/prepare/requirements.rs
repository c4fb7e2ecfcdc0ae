//! The requirements of a job, with names found in its table.

use std::sync::Arc;

use throng::requirement::{Requirement, Requirements};
use throng::wording::{quoted, quoted_list};

use super::CarriedColumn;
use crate::error::{EngineError, Result};
use crate::job::{Require, Role, Roles};
use crate::wording::guess;

/// Positions and names of the columns that requirements look at, in the order of the table.
///
/// # Errors
/// A column that the table lacks, or that is not sensitive.
pub(super) fn columns(required: &[Require], roles: &Roles) -> Result<Vec<(usize, String)>> {
    for require in required {
        if let Some(column) = &require.column {
            check_column(require, column, roles)?;
        }
    }
    let is_looked_at = |name: &str| required.iter().any(|require| require.column.as_deref() == Some(name));
    let columns = roles.columns().iter().enumerate().filter(|(_, (name, _))| is_looked_at(name));
    Ok(columns.map(|(column, (name, _))| (column, name.clone())).collect())
}

fn check_column(require: &Require, column: &str, roles: &Roles) -> Result<()> {
    let sensitive: Vec<&str> = roles.with_role(Role::Sensitive).map(|(_, name)| name).collect();
    let Some((_, role)) = roles.columns().iter().find(|(name, _)| name == column) else {
        let problem = format!(
            "the table has no column {}{}; its sensitive columns are {}",
            quoted(column),
            guess(column, sensitive.iter().copied()),
            quoted_list(&sensitive)
        );
        return Err(require.blame(&problem).about_column(column));
    };
    match role.role() {
        Role::Sensitive => Ok(()),
        role => Err(require
            .blame(&format!(
                "column {} has the role {}; it must be sensitive",
                quoted(column),
                quoted(role.name())
            ))
            .about_column(column)),
    }
}

/// The requirements over quasi-identifiers of these names, and carried columns.
///
/// # Errors
/// A shield with another name; a degree that no class could have.
pub(super) fn find(
    required: &[Require],
    quasi: &[&str],
    carried: &[CarriedColumn],
) -> Result<Vec<Requirement>> {
    required.iter().map(|require| find_one(require, quasi, carried)).collect()
}

fn find_one(require: &Require, quasi: &[&str], carried: &[CarriedColumn]) -> Result<Requirement> {
    let of_name = |name: &String| carried.iter().position(|column| column.counts.name() == name);
    let column = require.column.as_ref().and_then(of_name);
    let model = require.entry()?.model(&require.numbers(), column);
    let model: Arc<dyn throng::privacy::PrivacyModel> =
        model.map_err(|error| require.blame(&error.to_string()))?.into();
    if let Some(column) = column.map(|column| &carried[column])
        && model.most(column.dictionary.len()).is_some_and(|most| !model.holds(most))
    {
        let (asked, values) = (model.asked(), column.dictionary.len());
        let name = quoted(column.counts.name());
        let problem = format!("{asked} is more than the {values} values of column {name}");
        return Err(require.blame(&problem).about_column(column.counts.name()));
    }
    let requirement = Requirement::of_model(model);
    let Some(shield) = &require.shield else { return Ok(requirement) };
    let place = |name: &String| {
        quasi.iter().position(|known| known == name).ok_or_else(|| {
            let problem = format!(
                "the shield has {}{}, which is no quasi-identifier; these are {}",
                quoted(name),
                guess(name, quasi.iter().copied()),
                quoted_list(quasi)
            );
            require.blame(&problem).about_column(name)
        })
    };
    Ok(requirement.over(shield.iter().map(place).collect::<Result<Vec<usize>>>()?))
}

/// Refuses requirements over more than the first `count` quasi-identifiers.
pub(super) fn refuse_beyond(requirements: &Requirements, count: usize) -> Result<()> {
    let beyond = |shield: &[usize]| shield.iter().any(|&a| a >= count);
    if requirements.iter().any(|one| one.shield().is_some_and(beyond)) {
        return Err(EngineError::bad(format!(
            "a requirement is over quasi-identifiers that are not among the first {count}"
        )));
    }
    Ok(())
}
