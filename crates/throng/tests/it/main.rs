//! Tests of the core against an oracle that shares no code with it.
//!
//! * [`case`]: tables of text; [`random`]: random ones; [`models`]: what they must satisfy
//! * [`oracle`]: brute force over rows of text, every measure from its definition
//! * [`agreement`]: every registered algorithm against the oracle; [`several`]: where several things are
//!   asked; [`persons`]: where several rows are of one person; [`population`]: where the table is a sample
//! * [`evaluations`], [`cuts`], [`archive`], [`parts`]: what searches note, cuts, frontiers and divided
//!   tuples against the oracle; [`lies`]: releases that are broken in one way
//! * [`levels`]: columns that may not be released at all levels
//! * [`cut_searches`]: every registered search of cuts against all cuts; [`heuristic_min`]: the examples of
//!   the paper
//! * [`target_searches`]: the same with and without a target, step by step; [`targets`]: the tables of section
//!   5.2 of 'Data privacy with heuristic anonymisation'
//! * [`consistency`]: the notions against brute force over rows of text; [`attacks`]: the adversaries
//! * [`printed`]: algorithms as printed against transcriptions of the paper
//! * [`leaving_out`]: local algorithms where rows may be suppressed
//! * [`local_models`]: local algorithms with every model
//! * [`printed`]: the printed variants against programs written from the papers' text
//! * [`records`]: local searches against the best partition of records; [`min_gen`]: the fewest generalisations
//!   of cells against all there are
//! * [`definitions`]: every privacy model, word by word; [`degrees`]: the crate's against these and against
//!   numbers worked by hand; [`least`]: how many rows of a class must go
//! * [`tall`]: more rows than 32 bits can count
//! * [`large`]: more classes and values than fit in small tables and one thread
//! * the others: hand-worked results, laws, keys of many words, stops, the Adult table

mod adult;
mod agreement;
mod archive;
mod asking;
mod attacks;
mod case;
mod consistency;
mod cut_searches;
mod cuts;
mod definitions;
mod degrees;
mod evaluations;
mod golden;
mod heuristic_min;
mod keys;
mod large;
mod least;
mod leaving_out;
mod levels;
mod lies;
mod local;
mod local_models;
mod measures;
mod min_gen;
mod missing;
mod models;
mod open;
mod oracle;
mod parts;
mod patience;
mod persons;
mod population;
mod printed;
mod properties;
mod random;
mod records;
mod refusals;
mod settings;
mod several;
mod stops;
mod tall;
mod target_searches;
mod targets;
mod ties;
mod wide;

/// The algorithms that search the lattice.
fn full_domain() -> impl Iterator<Item = &'static throng::algorithm::Entry> {
    let all = throng::algorithm::registry().iter();
    all.filter(|entry| entry.family == throng::algorithm::Family::FullDomain)
}
