//! The columns of a job matched with those of a table.

use std::collections::{BTreeMap, BTreeSet};

use throng::taxonomy::{Coding, Notation, Taxonomy};
use throng::wording::{quoted, quoted_list};

use super::columns::{Column, Unknown};
use super::hierarchy::{BuildError, HierarchySpec};
use super::kept::KeptHierarchy;
use super::pseudonym::Pseudonym;
use super::shift::DateShift;
use super::{Columns, Job, NO_PERSON};
use crate::coding::CodedNumbers;
use crate::dictionary::Dictionary;
use crate::error::{EngineError, Result};
use crate::input::dialect::notation_of;
use crate::input::source::Source;
use crate::role::Role;
use crate::wording::guess;

/// What each column of a table is, in the order of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Roles {
    columns: Vec<(String, ColumnRole)>,
    /// Of the columns that are kept, those whose numbers are coded.
    coded: BTreeMap<String, CodedNumbers>,
    /// Those whose dates are moved.
    shifted: BTreeMap<String, DateShift>,
}

/// The role of a column, with all that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnRole {
    /// Left out of the release.
    Identifier,
    /// Names a person, too, but a pseudonym takes its place.
    Pseudonym(Pseudonym),
    /// Generalised.
    Quasi(Quasi),
    /// Kept; what must not be learnt.
    Sensitive(Sensitive),
    /// Kept; a class label.
    Target,
    /// Kept as it is.
    Other,
}

/// A sensitive column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sensitive {
    /// How far its values are from each other.
    pub hierarchy: Option<HierarchySpec>,
    /// Its values, from the least to the greatest.
    pub order: Option<Vec<String>>,
    /// Whether values are the same only if they are spelled alike.
    pub exact: bool,
}

impl Sensitive {
    /// What a job tells of a sensitive column.
    pub(crate) fn from_column(column: &Column) -> Sensitive {
        Sensitive {
            hierarchy: column.hierarchy.clone(),
            order: column.order.clone(),
            exact: column.exact.unwrap_or(false),
        }
    }
}

/// A quasi-identifier.
#[derive(Clone, Debug, PartialEq)]
pub struct Quasi {
    /// How its values are generalised; none means all or nothing.
    pub hierarchy: Option<HierarchySpec>,
    /// How much it counts in measures that are sums over columns.
    pub weight: f64,
    /// The lowest level that it may be released at.
    pub min_level: usize,
    /// The highest level that it may be released at, if not the top.
    pub max_level: Option<usize>,
    /// How its numbers are spelled, if the job says so.
    pub notation: Option<Notation>,
    /// What becomes of values that its hierarchy lacks.
    pub unknown: Unknown,
    /// What an earlier run kept of its hierarchy; none if it is built anew.
    pub kept: Option<KeptHierarchy>,
}

impl Quasi {
    /// Whether it matters how numbers are spelled.
    pub(crate) fn reads_numbers(&self) -> bool {
        self.hierarchy.as_ref().is_some_and(HierarchySpec::reads_numbers)
    }

    /// The bounds beyond which its numbers are one value, if there are any; `values` are those of the column.
    pub(crate) fn coding(&self, values: &Dictionary) -> Option<Coding> {
        let numbers = self.hierarchy.as_ref()?.numbers()?;
        let coding = numbers.coding().filter(|coding| *coding != Coding::default())?;
        let found = || Notation::infer(&values.values().collect::<Vec<_>>()).unwrap_or_default();
        Some(coding.with_notation(self.notation.unwrap_or_else(found)))
    }

    /// Reads or builds the hierarchy: see [`HierarchySpec::build`].
    pub fn build<S: AsRef<str>>(
        &self,
        column: &str,
        values: &[S],
    ) -> std::result::Result<Taxonomy, BuildError> {
        if let Some(kept) = &self.kept {
            return kept.build(self.hierarchy.as_ref(), column, values, self.notation);
        }
        match &self.hierarchy {
            Some(spec) => spec.build_in(column, values, self.notation),
            None => Taxonomy::flat(values).map_err(|error| BuildError::new(error, column)),
        }
    }

