//! The bucket of an address, as the environment says it can be reached.

use std::collections::BTreeMap;
use std::env;
use std::future::Future;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::{BackoffConfig, RetryConfig};
use tokio::runtime::{Builder, Runtime};
use url::Url;

use super::answers::Cautious;
use super::fault;
use crate::error::{EngineError, Result};

/// Where a store is said to be, the first that is set.
const ENDPOINTS: [&str; 3] = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"];
/// How long requests that failed are repeated.
const PATIENCE: Duration = Duration::from_secs(20);

/// The store that a bucket is in, as the environment says.
///
/// # Errors
/// If what it says cannot be used.
pub fn build(bucket: &str) -> Result<AmazonS3> {
    let retry = RetryConfig {
        backoff: BackoffConfig { max_backoff: Duration::from_secs(3), ..BackoffConfig::default() },
        max_retries: 4,
        retry_timeout: PATIENCE,
    };
    let builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retry);
    let builder = builder.with_http_connector(Cautious);
    let builder = match endpoint() {
        None => builder,
        Some(endpoint) => {
            let is_plain = is_plain(&endpoint)?;
            let builder = builder.with_endpoint(endpoint);
            // Whoever names such an endpoint has chosen; any other answers by TLS.
            if is_plain { builder.with_allow_http(true) } else { builder }
        }
    };
    builder.build().map_err(|error| fault::of_settings(&error))
}

/// Whether an endpoint is spoken to without TLS.
fn is_plain(endpoint: &str) -> Result<bool> {
    let url = Url::parse(endpoint).ok().filter(|url| url.has_host());
    match url.as_ref().map(Url::scheme) {
        Some("http") => Ok(true),
        Some("https") => Ok(false),
        _ => Err(EngineError::bad((
            "AWS_ENDPOINT_URL is not an address",
            "it must be that of a store, such as https://store.example or http://localhost:9000",
        ))),
    }
}

/// The endpoint that the environment names.
pub(super) fn endpoint() -> Option<String> {
    ENDPOINTS.iter().find_map(|name| env::var(name).ok()).filter(|endpoint| !endpoint.is_empty())
}

/// The same, for requests that [`wait_for`] waits for.
pub(super) fn find(bucket: &str) -> Result<Arc<AmazonS3>> {
    static FOUND: Mutex<BTreeMap<String, Arc<AmazonS3>>> = Mutex::new(BTreeMap::new());
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(store) = found.get(bucket) {
        return Ok(Arc::clone(store));
    }
    let store = Arc::new(build(bucket)?);
    found.insert(bucket.to_owned(), Arc::clone(&store));
    Ok(store)
}

/// Waits for requests. They have a runtime of their own, which lasts as long as their connections: sources are opened by
/// whoever needs one, be it in a runtime or not.
pub(super) fn wait_for<T: Send + 'static>(
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    static RUNTIME: OnceLock<std::io::Result<Runtime>> = OnceLock::new();
    let start = || Builder::new_multi_thread().worker_threads(2).thread_name("store").enable_all().build();
    let runtime = RUNTIME.get_or_init(start).as_ref();
    let runtime = runtime
        .map_err(|cause| EngineError::Data(format!("cannot start a thread for requests: {cause}").into()))?;
    let (sender, receiver) = mpsc::channel();
    runtime.spawn(async move { sender.send(work.await) });
    let stopped = |_| EngineError::Data("a thread for requests stopped unexpectedly".into());
    receiver.recv().map_err(stopped)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_asked_for() {
        assert!(is_plain("http://localhost:9000").unwrap() && !is_plain("https://store.example").unwrap());
        for wrong in ["store.example", "localhost:9000", "ftp://store.example", "http://", "me:secret"] {
            let error = is_plain(wrong).unwrap_err().to_string();
            assert!(error.contains("AWS_ENDPOINT_URL") && !error.contains("secret"), "{error}");
        }
    }
}
