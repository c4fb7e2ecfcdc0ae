//! The independent judge of a release.
//!
//! Shares nothing with the search but the models' degrees: classes are compared as rows of labels, the way a reader of
//! the released file would, and every released value is checked against the original one. The
//! notions other than k-anonymity are judged by the [consistency graph](crate::consistency).

mod failing;

pub use failing::{Failing, failing};

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::consistency::{Consistency, least, number_labels};
use crate::notion::Notion;
use crate::privacy::{DistinctL, PrivacyModel, Whole, achieved, degree_of, violations};
use crate::release::Release;
use crate::release::grouped::{Field, Pass, group};
use crate::requirement::{Requirement, Rule};
use crate::stop::{GoOn, Stop};
use crate::table::{Carried, Histogram};

/// Parts that are looked at between two questions whether to go on.
const PARTS: usize = 1 << 16;

/// What is wrong with a release, or what it achieves.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Every requirement holds.
    Safe(Achieved),
    /// The release must not be published.
    Unsafe(String),
}

/// What a release achieves.
#[derive(Clone, Debug, PartialEq)]
pub struct Achieved {
    /// Rows of the smallest class over all quasi-identifiers, or persons where these count; 0 if nothing is
    /// released.
    pub k: u64,
    /// For each requirement what the release achieves of it: the degree of the worst class, or the
    /// largest k for which it has the notion; 0 if nothing is released.
    pub degrees: Vec<f64>,
    /// Rows left out.
    pub suppressed_rows: u64,
}

/// Judges a release against its original table and the requirements.
pub fn verify(release: &Release) -> Verdict {
    verify_asking(release, &|| Ok(())).expect("nothing stops this")
}

/// The same, unless `go_on` stops it.
pub(crate) fn verify_asking(release: &Release, go_on: &GoOn<'_>) -> Result<Verdict, Stop> {
    match judge(release, go_on) {
        Ok(achieved) => Ok(Verdict::Safe(achieved)),
        Err(VerifyFault::Unsafe(reason)) => Ok(Verdict::Unsafe(reason)),
        Err(VerifyFault::Stopped(stop)) => Err(stop),
    }
}

/// Why there is no verdict that a release is safe.
enum VerifyFault {
    Unsafe(String),
    Stopped(Stop),
}

impl From<String> for VerifyFault {
    fn from(reason: String) -> VerifyFault {
        VerifyFault::Unsafe(reason)
    }
}

impl From<Stop> for VerifyFault {
    fn from(stop: Stop) -> VerifyFault {
        VerifyFault::Stopped(stop)
    }
}

fn judge(release: &Release, go_on: &GoOn<'_>) -> Result<Achieved, VerifyFault> {
    let seen = SeenRelease::new(release, go_on)?;
    let (suppressed_rows, limit) = (release.suppressed_rows(), release.problem().max_suppressed_rows);
    if suppressed_rows > limit {
        return Err(format!("{suppressed_rows} rows are suppressed; at most {limit} may be").into());
    }
    let all: Vec<usize> = (0..release.problem().attributes().len()).collect();
    let classes = seen.classes(&all, None)?;
    let k = classes.iter().filter(|class| class.rows > 0).map(|class| seen.crowd(class)).min().unwrap_or(0);
    let mut degrees = Vec::new();
    for requirement in &release.problem().requirements {
        degrees.push(match requirement.rule() {
            Rule::Classes(model) => {
                let judged = match (requirement.shield(), model.column()) {
                    (None, None) => seen.judge_each(&**model, &classes)?,
                    (shield, _) => seen.judge_over(&**model, shield.unwrap_or(&all))?,
                };
                judged.achieved_by(&**model).map_err(|fault| name(&fault, release, requirement))?
            }
            Rule::Crowd(notion, k) => {
                go_on()?;
                judge_crowds(release, *notion, *k)? as f64
            }
            Rule::Diverse(notion, diversity) => {
                go_on()?;
                judge_diversity(release, *notion, *diversity)? as f64
            }
        });
    }
    Ok(Achieved { k, degrees, suppressed_rows })
}

