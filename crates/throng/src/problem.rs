//! All inputs of a search, validated once.

mod derived;

use std::fmt;
use std::sync::{Arc, OnceLock};

use derived::Derived;

use crate::lattice::{Lattice, Level};
use crate::loss::{Aggregate, Loss, Needs};
use crate::privacy::Whole;
use crate::requirement::Requirements;
use crate::setting::Settings;
use crate::table::{Carried, Table};
use crate::taxonomy::{Joins, Taxonomy};
use crate::wording::{Message, quoted};

/// A quasi-identifier: its taxonomy and how its values are distributed.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The column's name.
    pub name: String,
    /// Its generalised values.
    pub taxonomy: Taxonomy,
    /// How much it counts in measures that are sums over columns (w_i of eq. 20 of the Improved Greedy paper).
    pub weight: f64,
    /// Rows of each leaf.
    leaf_rows: Vec<u64>,
    /// Made when first asked for; the parts of a problem share them.
    joins: OnceLock<Arc<Joins>>,
}

impl Attribute {
    /// Rows of each leaf in the table.
    pub fn leaf_rows(&self) -> &[u64] {
        &self.leaf_rows
    }

    /// The lowest common ancestors of the taxonomy's values.
    pub(crate) fn joins(&self) -> &Arc<Joins> {
        self.joins.get_or_init(|| Arc::new(Joins::new(&self.taxonomy)))
    }
}

/// Most levels of a hierarchy, with the one that drops an attribute.
const MAX_LEVELS: usize = Level::MAX as usize;

/// Why inputs do not make a problem.
#[derive(Clone, Debug, PartialEq)]
pub enum ProblemError {
    /// Nothing to protect.
    NoRows,
    /// More rows than values beside the tuples can be counted in.
    TooManyRows {
        /// Rows of the table.
        rows: u64,
    },
    /// Nothing to generalise.
    NoQuasiIdentifier,
    /// A hierarchy too tall for the lattice.
    TooManyLevels {
        /// The column.
        column: String,
        /// Levels of its hierarchy.
        levels: usize,
    },
    /// A level that the column's hierarchy does not have.
    NoSuchLevel {
        /// The column.
        column: String,
        /// The level given.
        level: usize,
        /// The highest level of its hierarchy.
        height: usize,
    },
    /// Levels of which there is none.
    NoLevel {
        /// The column.
        column: String,
        /// The lowest that was given.
        min: usize,
        /// The highest that was given.
        max: usize,
    },
    /// A weight that no sum can use.
    Weight {
        /// The column.
        column: String,
        /// The weight given.
        weight: f64,
    },
}

impl ProblemError {
    /// What is wrong, and what would help.
    pub fn message(&self) -> Message {
        match self {
            ProblemError::NoRows => "the table has no rows".into(),
            ProblemError::TooManyRows { rows } => {
                let most =
                    "where values of a column, persons or a population are counted, it can have at most";
                (format!("the table has {rows} rows"), format!("{most} {}", u32::MAX)).into()
            }
            ProblemError::NoQuasiIdentifier => {
                "no quasi-identifier: name at least one column that, with other columns, could identify a \
                 person"
                    .into()
            }
            ProblemError::TooManyLevels { column, levels } => {
                let what = format!("column {}: its hierarchy has {levels} levels", quoted(column));
                (what, format!("at most {MAX_LEVELS} are allowed")).into()
            }
            ProblemError::NoSuchLevel { column, level, height } => {
                let what = format!("column {}: there is no level {level}", quoted(column));
                (what, format!("its highest is {height}")).into()
            }
            ProblemError::NoLevel { column, min, max } => {
                let what = format!("column {}: min_level {min} is above max_level {max}", quoted(column));
                (what, "no level satisfies both").into()
            }
            ProblemError::Weight { column, weight } => {
                format!("column {}: weight {weight} is not a positive number", quoted(column)).into()
            }
        }
    }

    /// The column at fault, if it is one.
    pub fn column(&self) -> Option<&str> {
        match self {
            ProblemError::TooManyLevels { column, .. }
            | ProblemError::NoSuchLevel { column, .. }
            | ProblemError::NoLevel { column, .. }
            | ProblemError::Weight { column, .. } => Some(column),
            ProblemError::NoRows | ProblemError::TooManyRows { .. } | ProblemError::NoQuasiIdentifier => None,
        }
    }
}

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for ProblemError {}

/// A table, its attributes, what the release must satisfy and what it should minimise.
#[derive(Clone, Debug)]
pub struct Problem {
    table: Arc<Table>,
    attributes: Arc<[Attribute]>,
    lattice: Lattice,
    /// What the parts of a divisible problem have in common; none for any other.
    derived: Option<Arc<Derived>>,
    /// Place of the class column among the carried ones.
    target: Option<usize>,
    /// What the release must satisfy.
    pub requirements: Requirements,
    /// Most rows that may be left out.
    pub max_suppressed_rows: u64,
    /// What the search minimises.
    pub objective: &'static dyn Loss,
    /// How the losses of columns become one number, in the objective and in all other measures that are sums over
    /// columns.
    pub aggregate: Aggregate,
    /// What algorithms may be told beyond that.
    pub settings: Settings,
}

