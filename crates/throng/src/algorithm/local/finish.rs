//! From the classes that an algorithm ends with to a proposal.

use super::admissible::Admissibility;
use super::closure::Closures;
use super::mend::mend;
use super::peel::peel;
use super::pieces::{Piece, recode};
use crate::problem::Problem;
use crate::recoding::{Local, Recoding};
use crate::run::{Run, Stop};
use crate::stop::GoOn;
use crate::verify::{Verdict, verify};

/// Proposes classes once those that fail are [mended](mend) and all have [given away](peel) what they can
/// spare; nothing if not even one class of all rows may be released.
pub(in crate::algorithm) fn propose(
    problem: &Problem,
    closures: &Closures,
    admissibility: &Admissibility,
    classes: Vec<Vec<Piece>>,
    run: &mut Run<'_>,
) -> Result<(), Stop> {
    let local = finish(problem, closures, admissibility, classes, &|| run.unless_cancelled())?;
    local.into_iter().for_each(|local| run.propose(local));
    Ok(())
}

/// Proposes classes as they were found, once those that fail are [mended](mend): for algorithms as printed,
/// whose classes need that only where a model looks at more than their size. No classes are no release.
pub(in crate::algorithm) fn propose_as_found(
    problem: &Problem,
    closures: &Closures,
    admissibility: &Admissibility,
    classes: Vec<Vec<Piece>>,
    run: &mut Run<'_>,
) -> Result<(), Stop> {
    if classes.is_empty() {
        return Ok(());
    }
    let go_on = || run.unless_cancelled();
    let Some(classes) = mend(problem, closures, admissibility, classes, &go_on)? else { return Ok(()) };
    let local = release(problem, admissibility, &classes, &go_on)?;
    local.into_iter().for_each(|local| run.propose(local));
    Ok(())
}

/// Proposes classes as they are; nothing if they may not be released.
pub(in crate::algorithm) fn propose_as_they_are(
    problem: &Problem,
    admissibility: &Admissibility,
    classes: &[Vec<Piece>],
    run: &mut Run<'_>,
) -> Result<(), Stop> {
    let local = recode(problem, classes, &|| run.unless_cancelled())?;
    if admissibility.by_size().is_some() || is_admissible(problem, &local) {
        run.propose(local);
    }
    Ok(())
}

/// The recoding that is proposed. `go_on` may stop it.
pub(in crate::algorithm) fn finish(
    problem: &Problem,
    closures: &Closures,
    admissibility: &Admissibility,
    classes: Vec<Vec<Piece>>,
    go_on: &GoOn<'_>,
) -> Result<Option<Local>, Stop> {
    let Some(classes) = mend(problem, closures, admissibility, classes, go_on)? else { return Ok(None) };
    // Classes that lose rows may become equal to others, which only some models allow.
    let peels = admissibility.holds_for_unions();
    let classes = if peels { peel(problem, closures, admissibility, classes, go_on)? } else { classes };
    release(problem, admissibility, &classes, go_on)
}

/// The recoding of classes that are all ripe.
fn release(
    problem: &Problem,
    admissibility: &Admissibility,
    classes: &[Vec<Piece>],
    go_on: &GoOn<'_>,
) -> Result<Option<Local>, Stop> {
    let local = recode(problem, classes, go_on)?;
    if admissibility.holds_for_unions() || is_admissible(problem, &local) {
        return Ok(Some(local));
    }
    // Over fewer quasi-identifiers classes are unions of these, and fail; but not if there is one only.
    let local = recode(problem, &[classes.concat()], go_on)?;
    Ok(is_admissible(problem, &local).then_some(local))
}

