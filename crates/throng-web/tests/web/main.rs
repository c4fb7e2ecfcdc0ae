//! The server as a client meets it, by raw bytes: what it refuses, and the way from a table to a release.

mod answers;
mod client;
mod formats;
mod hostile;
mod journey;
mod locked;
mod steps;