/// How many classes over all quasi-identifiers there are of each number of rows, as a reader of the release
/// counts them.
pub fn class_sizes(release: &Release) -> BTreeMap<u64, u64> {
    let mut sizes = BTreeMap::new();
    let Ok(seen) = SeenRelease::new(release, &|| Ok(())) else { return sizes };
    let all: Vec<usize> = (0..release.problem().attributes().len()).collect();
    let classes = seen.classes(&all, None).expect("nothing stops this");
    let classes = classes.into_iter().filter(|class| class.rows > 0);
    classes.for_each(|class| *sizes.entry(class.rows).or_default() += 1);
    sizes
}

/// A fault with the shield that it is about.
fn name(fault: &str, release: &Release, requirement: &Requirement) -> String {
    let Some(shield) = requirement.shield() else { return fault.to_owned() };
    let attributes = release.problem().attributes();
    let names: Vec<&str> = shield.iter().map(|&a| attributes[a].name.as_str()).collect();
    format!("{fault}, over {}", names.join(", "))
}

/// A release as a reader sees it: rows of labels.
struct SeenRelease<'r> {
    release: &'r Release,
    /// For each attribute a number for the label of each value.
    labels: Vec<Vec<u32>>,
    go_on: &'r GoOn<'r>,
}

/// A class as a reader sees it.
#[derive(Default)]
struct SeenClass {
    rows: u64,
    /// Rows of each value of the column that is looked at.
    values: BTreeMap<u32, u32>,
    /// The persons that the rows are of, where these count.
    persons: BTreeSet<u32>,
    /// How many of the population are covered by the class.
    population: u64,
}

/// The classes over a shield, by a model.
struct JudgedClasses {
    /// How safe each is, and how many are in it.
    each: Vec<(f64, u64)>,
    /// What they achieve together; 0 if there is none.
    achieved: f64,
    /// Whether somebody of the population has a class without rows, and the model is against that.
    is_absent: bool,
}

impl JudgedClasses {
    /// What the classes achieve, if all hold; 0 if there is none.
    fn achieved_by(&self, model: &dyn PrivacyModel) -> Result<f64, String> {
        if self.is_absent {
            return Err(format!(
                "people of the population are in a class without rows, which {} does not allow",
                model.name()
            ));
        }
        match violations(model, &self.each) {
            0 => Ok(self.achieved),
            violations => Err(format!(
                "{violations} classes do not satisfy {} = {}: the worst has {}",
                model.name(),
                model.asked(),
                self.achieved,
            )),
        }
    }
}