/// By the labels that a reader sees: different values may have the same.
pub(in crate::algorithm) fn is_admissible(problem: &Problem, local: &Local) -> bool {
    matches!(verify(&Recoding::Local(local.clone()).apply(problem)), Verdict::Safe(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::local::admissible::LargestShare;
    use crate::algorithm::{BLOCK_ROWS, Entry, Serves, Settings, registry};
    use crate::loss;
    use crate::privacy::{DistinctL, KAnonymity, Monotonicity, PrivacyModel};
    use crate::random::Random;
    use crate::requirement::{Requirement, Requirements};
    use crate::run::Unobserved;
    use crate::solve::{Outcome, solve};
    use crate::table::{Carried, Table};
    use crate::taxonomy::{self, Taxonomy};
    use crate::verify::{Verdict, verify};

    /// A class has an even number of rows: nothing follows for unions with others.
    #[derive(Debug)]
    struct Even;

    impl PrivacyModel for Even {
        fn name(&self) -> &'static str {
            "even"
        }

        fn degree(&self, class: &crate::privacy::Class<'_>, _: &crate::privacy::Whole) -> f64 {
            f64::from(u8::from(class.rows.is_multiple_of(2)))
        }

        fn asked(&self) -> f64 {
            1.0
        }

        fn direction(&self) -> crate::privacy::Direction {
            crate::privacy::Direction::MoreIsSafer
        }

        fn monotonicity(&self) -> Monotonicity {
            Monotonicity::None
        }
    }

    fn table(random: &mut Random, rows: usize) -> Table {
        let mut all: Vec<([u32; 2], u32)> = (0..rows)
            .map(|_| {
                (
                    [random.index(6) as u32, random.index(3) as u32],
                    random.index(4) as u32 / 2 + random.index(2) as u32,
                )
            })
            .collect();
        all.sort_unstable();
        let keys: Vec<[u32; 2]> = all.iter().map(|&(key, _)| key).collect();
        let codes: Vec<Vec<u32>> = all
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| same.iter().map(|&(_, code)| code).collect())
            .collect();
        Table::from_rows(2, &keys).with_carried(vec![Carried::from_codes("illness", &codes)])
    }

    fn asked(random: &mut Random) -> Requirements {
        let k = Requirement::new(KAnonymity { k: 1 + random.index(4) as u64 });
        let other = match random.index(5) {
            0 => Requirement::new(DistinctL { l: 2 + random.index(2) as u64, column: 0 }),
            1 => Requirement::new(DistinctL { l: 2, column: 0 }).over([1]),
            2 => Requirement::new(LargestShare { most: 0.5, column: 0 }),
            3 => Requirement::new(LargestShare { most: 0.6, column: 0 }).over([0]),
            _ => Requirement::new(Even),
        };
        vec![k, other].into()
    }

    fn taxonomies(trees: bool) -> Vec<Taxonomy> {
        let tree = (0..6).map(|i| [i.to_string(), format!("a{}", i / 2), "*".into()]);
        match trees {
            true => vec![
                Taxonomy::from_rows(&tree.collect::<Vec<_>>()).unwrap(),
                Taxonomy::flat(&["p", "q", "r"]).unwrap(),
            ],
            false => vec![
                taxonomy::ranges(&["1", "2", "5", "7", "20", "21"], None).unwrap(),
                taxonomy::sets(&["p", "q", "r"], 2).unwrap(),
            ],
        }
    }

    fn served() -> impl Iterator<Item = &'static Entry> {
        // Those that form classes of tables of any size.
        registry().iter().filter(|entry| entry.takes(&BLOCK_ROWS) && entry.serves == Serves::OfTable)
    }

    /// Whether all rows in one class may be released: then something may.
    fn one_class_holds(problem: &Problem) -> bool {
        let all = (0..problem.table().tuples() as u32).collect();
        is_admissible(problem, &crate::algorithm::local::recode(problem, &[all], &|| Ok(())).unwrap())
    }

    #[test]
    fn releases_satisfy_every_model_or_there_is_none() {
        let mut found = [0; 2];
        for seed in 0..400 {
            let random = &mut Random::new(seed);
            let rows = 1 + random.index(40);
            let (table, asked, trees) = (table(random, rows), asked(random), random.once_in(2));
            let names = ["x", "y"].map(String::from).into_iter();
            let attributes = names.zip(taxonomies(trees)).map(|(name, taxonomy)| (name, taxonomy, 1.0));
            let lm = loss::find(if random.once_in(2) { "lm" } else { "entropy" }).unwrap();
            let mut problem = Problem::new(table, attributes.collect(), asked, 0, lm).unwrap();
            let settings = Settings::default().with("shrink", &random.once_in(2).to_string());
            problem.settings = settings.unwrap();
            for entry in served() {
                let outcome = solve(&problem, entry, None, &Unobserved).outcome;
                let context = format!("seed {seed}, {}: {:?}", entry.name, problem.requirements);
                let Outcome::Found(recoding) = outcome else {
                    assert!(!one_class_holds(&problem), "{context}");
                    found[0] += 1;
                    continue;
                };
                let verdict = verify(&recoding.apply(&problem));
                assert!(matches!(verdict, Verdict::Safe(_)), "{context}: {verdict:?}");
                found[1] += 1;
            }
        }
        assert!(found.iter().all(|&times| times >= 50), "{found:?}");
    }
}
