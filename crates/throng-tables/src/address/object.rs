//! Where a table of an object store is.

use std::path::{Path, PathBuf};

use glob::Pattern;

use super::pattern::{OPTIONS, is_pattern};
use crate::error::{EngineError, Result};

/// What the addresses of object stores begin with.
const SCHEME: &str = "s3://";

/// A bucket, and a key, a prefix or a pattern of keys in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectAddress {
    /// The bucket.
    pub bucket: String,
    /// The key, without a slash before it.
    pub key: String,
}

impl ObjectAddress {
    /// Reads an address. What is wrong with one is said without it: it may hold what belongs elsewhere.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(path: &Path) -> Result<ObjectAddress> {
        let rest = path.to_str().and_then(|text| text.get(SCHEME.len()..)).unwrap_or_default();
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        let is_name = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        if bucket.is_empty() || !bucket.chars().all(is_name) {
            return Err(EngineError::bad((
                "an address in an object store must be s3://BUCKET/KEY, such as s3://clinic/people.parquet",
                "credentials and the location of the store come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL), never from an address",
            )));
        }
        let is_odd = |part: &str| matches!(part, "" | "." | "..");
        if key.strip_suffix('/').unwrap_or(key).split('/').any(is_odd) && !key.is_empty() {
            return Err(EngineError::bad(
                "the parts of a key between slashes cannot be empty, . or .., because other programs would \
                    read those as a different key",
            )
            .in_file(path));
        }
        Ok(ObjectAddress { bucket: bucket.to_owned(), key: key.to_owned() })
    }

    /// The address of another key of the bucket.
    pub fn at(&self, key: &str) -> PathBuf {
        PathBuf::from(format!("{SCHEME}{}/{key}", self.bucket))
    }

    /// Whether it says that it means all keys below it.
    pub fn is_prefix(&self) -> bool {
        self.key.is_empty() || self.key.ends_with('/')
    }

    /// Whether an object of this key would be of the table at this address.
    pub fn would_hold(&self, other: &ObjectAddress) -> bool {
        let below = |key: &str| other.key == key || other.key.starts_with(&format!("{key}/"));
        let prefix = self.key.trim_end_matches('/');
        let matches = || {
            let pattern = is_pattern(Path::new(&self.key)).then(|| Pattern::new(&self.key).ok()).flatten();
            pattern.is_some_and(|pattern| {
                Path::new(&other.key).ancestors().any(|key| pattern.matches_path_with(key, OPTIONS))
            })
        };
        self.bucket == other.bucket && (prefix.is_empty() || below(prefix) || matches())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ObjectAddress> {
        ObjectAddress::parse(Path::new(text))
    }

    #[test]
    fn addresses_are_a_bucket_and_a_key() {
        let address = parse("S3://clinic/a/y=1/x.parquet").unwrap();
        assert_eq!((address.bucket.as_str(), address.key.as_str()), ("clinic", "a/y=1/x.parquet"));
        assert_eq!(address.at("b.csv"), PathBuf::from("s3://clinic/b.csv"));
        assert!(parse("s3://clinic").unwrap().is_prefix() && parse("s3://clinic/a/").unwrap().is_prefix());
        for wrong in ["s3://", "s3:///x", "s3://key:secret@bucket/x"] {
            let error = parse(wrong).unwrap_err().to_string();
            assert!(error.contains("s3://BUCKET/KEY") && !error.contains("secret"), "{error}");
        }
        assert!(parse("s3://b/a//c").is_err() && parse("s3://b/../c").is_err());
    }

    #[test]
    fn what_would_be_of_a_table() {
        let holds = |one: &str, other: &str| parse(one).unwrap().would_hold(&parse(other).unwrap());
        for (one, other) in [
            ("s3://b/in/", "s3://b/in/new.csv"),
            ("s3://b/in", "s3://b/in/new.csv"),
            ("s3://b/in.csv", "s3://b/in.csv"),
            ("s3://b", "s3://b/in.csv"),
            ("s3://b/in/*.csv", "s3://b/in/new.csv"),
            ("s3://b/y=*", "s3://b/y=3/new.csv"),
        ] {
            assert!(holds(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("s3://b/in/", "s3://c/in/new.csv"),
            ("s3://b/in", "s3://b/inner/new.csv"),
            ("s3://b/in/*.csv", "s3://b/in/new.parquet"),
            ("s3://b/in.csv", "s3://b/out.csv"),
        ] {
            assert!(!holds(one, other), "{one} {other}");
        }
    }
}
