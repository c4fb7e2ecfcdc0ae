//! The real binary, as people and scripts run it.

mod anonymize;
mod attack;
mod bad_input;
mod bad_table;
mod blocks;
mod catalogue;
mod check;
mod compare;
mod demo;
mod evaluate;
mod formats;
mod frontier;
mod generalise;
mod guide;
mod hierarchy;
mod init;
mod interruption;
mod outcomes;
mod population;
mod profile;
mod pseudonyms;
mod read_back;
mod requirements;
mod sandbox;
mod settings;
mod targets;
