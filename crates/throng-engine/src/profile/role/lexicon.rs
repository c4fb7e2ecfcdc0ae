//! Words in the names of columns that say what a column is for, in English, German, French, Spanish, Italian, Dutch,
//! Portuguese and Polish.
//!
//! Phrases have commas between them; they are stems without accents, in which a star stands for any letters. One of
//! several words is found when these stand next to each other, or run together. A phrase after `=` must be the whole
//! name, because the word means something else in others.

mod kept;
mod known;
mod persons;
mod special;
mod surveys;

pub(super) use kept::{SENSITIVE, TARGETS, TEXTS};
pub(super) use known::{FINE, QUASI};
pub(super) use persons::{
    ABBREVIATED_PEOPLE, COUNTED, FIRST_NUMBERS, IDENTIFIERS, JOINED_KEYS, KEYS, NAMES, NUMBERS,
    PARTS_OF_NAMES, PEOPLE, PROFESSIONALS, PROPERTIES, RECORDS, THINGS,
};
pub(super) use special::SPECIAL;
pub(super) use surveys::{BODIES, BODY_MEASURES, BODY_OR_SAMPLING, HOUSEHOLDS, SAMPLING_WEIGHTS, SURVEYS};
