//! What others can tell from a written release: the table as a stranger sees it, and the original
//! and its release side by side.

pub mod attack;
pub mod degrees;
#[cfg(test)]
mod fixture;
pub mod linkage;
pub mod readback;
