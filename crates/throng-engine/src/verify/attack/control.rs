//! What a release tells of the people in it that it does not tell of others: attacks measured against a control group, people
//! of the same kind whose rows were left out.
//!
//! The three questions of the European guidance (Article 29 Working Party, Opinion 05/2014 on Anonymisation Techniques) are
//! singling out, linkability and inference; a fourth is membership. The attacks are in the manner of Giomi et al. (2023), where
//! a control group tells what an attacker would have learnt anyway. See [`rates`] for the citation and the formulas.

mod attacks;
mod meaning;
mod nearest;
mod rates;
mod tables;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::error::{EngineError, Result};
use crate::plan::OpenJob;
use crate::progress::{Progress, refuse_cancelled};
use attacks::{People, single_out};
pub use rates::{Rate, RiskRate};
use tables::ThreeTables;

/// Attacks of each kind, unless it is said how many.
pub const ATTACKS: u64 = 2_000;

/// What to attack beside the release.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// The people who were left out.
    pub table: Address,
    /// The most attacks of each kind.
    pub attacks: u64,
    /// Decides who is attacked, and by which questions.
    pub seed: u64,
}

/// What being in the table adds to what others may learn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ControlSummary {
    /// Rows of the control group.
    pub control_rows: u64,
    /// The seed that decided who was attacked.
    pub seed: u64,
    /// Questions made of released cells that are true of exactly one person.
    pub singling_out: RiskRate,
    /// Two halves of what is known of a person, linked through the release; none with a single quasi-identifier.
    pub linkability: Option<RiskRate>,
    /// For each sensitive column, guesses by the quasi-identifiers.
    pub inference: Vec<InferenceRate>,
    /// Whether somebody is in the table.
    pub membership: RiskRate,
}

/// Guesses of a sensitive value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InferenceRate {
    /// The column.
    pub column: String,
    /// How often they are right.
    #[serde(flatten)]
    pub rate: RiskRate,
}

/// Measures the attacks on a release against a control group; must be called in a multi-threaded Tokio runtime.
///
/// # Errors
/// Bad input; a column that one of the tables lacks.
pub async fn measure(
    opened: &OpenJob,
    released: &Address,
    sensitive: &[String],
    control: &Control,
    progress: &dyn Progress,
) -> Result<ControlSummary> {
    if control.attacks == 0 {
        return Err(EngineError::bad(("attacks is 0", "at least one is needed")));
    }
    progress.phase("read");
    let tables = ThreeTables::read(opened, released, &control.table, sensitive, progress).await?;
    progress.phase("attack");
    tokio::task::block_in_place(|| attack_both(&tables, sensitive, control, progress))
}

fn attack_both(
    tables: &ThreeTables,
    sensitive: &[String],
    control: &Control,
    progress: &dyn Progress,
) -> Result<ControlSummary> {
    let (meanings, Control { attacks, seed, .. }) = (tables.meanings(), control.clone());
    let draw = |rows| People::draw(tables, rows, &meanings, attacks, seed);
    let (people, strangers) = (draw(&tables.original), draw(&tables.control));
    let both = |rate: &dyn Fn(&People<'_>) -> Rate| -> Result<RiskRate> {
        refuse_cancelled(progress)?;
        Ok(RiskRate::new(rate(&people), rate(&strangers)))
    };
    refuse_cancelled(progress)?;
    let (of_people, of_strangers) = single_out(tables, &meanings, attacks, seed);
    // Columns in turn, as neighbours are often about the same.
    let half = |first: usize| (first..tables.quasi).step_by(2).collect::<Vec<_>>();
    let halves = [half(0), half(1)];
    let linkability = (tables.quasi > 1).then(|| both(&|people| people.link(&halves))).transpose()?;
    let infer = |(place, column): (usize, &String)| {
        let rate = both(&|people| people.infer(tables.quasi + place))?;
        Ok(InferenceRate { column: column.clone(), rate })
    };
    Ok(ControlSummary {
        control_rows: tables.control.total(),
        seed,
        singling_out: RiskRate::new(of_people, of_strangers),
        linkability,
        inference: sensitive.iter().enumerate().map(infer).collect::<Result<_>>()?,
        membership: both(&|people| people.find_member())?,
    })
}
