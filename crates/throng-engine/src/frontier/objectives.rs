//! The objectives of a front by name: `k`, `l:diagnosis`, `glm`, `t-closeness:diagnosis+distance=ordered`.

use std::sync::Arc;

use throng::frontier::Objective;
use throng::loss::{self, Loss, Needs};
use throng::privacy::{self, ModelEntry, ParameterKind, ParameterValue};
use throng::wording::{quoted, quoted_list};

use crate::error::{EngineError, Result};
use crate::job::{Role, Roles, Sensitive};
use crate::prepare::{EncodedTable, sensitive};
use crate::wording::{Message, guess, unknown};

/// Objectives that are neither measures nor models.
const OF_CLASSES: [&str; 4] = ["k", "l", "sk", "sl"];

/// The parameter of models that look at a population.
const POPULATION: &str = "population";

/// An objective that somebody asked for, of a known kind.
pub(super) struct AskedObjective {
    text: String,
    kind: ObjectiveKind,
    column: Option<String>,
    /// What a model is given.
    parameters: Vec<(String, ParameterValue)>,
}

enum ObjectiveKind {
    K,
    L,
    SpreadK,
    SpreadL,
    Measure(&'static dyn Loss),
    Model(&'static ModelEntry),
}

/// Reads names of objectives: at least two, each once.
///
/// # Errors
/// A name or a parameter that is unknown, with the nearest; a model that looks at a population.
pub(super) fn read(names: &[String]) -> Result<Vec<AskedObjective>> {
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            return Err(EngineError::bad(format!("the objective {} is given twice", quoted(name))));
        }
    }
    let asked =
        names.iter().map(|name| AskedObjective::parse(name)).collect::<Result<Vec<AskedObjective>>>()?;
    if asked.len() < 2 {
        return Err(EngineError::bad("a front needs at least two objectives: --objectives k,glm"));
    }
    Ok(asked)
}