    /// As [`build`](Self::build), where an unfit value is the first of all that are, by its row; `found` is how their
    /// numbers were found to be spelled, if somebody looked.
    pub fn build_by_rows<S: AsRef<str>, R: Ord>(
        &self,
        column: &str,
        values: &[S],
        found: Option<Notation>,
        row: impl Fn(usize) -> R,
    ) -> std::result::Result<Taxonomy, BuildError> {
        match &self.hierarchy {
            Some(spec) if self.kept.is_none() => {
                spec.build_by_rows(column, values, self.notation.or(found), row)
            }
            _ => self.build(column, values),
        }
    }
}

impl ColumnRole {
    /// The role of a column in a table that has this mark before decimals.
    fn new(column: &Column, decimal: Option<char>, kept: Option<&KeptHierarchy>) -> ColumnRole {
        match column.role {
            Role::Identifier => column.pseudonym.map_or(ColumnRole::Identifier, ColumnRole::Pseudonym),
            Role::Quasi => ColumnRole::Quasi(Quasi {
                hierarchy: column.hierarchy.clone(),
                weight: column.weight.unwrap_or(1.0),
                min_level: column.min_level.unwrap_or(0),
                max_level: column.max_level,
                notation: column.decimal.or(decimal).map(notation_of),
                unknown: column.unknown.unwrap_or_default(),
                kept: kept.cloned(),
            }),
            Role::Sensitive => ColumnRole::Sensitive(Sensitive::from_column(column)),
            Role::Target => ColumnRole::Target,
            Role::Other => ColumnRole::Other,
        }
    }

    /// The role by itself.
    pub fn role(&self) -> Role {
        match self {
            ColumnRole::Identifier | ColumnRole::Pseudonym(_) => Role::Identifier,
            ColumnRole::Quasi(_) => Role::Quasi,
            ColumnRole::Sensitive(_) => Role::Sensitive,
            ColumnRole::Target => Role::Target,
            ColumnRole::Other => Role::Other,
        }
    }
}

impl Roles {
    /// Names and roles of all columns, in the order of the table.
    pub fn columns(&self) -> &[(String, ColumnRole)] {
        &self.columns
    }

    /// Positions and names of the columns with a role, in the order of the table.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = (usize, &str)> {
        let columns = self.columns.iter().enumerate();
        columns.filter(move |(_, column)| column.1.role() == role).map(|(i, (name, _))| (i, name.as_str()))
    }

    /// Position, name and parameters of each quasi-identifier, in the order of the table.
    pub fn quasi(&self) -> impl Iterator<Item = (usize, &str, &Quasi)> {
        self.columns.iter().enumerate().filter_map(|(index, (name, role))| match role {
            ColumnRole::Quasi(quasi) => Some((index, name.as_str(), quasi)),
            _ => None,
        })
    }

    /// What is told of a sensitive column.
    pub fn sensitive(&self, name: &str) -> Option<&Sensitive> {
        self.columns.iter().find_map(|(known, role)| match role {
            ColumnRole::Sensitive(sensitive) if known == name => Some(sensitive),
            _ => None,
        })
    }

    /// What is done to the numbers of a column that is kept, if something is.
    pub fn coded(&self, name: &str) -> Option<&CodedNumbers> {
        self.coded.get(name)
    }

    /// How the dates of a column that is kept are moved, if they are.
    pub fn shifted(&self, name: &str) -> Option<&DateShift> {
        self.shifted.get(name)
    }

    /// Positions of the columns whose cells the place of a row would tell if rows were sorted by them: those that
    /// nobody should learn, and those whose cells are released as others, in the order of the table.
    pub fn told_by_order(&self) -> impl Iterator<Item = usize> {
        let columns = self.columns.iter().enumerate();
        let told = columns.filter(|(_, (name, role))| {
            matches!(role.role(), Role::Identifier | Role::Sensitive)
                || self.coded.contains_key(name)
                || self.shifted.contains_key(name)
        });
        told.map(|(at, _)| at)
    }

    /// Names of the identifiers that the release does not have.
    pub fn left_out(&self) -> impl Iterator<Item = &str> {
        let left_out = self.columns.iter().filter(|(_, role)| *role == ColumnRole::Identifier);
        left_out.map(|(name, _)| name.as_str())
    }

    /// Positions and names of the identifiers that are replaced by pseudonyms.
    pub fn pseudonyms(&self) -> impl Iterator<Item = (usize, &str)> {
        let columns = self.columns.iter().enumerate();
        let replaced = columns.filter(|(_, (_, role))| matches!(role, ColumnRole::Pseudonym(_)));
        replaced.map(|(index, (name, _))| (index, name.as_str()))
    }

    /// Positions and names of the columns that the release has: all but identifiers that are left out.
    pub fn released(&self) -> impl Iterator<Item = (usize, &str)> {
        let columns = self.columns.iter().enumerate();
        columns
            .filter(|(_, (_, role))| *role != ColumnRole::Identifier)
            .map(|(index, (name, _))| (index, name.as_str()))
    }
}

