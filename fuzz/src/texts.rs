//! Files that are read whole, and addresses.

use std::path::Path;

use throng::taxonomy::{self, Notation, dates, intervals_in, parse, parse_separated, ranges_in, to_text};
use throng_engine::address::{Address, DatabaseAddress, ObjectAddress};
use throng_engine::frontier::FrontierSummary;
use throng_engine::input::dialect::{DialectOverrides, sniff, sniff_with};
use throng_engine::input::scheme;
use throng_engine::job::{ClusterAddress, Job, JobFlags};
use throng_engine::reuse::{Delivery, SavedRecoding};

/// Any text is an address of each kind, or an error.
pub fn address(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let path = Path::new(text);
    if DatabaseAddress::parse(text).is_ok() {
        assert!(matches!(Address::from_path(path), Address::Postgres(_)));
    }
    if let Address::Object(path) = Address::from_path(path)
        && let Ok(address) = ObjectAddress::parse(&path)
    {
        let shown = format!("s3://{}/{}", address.bucket, address.key);
        assert_eq!(ObjectAddress::parse(Path::new(&shown)).ok(), Some(address));
    }
    if let Ok(address) = ClusterAddress::parse(text) {
        let shown = format!("df://{}:{}", address.host, address.port);
        assert_eq!(ClusterAddress::parse(&shown).ok(), Some(address));
    }
    let _ = scheme::local(path);
}

/// Sniffing accepts any bytes, and its answer can be used as an override.
pub fn dialect(sample: &[u8]) {
    let dialect = sniff(sample);
    assert!(b"\t;|,".contains(&dialect.delimiter));
    assert_eq!(dialect.quote, b'"');
    let fixed = DialectOverrides {
        delimiter: Some(char::from(dialect.delimiter)),
        quote: Some(char::from(dialect.quote)),
        ..DialectOverrides::default()
    };
    let again = sniff_with(sample, &fixed).expect("a sniffed dialect is a valid override");
    assert_eq!(again, dialect);
}

/// Any bytes are a front or an error; a front survives being written and read again.
pub fn frontier(bytes: &[u8]) {
    if let Ok(front) = FrontierSummary::parse(bytes) {
        let written = serde_json::to_vec(&front).expect("what was read can be written");
        assert_eq!(FrontierSummary::parse(&written).expect("what was written can be read"), front);
        let _ = front.point(1);
    }
}

/// Any text is a hierarchy or an error, and a hierarchy survives being written and read again.
pub fn hierarchy(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(taxonomy) = parse(text) {
        assert!(parse(&to_text(&taxonomy)).as_ref() == Ok(&taxonomy));
        assert_eq!(taxonomy::lines(text, None).map(|lines| lines.len()), Ok(taxonomy.leaf_total()));
        let _ = taxonomy.with_missing();
    }
    for separator in [',', '|'] {
        let _ = parse_separated(text, Some(separator));
    }
}

/// Any text is a job or an error; a valid job survives being written and read again.
pub fn job(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let valid = |job: &Job| job.validate().is_ok();
    if let Some(mut job) = Job::parse(text, Path::new("/base")).ok().filter(valid) {
        let written = job.to_toml().expect("paths from text are Unicode");
        let again = Job::parse(&written, Path::new("/other")).expect("what was written can be read");
        // Comments are no keys, and are not written.
        job.comments.clear();
        assert_eq!(job, again);
    }
}

/// Any texts have a notation, or none that could be told, and whatever is built of them as numbers is a hierarchy that
/// survives being written and read again.
pub fn numbers(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut values: Vec<&str> = text.split('\n').collect();
    values.sort_unstable();
    values.dedup();
    let found = Notation::infer(&values).ok();
    for notation in [Notation::Plain, Notation::Point, Notation::Comma].into_iter().chain(found) {
        if let Ok(taxonomy) = intervals_in(&values, &[5.0, 10.0], 0.0, notation) {
            assert_eq!(taxonomy.leaf_total(), values.len());
            let again = parse(&to_text(&taxonomy)).expect("what was built can be read");
            assert_eq!(again.to_rows(), taxonomy.to_rows());
        }
        if let Ok(taxonomy) = ranges_in(&values, None, notation) {
            assert_eq!(taxonomy.leaf_total(), values.len());
        }
    }
    let _ = dates(&values, &[], None);
}

/// Any bytes are a recoding or an error; a recoding survives being written and read again, and makes a job or an error.
pub fn recoding(bytes: &[u8]) {
    if let Ok(saved) = SavedRecoding::parse(bytes) {
        let written = saved.to_json().expect("what was read can be written");
        assert_eq!(SavedRecoding::parse(written.as_bytes()).expect("what was written can be read"), saved);
        let flags =
            JobFlags { input: Some("in.csv".into()), output: Some("out.csv".into()), ..JobFlags::default() };
        if let Ok(job) = saved.job(Path::new("/none/r.json"), Delivery { flags, ..Delivery::default() }) {
            let _ = job.validate();
        }
    }
}
