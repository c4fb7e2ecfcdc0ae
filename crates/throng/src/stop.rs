//! Why a search stops, and how those who work for it ask whether to go on.

/// Why a search ended before it was through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time limit is over.
    TimeLimit,
    /// The caller cancelled.
    Cancelled,
    /// The lattice has more nodes than the algorithm can take on.
    LatticeTooLarge,
    /// More candidates are open than are kept in memory: what was found so far stands.
    TooManyOpen,
    /// The table has more distinct tuples, or rows, than the algorithm can take on.
    TableTooLarge,
}

/// Asked now and then whether to go on, from any thread.
pub(crate) type GoOn<'a> = dyn Fn() -> Result<(), Stop> + Sync + 'a;