impl<'r> SeenRelease<'r> {
    /// Looks at a release, in which every value must cover its original one.
    fn new(release: &'r Release, go_on: &'r GoOn<'r>) -> Result<SeenRelease<'r>, VerifyFault> {
        let attributes = release.problem().attributes();
        for (a, attribute) in attributes.iter().enumerate() {
            let covers = |part: usize| release.covers(a, release.value(part, a), release.leaf(part, a));
            let pieces = (0..release.parts()).into_par_iter().step_by(PARTS);
            let uncovered = pieces.filter_map(|first| match go_on() {
                Ok(()) if (first..release.parts().min(first + PARTS)).all(covers) => None,
                Ok(()) => {
                    let name = &attribute.name;
                    let reason =
                        format!("a released value of column '{name}' does not cover the original one");
                    Some(VerifyFault::Unsafe(reason))
                }
                Err(stop) => Some(VerifyFault::Stopped(stop)),
            });
            uncovered.find_first(|_| true).map_or(Ok(()), Err)?;
        }
        let labels = (0..attributes.len()).map(|a| number_labels(release.values(a))).collect();
        Ok(SeenRelease { release, labels, go_on })
    }

    /// The classes over a shield, with the values of a carried column.
    fn classes(&self, shield: &[usize], column: Option<usize>) -> Result<Vec<SeenClass>, Stop> {
        let (release, table) = (self.release, self.release.problem().table());
        let fields: Vec<Field> = shield.iter().map(|&a| Field::new(a, self.labels[a].clone())).collect();
        let is_released = |part: usize| !release.is_suppressed(part) && release.rows(part) > 0;
        let add = |class: &mut SeenClass, part: usize| {
            class.rows += u64::from(release.rows(part));
            if let Some(column) = column.map(|column| &table.carried()[column]) {
                release.for_each_value(part, column, |code, n| *class.values.entry(code).or_default() += n);
            }
            if let Some(persons) = table.persons() {
                release.for_each_value(part, persons, |person, _| _ = class.persons.insert(person));
            }
        };
        let released = Pass { wants: &is_released, add: &add };
        let Some(population) = table.population() else {
            return group(release, &fields, &[released], self.go_on);
        };
        // All of the population, also what is suppressed or not in the sample, looks like some class; like
        // several, if its tuple is released in parts that differ.
        let is_new = |part: usize| self.is_new_look(part, shield);
        let add = |class: &mut SeenClass, part: usize| {
            class.population += u64::from(population[release.tuple(part)]);
        };
        group(release, &fields, &[released, Pass { wants: &is_new, add: &add }], self.go_on)
    }

    /// Whether no part before it of the same tuple looks like a part over a shield.
    fn is_new_look(&self, part: usize, shield: &[usize]) -> bool {
        let release = self.release;
        let label = |part: usize, a: usize| self.labels[a][release.value(part, a) as usize];
        let same_tuple = (0..part).rev().take_while(|&other| release.tuple(other) == release.tuple(part));
        !same_tuple.into_iter().any(|other| shield.iter().all(|&a| label(other, a) == label(part, a)))
    }

    /// The degree of every class over a shield.
    fn judge_over(&self, model: &dyn PrivacyModel, shield: &[usize]) -> Result<JudgedClasses, Stop> {
        self.judge_each(model, &self.classes(shield, model.column())?)
    }

    /// The degree of every class.
    fn judge_each(&self, model: &dyn PrivacyModel, classes: &[SeenClass]) -> Result<JudgedClasses, Stop> {
        (self.go_on)()?;
        let whole = self.whole(model, classes.iter());
        let is_absent = |class: &SeenClass| class.rows == 0 && class.population > 0;
        let is_absent = model.refuses_absence() && classes.iter().any(is_absent);
        let released = classes.iter().filter(|class| class.rows > 0);
        (self.go_on)()?;
        let each: Vec<(f64, u64)> = released.map(|class| self.degree(class, model, &whole)).collect();
        let achieved = achieved(model, each.iter().copied()).unwrap_or(0.0);
        Ok(JudgedClasses { each, achieved, is_absent })
    }

    /// All released rows, or persons, as a class is compared with them.
    fn whole<'c>(&self, model: &dyn PrivacyModel, classes: impl Iterator<Item = &'c SeenClass>) -> Whole {
        let table = self.release.problem().table();
        let mut all = SeenClass::default();
        for class in classes {
            all.rows += class.rows;
            all.persons.extend(&class.persons);
            class.values.iter().for_each(|(&code, rows)| *all.values.entry(code).or_default() += rows);
        }
        let mut values = vec![Vec::new(); table.carried().len()];
        if let Some(column) = model.column() {
            let listed: Vec<(u32, u32)> = all.values.into_iter().collect();
            let counts = table.carried()[column].fold(Histogram::Listed(&listed));
            let len = counts.last().map_or(0, |&(last, _)| last as usize + 1);
            values[column] = vec![0; len.max(table.carried()[column].values())];
            counts.iter().for_each(|&(value, count)| values[column][value as usize] = u64::from(count));
        }
        let rows = if table.persons().is_some() { all.persons.len() as u64 } else { all.rows };
        let population = table.population().map(|counts| counts.iter().map(|&n| u64::from(n)).sum());
        let missing = table.carried().iter().map(Carried::missing).collect();
        Whole::new(rows, values, population).with_missing(missing)
    }

    /// How safe a class is, and how many are in it.
    fn degree(&self, class: &SeenClass, model: &dyn PrivacyModel, whole: &Whole) -> (f64, u64) {
        let table = self.release.problem().table();
        let listed: Vec<(u32, u32)> = class.values.iter().map(|(&code, &rows)| (code, rows)).collect();
        let values = match model.column() {
            Some(column) => table.carried()[column].fold(Histogram::Listed(&listed)),
            None => (&listed).into(),
        };
        let population = whole.population.map(|_| class.population);
        let crowd = self.crowd(class);
        (degree_of(model, crowd, &values, population, whole), crowd)
    }

    /// Rows of a class, or persons where these count.
    fn crowd(&self, class: &SeenClass) -> u64 {
        let persons = self.release.problem().table().persons();
        persons.map_or(class.rows, |_| class.persons.len() as u64)
    }
}

