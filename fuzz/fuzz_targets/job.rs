//! Any text is a job or an error; a valid job survives being written and read again.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use throng_engine::job::Job;

fuzz_target!(|text: &str| {
    let valid = |job: &Job| job.validate().is_ok();
    if let Some(job) = Job::parse(text, Path::new("/base")).ok().filter(valid) {
        let written = job.to_toml().expect("paths from text are Unicode");
        let again = Job::parse(&written, Path::new("/other")).expect("what was written can be read");
        assert_eq!(job, again);
    }
});
