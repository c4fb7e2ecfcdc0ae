//! The real binary, as people and scripts run it.

mod anonymize;
mod attack;
mod bad_input;
mod bad_table;
mod catalogue;
mod check;
mod compare;
mod demo;
mod formats;
mod hierarchy;
mod interruption;
mod outcomes;
mod sandbox;
