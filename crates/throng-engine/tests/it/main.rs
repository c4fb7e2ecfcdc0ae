//! Jobs from their files to their releases, through the public interface.
//!
//! * [`sandbox`]: a directory, and jobs run in it; [`table`]: tables as text
//! * [`truth`]: judges a release by the text of the input and of the hierarchies alone
//! * the others: one subject each

mod bad_rows;
mod cancellation;
mod changed;
mod changed_input;
mod claims;
mod class_numbers;
mod formats;
mod frontier;
mod fuzzed;
mod generalise;
mod hierarchies;
mod hospital;
mod in_memory;
mod init;
mod irregular;
mod many_files;
mod missing;
mod optimal;
mod order;
mod places;
mod report;
mod reuse;
mod sandbox;
mod small;
mod spelling;
mod suppression;
mod table;
mod threads;
mod truth;
mod types;
mod unseen;