impl Job {
    /// Gives every column of a table its role.
    ///
    /// # Errors
    /// A column of the job that the table lacks, a column of the table that the job does not
    /// decide about, and two columns of the same name.
    pub fn resolve(&self, table: &[String]) -> Result<Roles> {
        refuse_duplicates(table)?;
        refuse_unknown(&self.columns, table)?;
        refuse_column_none(self.privacy.person.as_deref(), table)?;
        let decided = |name: &String| self.columns.get(name).or(self.columns.rest());
        let undecided: Vec<&str> =
            table.iter().filter(|name| decided(name).is_none()).map(String::as_str).collect();
        if !undecided.is_empty() {
            return Err(EngineError::bad((
                format!("the job does not say what these columns are: {}", quoted_list(&undecided)),
                "give each a role, or give the rest one with \"*\" = { role = \"other\" } or { role = \"identifier\" } (on the command line: --rest other or --rest identifier)",
            ))
            .about_columns(undecided));
        }
        let columns = table.iter().filter_map(|name| {
            let role = |column| ColumnRole::new(column, self.csv.decimal, self.kept.get(name));
            decided(name).map(|column| (name.clone(), role(column)))
        });
        let coded = table.iter().filter_map(|name| {
            let column = decided(name).filter(|column| !column.coding.is_none())?;
            let said = column.decimal.or(self.csv.decimal).map(notation_of);
            let notation = said.unwrap_or_default();
            let coding = column.coding;
            Some((name.clone(), CodedNumbers { coding, notation, is_said: said.is_some() }))
        });
        let shifted = table.iter().filter_map(|name| Some((name.clone(), decided(name)?.shift.clone()?)));
        Ok(Roles { columns: columns.collect(), coded: coded.collect(), shifted: shifted.collect() })
    }
}

impl Job {
    /// As [`resolve`](Self::resolve), for the columns of a file, whose names may be a guess.
    pub fn resolve_in(&self, source: &Source) -> Result<Roles> {
        let named: Vec<&str> = self.columns.named().map(|(name, _)| name).collect();
        source.recognise(&named)?;
        self.resolve(source.columns())
    }
}

fn refuse_duplicates(table: &[String]) -> Result<()> {
    let mut seen = BTreeSet::new();
    match table.iter().find(|name| !seen.insert(name.as_str())) {
        Some(name) => Err(EngineError::bad((
            format!("the table has more than one column {}", quoted(name)),
            "each needs a different name",
        ))
        .about_column(name)),
        None => Ok(()),
    }
}

/// Refuses `person = "none"` where a column has that name: nobody could tell what is meant.
pub(crate) fn refuse_column_none(person: Option<&str>, table: &[String]) -> Result<()> {
    if person != Some(NO_PERSON) || !table.iter().any(|name| name == NO_PERSON) {
        return Ok(());
    }
    let problem = (
        "person = \"none\" means that no column says which person a row belongs to, but the table has a \
         column 'none'",
        "rename that column",
    );
    Err(EngineError::bad(problem).about_column(NO_PERSON))
}