/// Names of the sensitive columns that objectives look at, each once.
///
/// # Errors
/// A column that the table lacks, or that is not sensitive.
pub(super) fn columns(asked: &[AskedObjective], roles: &Roles) -> Result<Vec<String>> {
    let mut columns: Vec<String> = Vec::new();
    for one in asked.iter().filter(|one| one.kind.looks_at_values()) {
        let column = one.column_in(roles)?;
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    Ok(columns)
}

impl ObjectiveKind {
    fn find(name: &str) -> Option<ObjectiveKind> {
        match name {
            "k" => return Some(ObjectiveKind::K),
            "l" => return Some(ObjectiveKind::L),
            "sk" => return Some(ObjectiveKind::SpreadK),
            "sl" => return Some(ObjectiveKind::SpreadL),
            _ => {}
        }
        loss::find(name).map(ObjectiveKind::Measure).or_else(|| privacy::find(name).map(ObjectiveKind::Model))
    }

    fn looks_at_values(&self) -> bool {
        match self {
            ObjectiveKind::L | ObjectiveKind::SpreadL => true,
            ObjectiveKind::Model(entry) => entry.takes_column,
            ObjectiveKind::K | ObjectiveKind::SpreadK | ObjectiveKind::Measure(_) => false,
        }
    }
}

impl AskedObjective {
    /// Reads `NAME[:COLUMN][+KEY=VALUE…]`.
    fn parse(text: &str) -> Result<AskedObjective> {
        let (head, keys) = text.split_once('+').map_or((text, None), |(head, keys)| (head, Some(keys)));
        let (name, column) = head.split_once(':').map_or((head, None), |(name, column)| (name, Some(column)));
        let kind = ObjectiveKind::find(name).ok_or_else(|| no_such(text, name))?;
        let column = column.map(str::to_owned);
        let mut asked = AskedObjective { text: text.to_owned(), kind, column, parameters: Vec::new() };
        if asked.column.is_some() && !asked.kind.looks_at_values() {
            return Err(asked.blame(format!("{} does not take a column", quoted(name))));
        }
        for pair in keys.into_iter().flat_map(|keys| keys.split('+')) {
            let parameter = asked.read(name, pair)?;
            asked.parameters.push(parameter);
        }
        asked.fill()?;
        Ok(asked)
    }

    fn read(&self, name: &str, pair: &str) -> Result<(String, ParameterValue)> {
        let ObjectiveKind::Model(entry) = &self.kind else {
            return Err(self.blame((format!("{} takes no keys", quoted(name)), "only models do")));
        };
        let (key, value) = pair
            .split_once('=')
            .ok_or_else(|| self.blame(format!("{} is not of the form KEY=VALUE", quoted(pair))))?;
        if self.parameters.iter().any(|(known, _)| known == key) {
            return Err(self.blame((format!("{} is set twice", quoted(key)), "set it only once")));
        }
        if entry.parameters.first().is_some_and(|first| first.name == key) {
            return Err(self.blame(format!("{} is what nodes are compared by, so leave it out", quoted(key))));
        }
        let others: Vec<&str> = entry.parameters.iter().skip(1).map(|parameter| parameter.name).collect();
        let parameter = entry.parameter(key).ok_or_else(|| self.blame(unknown("key", key, &others)))?;
        let value = parameter.read(value).map_err(|error| self.blame(error.message()))?;
        Ok((key.to_owned(), value))
    }

    /// Gives a model some degree to ask for, which nobody looks at: its degrees do not depend on it.
    fn fill(&mut self) -> Result<()> {
        let ObjectiveKind::Model(entry) = &self.kind else { return Ok(()) };
        let is_given = self.parameters.iter().any(|(name, _)| name == POPULATION);
        if is_given || entry.parameter(POPULATION).is_some_and(|parameter| parameter.required) {
            return Err(self.blame("it needs a population, but fronts use the table alone"));
        }
        let Some(first) = entry.parameters.first() else { return Ok(()) };
        let allowed = match first.kind {
            ParameterKind::Whole(least) => least,
            ParameterKind::Number(bounds) if bounds.most.is_finite() => bounds.most,
            ParameterKind::Number(bounds) => bounds.least + 1.0,
            _ => return Ok(()),
        };
        self.parameters.insert(0, (first.name.to_owned(), ParameterValue::Number(allowed)));
        let checked = entry.check(&self.given(), entry.takes_column);
        checked.map_err(|error| self.blame(error.message()))
    }

    fn given(&self) -> Vec<(&str, ParameterValue)> {
        self.parameters.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
    }

    /// The sensitive column that is named, or the first.
    fn column_in(&self, roles: &Roles) -> Result<String> {
        let sensitive: Vec<&str> = roles.with_role(Role::Sensitive).map(|(_, name)| name).collect();
        let Some(column) = &self.column else {
            let first = sensitive.first().map(|name| (*name).to_owned());
            return first.ok_or_else(|| self.blame(("it needs a sensitive column", "the job has none")));
        };
        if sensitive.contains(&column.as_str()) {
            return Ok(column.clone());
        }
        let role = roles.columns().iter().find(|(name, _)| name == column).map(|(_, role)| role.role());
        let problem = match role {
            Some(role) => format!("column {} has the role {}", quoted(column), quoted(role.name())),
            None => {
                format!(
                    "the table has no column {}{}",
                    quoted(column),
                    guess(column, sensitive.iter().copied())
                )
            }
        };
        let problem = (problem, format!("its sensitive columns are {}", quoted_list(&sensitive)));
        Err(self.blame(problem).about_column(column))
    }

    /// The objective on a table that carries its column.
    ///
    /// # Errors
    /// A target that there is not; parameters that do not fit the column.
    pub(super) fn find(&self, prepared: &EncodedTable) -> Result<Objective> {
        let place = || -> Result<usize> {
            let name = self.column_in(&prepared.roles)?;
            let columns = &prepared.beside.columns;
            Ok(columns.iter().position(|column| column.name() == name).expect("it is carried"))
        };
        Ok(match &self.kind {
            ObjectiveKind::K => Objective::K,
            ObjectiveKind::SpreadK => Objective::SpreadK,
            ObjectiveKind::L => Objective::L { column: place()? },
            ObjectiveKind::SpreadL => Objective::SpreadL { column: place()? },
            ObjectiveKind::Measure(loss) if loss.needs() == Needs::Target && prepared.target().is_none() => {
                return Err(self.blame("it needs a target: the column to predict"));
            }
            ObjectiveKind::Measure(loss) => Objective::Loss(*loss),
            ObjectiveKind::Model(entry) => self.model(entry, prepared, place)?,
        })
    }

    fn model(
        &self,
        entry: &ModelEntry,
        prepared: &EncodedTable,
        place: impl Fn() -> Result<usize>,
    ) -> Result<Objective> {
        let mut described = None;
        if entry.takes_column {
            let place = place()?;
            let column = &prepared.beside.columns[place];
            let told: Sensitive = prepared.roles.sensitive(column.name()).cloned().unwrap_or_default();
            described = Some(sensitive::describe(place, column, &told)?);
        }
        let model = entry.model(&self.given(), described.as_ref());
        let model = model.map_err(|error| self.blame(error.message()))?;
        Ok(Objective::Degree(Arc::from(model)))
    }

    fn blame(&self, problem: impl Into<Message>) -> EngineError {
        EngineError::bad(problem.into().after(format_args!("the objective {}: ", quoted(&self.text))))
    }
}

fn no_such(text: &str, name: &str) -> EngineError {
    let measures = loss::measures().iter().map(|measure| measure.name());
    let models = privacy::registry().iter().filter(|entry| {
        entry.name != "k" && entry.parameter(POPULATION).is_none_or(|parameter| !parameter.required)
    });
    let allowed: Vec<&str> =
        OF_CLASSES.into_iter().chain(measures).chain(models.map(|entry| entry.name)).collect();
    EngineError::bad((
        format!("unknown objective {}{}", quoted(text), guess(name, allowed.iter().copied())),
        format!(
            "allowed are {}; l, sl and models of a sensitive column may name it, as in l:COLUMN",
            quoted_list(&allowed)
        ),
    ))
}