impl Problem {
    /// A problem, once the inputs fit together. `attributes` are (name, taxonomy, weight) in
    /// the order of the table's columns.
    pub fn new(
        table: impl Into<Arc<Table>>,
        attributes: Vec<(String, Taxonomy, f64)>,
        requirements: impl Into<Requirements>,
        max_suppressed_rows: u64,
        objective: &'static dyn Loss,
    ) -> Result<Problem, ProblemError> {
        let table = table.into();
        if attributes.is_empty() {
            return Err(ProblemError::NoQuasiIdentifier);
        }
        if table.rows() == 0 {
            return Err(ProblemError::NoRows);
        }
        let counts_values =
            !table.carried().is_empty() || table.persons().is_some() || table.population().is_some();
        if counts_values && table.rows() > u64::from(u32::MAX) {
            return Err(ProblemError::TooManyRows { rows: table.rows() });
        }
        assert_eq!(attributes.len(), table.attributes(), "one attribute per column");
        let requirements = requirements.into();
        check_requirements(&requirements, &table);
        let attributes = attributes
            .into_iter()
            .enumerate()
            .map(|(a, parts)| attribute(parts, table.column(a), table.weights()))
            .collect::<Result<Vec<_>, _>>()?;
        let heights: Vec<usize> = attributes.iter().map(|a| a.taxonomy.height()).collect();
        let lattice = Lattice::new(&heights);
        Ok(Problem {
            table,
            attributes: attributes.into(),
            lattice,
            derived: None,
            target: None,
            requirements,
            max_suppressed_rows,
            objective,
            aggregate: Aggregate::default(),
            settings: Settings::default(),
        })
    }

    /// The same problem where no attribute is released below or above some levels: `levels` has the lowest and, if
    /// there is one, the highest of each. Suppressed rows are released at none.
    ///
    /// A full-domain search then has a smaller lattice; a search of cuts none below or above the values of these
    /// levels; a local search forms no class whose values meet only above the highest level, and raises what is
    /// below the lowest. Nobody finds something better outside: what is proven to be optimal is so among what these
    /// levels allow.
    ///
    /// # Errors
    /// If a hierarchy has no such level, or the lowest is above the highest.
    pub fn within_levels(self, levels: &[(usize, Option<usize>)]) -> Result<Problem, ProblemError> {
        assert_eq!(levels.len(), self.attributes.len(), "a pair for each attribute");
        let heights: Vec<usize> = self.attributes.iter().map(|a| a.taxonomy.height()).collect();
        let whole = Lattice::new(&heights);
        let (mut bottom, mut top) = (whole.raw(), whole.raw());
        for (a, (attribute, &(min, max))) in self.attributes.iter().zip(levels).enumerate() {
            let (column, height) = (attribute.name.clone(), attribute.taxonomy.height());
            if let Some(&level) = [Some(min), max].iter().flatten().find(|&&level| level > height) {
                return Err(ProblemError::NoSuchLevel { column, level, height });
            }
            let highest = max.unwrap_or(height);
            if min > highest {
                return Err(ProblemError::NoLevel { column, min, max: highest });
            }
            (bottom, top) = (bottom.with(a, min), top.with(a, highest));
        }
        Ok(Problem { lattice: whole.between(&bottom, &top), ..self })
    }

