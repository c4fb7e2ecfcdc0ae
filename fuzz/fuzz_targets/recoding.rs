//! Any bytes are a recoding or an error; a recoding survives being written and read again, and makes a job or an error.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use throng_engine::job::JobFlags;
use throng_engine::reuse::{Delivery, SavedRecoding};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(saved) = SavedRecoding::parse(bytes) {
        let written = saved.to_json().expect("what was read can be written");
        assert_eq!(SavedRecoding::parse(written.as_bytes()).expect("what was written can be read"), saved);
        let flags = JobFlags { input: Some("in.csv".into()), output: Some("out.csv".into()), ..JobFlags::default() };
        if let Ok(job) = saved.job(Path::new("/none/r.json"), Delivery { flags, ..Delivery::default() }) {
            let _ = job.validate();
        }
    }
});
