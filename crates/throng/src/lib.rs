//! The core of throng: finds, applies and judges recodings that make a table safe to publish.
//!
//! Pure and synchronous: no files, no printing. A [`Table`](table::Table) of distinct
//! quasi-identifier tuples, a [`Taxonomy`](taxonomy::Taxonomy) for each attribute and a
//! [`Requirement`](requirement::Requirement) make a [`Problem`](problem::Problem); an algorithm
//! of the [registry](algorithm::registry) [solves](solve::solve) it; applying the
//! [`Recoding`](recoding::Recoding) gives a [`Release`](release::Release), which
//! [`verify`](verify::verify) judges and the [measures](loss::measures) measure.
//!
//! ```
//! use throng::{algorithm, loss, privacy::KAnonymity, problem::Problem, requirement::Requirement};
//! use throng::{run::Unobserved, solve::{Outcome, solve}, table::Table, taxonomy::Taxonomy};
//! use throng::verify::{Verdict, verify};
//!
//! let sex = Taxonomy::flat(&["female", "male"])?;
//! let age = Taxonomy::from_rows(&[["31", "30-39", "*"], ["35", "30-39", "*"], ["47", "40-49", "*"]])?;
//! let table = Table::from_rows(2, &[[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]]);
//!
//! let problem = Problem::new(
//!     table,
//!     vec![("sex".into(), sex, 1.0), ("age".into(), age, 1.0)],
//!     Requirement::new(KAnonymity { k: 2 }),
//!     1, // the row of age 47 may be suppressed
//!     loss::find("lm").unwrap(),
//! )?;
//! let solution = solve(&problem, algorithm::find("flash").unwrap(), None, &Unobserved);
//! let Outcome::Found(recoding) = solution.outcome else { panic!("k = 2 can be had") };
//! let release = recoding.apply(&problem);
//!
//! assert_eq!(release.node().unwrap().levels(), [0, 1]);
//! assert!(matches!(verify(&release), Verdict::Safe(achieved) if achieved.k == 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod algorithm;
pub mod attack;
mod bounds;
mod classes;
pub mod consistency;
pub mod cut;
pub mod evaluation;
pub mod frontier;
pub mod keep;
pub mod lattice;
pub mod loss;
pub mod masked;
pub mod notion;
pub mod privacy;
pub mod problem;
pub mod random;
pub mod recoding;
pub mod release;
pub mod requirement;
pub mod run;
pub mod sample;
pub mod setting;
pub mod solve;
pub mod stop;
pub mod table;
pub mod tally;
pub mod taxonomy;
pub mod verify;
pub mod wording;

pub use algorithm::local::regions;

/// The examples of CONTRIBUTING are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
