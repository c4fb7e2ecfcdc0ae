//! What a search keeps of the candidates that it meets.

mod all;
mod archive;
mod best;

pub use all::All;
pub use archive::{Archive, ArchiveObjective};
pub use best::Best;

use crate::evaluation::Evaluation;
use crate::recoding::Recoding;

/// A candidate that was kept, and what it is worth.
pub type Kept = (Recoding, Evaluation);

/// Where candidates go that may be released.
pub trait Keep: Send + Sync {
    /// Takes note of a candidate.
    fn offer(&mut self, recoding: &Recoding, evaluation: &Evaluation);

    /// A cost such that no candidate that costs as much or more would be kept: searches pass over those.
    fn bound(&self) -> f64 {
        f64::INFINITY
    }

    /// What was kept, the best first.
    fn kept(&self) -> &[Kept];
}