pub(crate) fn refuse_unknown(columns: &Columns, table: &[String]) -> Result<()> {
    let known: BTreeSet<&str> = table.iter().map(String::as_str).collect();
    // A name that the job already uses is not what another one was meant to be.
    let free = || table.iter().map(String::as_str).filter(|name| columns.get(name).is_none());
    let unknown: Vec<&str> =
        columns.named().map(|(name, _)| name).filter(|name| !known.contains(name)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let complaints: Vec<String> =
        unknown.iter().map(|name| format!("{}{}", quoted(name), guess(name, free()))).collect();
    Err(EngineError::bad((
        format!("the table has no column {}", complaints.join(", ")),
        format!("its columns are {}", quoted_list(table)),
    ))
    .about_columns(unknown))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn job(columns: &str) -> Job {
        let text = format!("input = 'a.csv'\noutput = 'b.csv'\nprivacy.k = 2\n[columns]\n{columns}");
        Job::parse(&text, Path::new("")).unwrap()
    }

    fn resolve(columns: &str, table: &[&str]) -> Result<Roles> {
        let table: Vec<String> = table.iter().map(|name| name.to_string()).collect();
        job(columns).resolve(&table)
    }

    fn complaint(columns: &str, table: &[&str]) -> String {
        resolve(columns, table).unwrap_err().to_string()
    }

    #[test]
    fn roles_come_in_the_order_of_the_table() {
        let columns = "zip = { role = 'quasi', hierarchy = 'zip.csv', weight = 2 }\n\
                       name = { role = 'identifier' }\nage = { role = 'quasi' }\n\
                       job = { role = 'sensitive' }";
        let roles = resolve(columns, &["name", "age", "job", "zip"]).unwrap();
        let quasi: Vec<_> = roles.quasi().map(|(i, name, quasi)| (i, name, quasi.weight)).collect();
        assert_eq!(quasi, [(1, "age", 1.0), (3, "zip", 2.0)]);
        let zip = roles.quasi().nth(1).unwrap().2;
        assert_eq!(zip.hierarchy, Some(HierarchySpec::File("zip.csv".into())));
        assert_eq!(roles.with_role(Role::Sensitive).collect::<Vec<_>>(), [(2, "job")]);
        assert_eq!(roles.released().collect::<Vec<_>>(), [(1, "age"), (2, "job"), (3, "zip")]);
    }

    #[test]
    fn an_identifier_with_a_pseudonym_is_released() {
        let columns = "id = { role = 'identifier', pseudonym = 'keyed' }\nage = { role = 'quasi' }\n\
                       name = { role = 'identifier' }";
        let roles = resolve(columns, &["name", "age", "id"]).unwrap();
        assert_eq!(roles.released().collect::<Vec<_>>(), [(1, "age"), (2, "id")]);
        assert_eq!(roles.left_out().collect::<Vec<_>>(), ["name"]);
        assert_eq!(roles.with_role(Role::Identifier).count(), 2);
        assert_eq!((job(columns).person(), roles.pseudonyms().next()), (Some("id"), Some((2, "id"))));
        let written = job(columns).to_toml().unwrap();
        assert_eq!(Job::parse(&written, Path::new("")).unwrap(), job(columns));
    }

    #[test]
    fn undecided_columns_are_all_listed() {
        assert_eq!(
            complaint("age = { role = 'quasi' }", &["name", "age", "job"]),
            "the job does not say what these columns are: 'name', 'job'; give each a role, or \
             give the rest one with \"*\" = { role = \"other\" } or { role = \"identifier\" } \
             (on the command line: --rest other or --rest identifier)"
        );
    }

    #[test]
    fn the_rest_can_be_decided_at_once() {
        let columns = "age = { role = 'quasi' }\n'*' = { role = 'identifier' }";
        let roles = resolve(columns, &["name", "age", "job"]).unwrap();
        assert_eq!(roles.released().collect::<Vec<_>>(), [(1, "age")]);
    }

    #[test]
    fn unknown_columns_are_named_with_the_nearest() {
        assert_eq!(
            complaint("agee = { role = 'quasi' }\nsex = { role = 'quasi' }", &["age", "sex"]),
            "the table has no column 'agee' (did you mean 'age'?); its columns are 'age', 'sex'"
        );
        assert_eq!(
            complaint("Age = { role = 'quasi' }\nelephants = { role = 'other' }", &["age"]),
            "the table has no column 'Age' (did you mean 'age'?), 'elephants'; \
             its columns are 'age'"
        );
    }

    #[test]
    fn columns_of_the_same_name_are_refused() {
        assert_eq!(
            complaint("age = { role = 'quasi' }", &["age", "x", "age"]),
            "the table has more than one column 'age'; each needs a different name"
        );
    }

    #[test]
    fn without_a_hierarchy_a_column_is_all_or_nothing() {
        let quasi = Quasi {
            hierarchy: None,
            weight: 1.0,
            min_level: 0,
            max_level: None,
            notation: None,
            unknown: Unknown::Error,
            kept: None,
        };
        let taxonomy = quasi.build("sex", &["m", "f"]).unwrap();
        assert_eq!((taxonomy.height(), taxonomy.leaf_total()), (1, 2));
    }
}