    /// The attributes that may not be released at all levels of their hierarchies.
    pub fn limited(&self) -> impl Iterator<Item = usize> + '_ {
        let is_limited = |&a: &usize| {
            let height = self.attributes[a].taxonomy.height();
            self.lattice.floors()[a] > 0 || usize::from(self.lattice.heights()[a]) < height
        };
        (0..self.attributes.len()).filter(is_limited)
    }

    /// The same problem with a class column, by its place among the [carried](Table::carried) ones: what
    /// someone will want to predict from the release.
    ///
    /// A search that divides tuples does not see it. Where the rows of a divided tuple differ in it, it is not
    /// known how many of a class have which label, and measures of labels are not defined; who wants them
    /// tells such rows apart.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    pub fn with_target(self, place: usize) -> Problem {
        assert!(place < self.table.carried().len(), "the target is carried");
        Problem { target: Some(place), ..self }
    }

    /// The class column, if there is one.
    pub fn target(&self) -> Option<&Carried> {
        self.target.map(|place| &self.table.carried()[place])
    }

    /// Place of the class column among those that the table carries.
    pub fn target_place(&self) -> Option<usize> {
        self.target
    }

    /// Whether a requirement or the objective looks at each carried column.
    pub(crate) fn looked_at(&self) -> Vec<bool> {
        let mut looked_at = vec![false; self.table.carried().len()];
        let columns = self.requirements.iter().filter_map(|one| one.class_model().column());
        columns.chain(self.labels()).for_each(|column| looked_at[column] = true);
        looked_at
    }

    /// The same problem with one label for all, if there are several that nothing looks at.
    pub(crate) fn blind_to_target(&self) -> Option<Problem> {
        let place = self.target.filter(|&place| !self.looked_at()[place])?;
        Some(Problem { table: Arc::new(self.table.with_one_value(place)), ..self.clone() })
    }

    /// Place of the class column, if the objective looks at it.
    pub(crate) fn labels(&self) -> Option<usize> {
        self.target.filter(|_| self.objective.needs() == Needs::Target)
    }

    /// The encoded table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    pub(crate) fn shared_table(&self) -> &Arc<Table> {
        &self.table
    }

    /// The quasi-identifiers.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// Number of distinct values of an attribute in the table, generalised to a level.
    pub fn distinct_values(&self, attribute: usize, level: usize) -> usize {
        let attribute = &self.attributes[attribute];
        let of_level = attribute.taxonomy.level_values(level);
        let occurring = attribute.leaf_rows.iter().zip(of_level).filter(|&(&rows, _)| rows > 0);
        let mut values: Vec<_> = occurring.map(|(_, &value)| value).collect();
        values.sort_unstable();
        values.dedup();
        values.len()
    }

    /// The same problem on some of the tuples. Attributes keep the distribution of the whole
    /// table, so that a cell costs what it costs there.
    pub(crate) fn part(&self, tuples: &[u32]) -> Problem {
        Problem { table: Arc::new(self.table.pick(tuples)), ..self.clone() }
    }

    /// The same problem on some rows of some tuples, as pairs of a tuple and a number of rows.
    pub(crate) fn rows(&self, kept: &[(u32, u32)]) -> Problem {
        Problem { table: Arc::new(self.table.pick_rows(kept)), ..self.clone() }
    }

    /// The same problem with a tuple for each row, and which tuple of this one each was a row of. Carried columns
    /// stay behind: which row of a tuple has which of their values is not known.
    pub(crate) fn record_by_record(&self) -> (Problem, Vec<u32>) {
        let weights = (0..).zip(self.table.weights());
        let tuples: Vec<u32> =
            weights.flat_map(|(tuple, &rows)| std::iter::repeat_n(tuple, rows as usize)).collect();
        let of_records =
            |a: usize| tuples.iter().map(|&tuple| self.table.column(a)[tuple as usize]).collect();
        let columns = (0..self.table.attributes()).map(of_records).collect();
        let table = Arc::new(Table::new(columns, vec![1; tuples.len()]));
        (Problem { table, ..self.clone() }, tuples)
    }

    /// What models compare a class with: the table before it was divided into parts.
    pub(crate) fn whole(&self) -> Arc<Whole> {
        self.derived(|| Whole::from_table(&self.table))
    }

    /// The same problem, ready to be divided into many [parts](Self::part): what one of them
    /// [derives](Self::derived) is there for all, as long as they or this are. Parts of a part share
    /// it, too. The objective must stay what it is.
    pub(crate) fn divisible(&self) -> Problem {
        let divisible = Problem { derived: Some(self.derived.clone().unwrap_or_default()), ..self.clone() };
        // Made now: a part would make that of its own table.
        divisible.whole();
        divisible
    }

    /// Something that follows from the attributes and the objective alone, so that it is the same in
    /// all parts of a problem. There it is made only once: a part may be far smaller than a taxonomy.
    ///
    /// `make` must not use the thread pool, whose threads may be waiting for what it makes.
    pub(crate) fn derived<T: Send + Sync + 'static>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        match &self.derived {
            Some(derived) => derived.get(make),
            None => Arc::new(make()),
        }
    }

    /// All full-domain generalisations.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }
}

/// Shields and columns are places in the table: who poses a problem has found them by name.
fn check_requirements(requirements: &Requirements, table: &Table) {
    for requirement in requirements {
        let within = |shield: &[usize]| shield.iter().all(|&a| a < table.attributes());
        assert!(requirement.shield().is_none_or(within), "a shield of the table's attributes");
        let column = requirement.class_model().column();
        assert!(column.is_none_or(|column| column < table.carried().len()), "the column is carried");
    }
}

fn attribute(
    (name, taxonomy, weight): (String, Taxonomy, f64),
    leaves: &[u32],
    weights: &[u32],
) -> Result<Attribute, ProblemError> {
    let levels = taxonomy.height() + 1;
    if levels > MAX_LEVELS {
        return Err(ProblemError::TooManyLevels { column: name, levels });
    }
    if !(weight > 0.0 && weight.is_finite()) {
        return Err(ProblemError::Weight { column: name, weight });
    }
    let mut leaf_rows = vec![0u64; taxonomy.leaf_total()];
    for (&leaf, &rows) in leaves.iter().zip(weights) {
        leaf_rows[leaf as usize] += u64::from(rows);
    }
    Ok(Attribute { name, taxonomy, weight, leaf_rows, joins: OnceLock::new() })
}
