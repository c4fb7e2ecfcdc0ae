//! Where a scheduler is.

use crate::error::{EngineError, Result};

/// The port that schedulers have unless somebody says otherwise.
const USUAL_PORT: u16 = 50050;

/// The address of a scheduler, `df://host:port`.
///
/// ```
/// use throng_engine::job::ClusterAddress;
///
/// let address = ClusterAddress::parse("df://scheduler.example")?;
/// assert_eq!((address.host.as_str(), address.port), ("scheduler.example", 50050));
/// assert!(ClusterAddress::parse("http://scheduler.example").is_err());
/// # Ok::<(), throng_engine::error::EngineError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterAddress {
    /// A name or a number; one of version 6 in brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl ClusterAddress {
    /// Reads an address.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(text: &str) -> Result<ClusterAddress> {
        let wrong = |why: &str| {
            EngineError::bad((
                format!("'{text}' is not the address of a cluster: {why}"),
                format!(
                    "an address is df://HOST:PORT, such as df://localhost:{USUAL_PORT}, or 'local' to run \
                     plans in this process"
                ),
            ))
        };
        let rest = text.strip_prefix("df://").ok_or_else(|| wrong("it does not begin with df://"))?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let colon = rest.rfind(':').filter(|&at| !rest[at..].contains(']'));
        let (host, port) = match colon {
            Some(at) => (&rest[..at], rest[at + 1..].parse().map_err(|_| wrong("its port is not a number"))?),
            None => (rest, USUAL_PORT),
        };
        if host.is_empty() || host.contains(['/', '?', '@', '#']) {
            return Err(wrong("it names no host"));
        }
        Ok(ClusterAddress { host: host.to_owned(), port })
    }

    /// Host and port, as sockets are named.
    pub fn socket(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let of = |text: &str| ClusterAddress::parse(text).map(|address| address.socket());
        assert_eq!(of("df://localhost:1234").unwrap(), "localhost:1234");
        assert_eq!(of("df://[::1]/").unwrap(), "[::1]:50050");
        for text in ["", "localhost:50050", "df://", "df://a:b", "df://u@h", "df://:50050"] {
            assert!(of(text).unwrap_err().to_string().contains("df://HOST:PORT"), "{text}");
        }
    }
}
