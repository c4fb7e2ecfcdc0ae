//! Numbers of bytes, as people read and write them.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number of bytes: `512 MiB`, `1.5GB`, `2000000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub u64);

const UNITS: [(&str, u64); 9] = [
    ("", 1),
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
];

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = self.0 as f64 / f64::from(1 << 20);
        if mebibytes < 1.0 {
            write!(f, "{:.1} KiB", mebibytes * 1024.0)
        } else if mebibytes < 1024.0 {
            write!(f, "{mebibytes:.1} MiB")
        } else {
            write!(f, "{:.1} GiB", mebibytes / 1024.0)
        }
    }
}

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<ByteSize, String> {
        let refused =
            || format!("a size is a number of bytes above 0, or text such as 512 MiB or 4GB, not '{text}'");
        let trimmed = text.trim();
        let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(end);
        let unit = unit.trim().to_ascii_lowercase();
        let &(_, bytes) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(refused)?;
        let size = match number.parse::<u64>() {
            Ok(number) => number.checked_mul(bytes),
            Err(_) => number.parse::<f64>().ok().map(|number| (number * bytes as f64) as u64),
        };
        size.filter(|&size| size > 0).map(ByteSize).ok_or_else(refused)
    }
}

impl Serialize for ByteSize {
    /// Exactly, so that a job that is written and read is the same.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ByteSize, D::Error> {
        struct Size;

        impl Visitor<'_> for Size {
            type Value = ByteSize;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of bytes, or text such as \"512 MiB\"")
            }

            fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<ByteSize, E> {
                bytes.to_string().parse().map_err(E::custom)
            }

            fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<ByteSize, E> {
                bytes.to_string().parse().map_err(E::custom)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<ByteSize, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_said_as_people_say_them() {
        assert_eq!(ByteSize(1_536).to_string(), "1.5 KiB");
        assert_eq!(ByteSize(12 << 20).to_string(), "12.0 MiB");
        assert_eq!(ByteSize(3 << 29).to_string(), "1.5 GiB");
    }

    #[test]
    fn sizes_are_read() {
        let read = |text: &str| text.parse::<ByteSize>().ok().map(|size| size.0);
        assert_eq!(read("2000000"), Some(2_000_000));
        assert_eq!(
            (read("512 MiB"), read("4GB"), read("1.5gib")),
            (Some(512 << 20), Some(4_000_000_000), Some(3 << 29))
        );
        for bad in ["", "0", "-1", "0 GiB", "4 XB", "GiB", "1.2.3 MB", "NaN", "99999999999 GiB"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