/// The degree of a release that has the notion.
fn judge_crowds(release: &Release, notion: Notion, k: u64) -> Result<u64, String> {
    let crowds = Consistency::new(release).crowds(notion);
    let violations = (0..crowds.len()).filter(|&part| crowds[part] < k && !release.is_suppressed(part));
    let rows: u64 = violations.map(|part| u64::from(release.rows(part))).sum();
    match rows {
        0 => Ok(least(&crowds)),
        _ => Err(format!("{rows} rows do not satisfy {} for k = {k}", notion.text())),
    }
}

/// The degree of a release whose crowds have as many different values as are asked for.
fn judge_diversity(release: &Release, notion: Notion, diversity: DistinctL) -> Result<u64, String> {
    let values = Consistency::new(release).values(release, notion, diversity.column);
    let violations =
        (0..values.len()).filter(|&part| values[part].is_some_and(|values| values < diversity.l));
    let rows: u64 = violations.map(|part| u64::from(release.rows(part))).sum();
    let least = values.iter().flatten().copied().min().unwrap_or(0);
    match rows {
        0 => Ok(least),
        _ => Err(format!(
            "{rows} rows have fewer than {} values in their crowd under {}: the worst has {least}",
            diversity.l,
            notion.text()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consistency::examples::{Example, five_rows};
    use crate::lattice::Node;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::problem::Problem;
    use crate::recoding::Recoding;
    use crate::requirement::Requirement;
    use crate::table::Table;
    use crate::taxonomy::Taxonomy;

    /// Ages 31, 31, 35, 47 with decades above.
    fn problem(max_suppressed_rows: u64) -> Problem {
        let age = Taxonomy::from_rows(&[["31", "30s", "*"], ["35", "30s", "*"], ["47", "40s", "*"]]).unwrap();
        let table = Table::from_rows(1, &[[0], [0], [1], [2]]);
        let k2 = Requirement::new(KAnonymity { k: 2 });
        let lm = loss::find("lm").unwrap();
        Problem::new(table, vec![("age".into(), age, 1.0)], k2, max_suppressed_rows, lm).unwrap()
    }

    fn verdict(problem: &Problem, level: u16, suppressed: [bool; 3]) -> Verdict {
        let recoding = Recoding::FullDomain(Node::new(vec![level]));
        verify(&Release::new(problem, recoding, suppressed.to_vec()))
    }

    #[test]
    fn a_safe_release_says_what_it_achieves() {
        let safe = Verdict::Safe(Achieved { k: 3, degrees: vec![3.0], suppressed_rows: 1 });
        assert_eq!(verdict(&problem(1), 1, [false, false, true]), safe);
    }

    #[test]
    fn a_class_that_is_too_small_is_seen() {
        let seen = verdict(&problem(1), 0, [false, false, true]);
        assert_eq!(seen, Verdict::Unsafe("1 classes do not satisfy k = 2: the worst has 1".into()));
    }

    #[test]
    fn too_many_suppressed_rows_are_seen() {
        let seen = verdict(&problem(1), 1, [true, true, false]);
        assert_eq!(seen, Verdict::Unsafe("3 rows are suppressed; at most 1 may be".into()));
    }

    #[test]
    fn suppressing_everything_is_safe_if_allowed() {
        let safe = Verdict::Safe(Achieved { k: 0, degrees: vec![0.0], suppressed_rows: 4 });
        assert_eq!(verdict(&problem(4), 0, [true, true, true]), safe);
    }

    #[test]
    fn each_notion_is_judged_by_its_own_degree() {
        for notion in Notion::ALL {
            let example = five_rows(notion);
            let achieved = Achieved { k: 1, degrees: vec![2.0], suppressed_rows: 0 };
            let expected = match notion {
                Notion::K => Verdict::Unsafe("3 classes do not satisfy k = 2: the worst has 1".into()),
                Notion::GlobalOneK => {
                    let reason = "1 rows do not satisfy global (1,k)-anonymity for k = 2";
                    Verdict::Unsafe(reason.into())
                }
                _ => Verdict::Safe(achieved),
            };
            assert_eq!(verify(&example.release()), expected, "{}", notion.name());
        }
    }

    #[test]
    fn a_value_that_does_not_cover_is_seen_whatever_the_notion() {
        for notion in Notion::ALL {
            let example = Example::new(&[(2, "00", "0*"), (2, "01", "*0")], notion);
            let reason = "a released value of column 'b' does not cover the original one";
            assert_eq!(verify(&example.release()), Verdict::Unsafe(reason.into()));
        }
    }
}
