//! Any text is a job or an error; a job survives being written and read again.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use throng_engine::job::Job;

fuzz_target!(|text: &str| {
    if let Ok(job) = Job::parse(text, Path::new("/base")) {
        let written = job.to_toml().expect("paths from text are Unicode");
        let again = Job::parse(&written, Path::new("/other")).expect("what was written can be read");
        assert_eq!(job, again);
    }
});
