//! The server as a client meets it, by raw bytes: what it refuses, and the way from a table to a release.

mod client;
mod hostile;
mod journey;
mod locked;
