//! Stores for plans of DataFusion, in this process or on a node: made from the environment when one is asked for.

use std::sync::Arc;

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use object_store::ObjectStore;
use url::Url;

use super::bucket;
use crate::lake::as_fault;

/// Local disks, and buckets as the environment says.
#[derive(Debug, Default)]
pub(crate) struct Stores {
    known: DefaultObjectStoreRegistry,
}

impl ObjectStoreRegistry for Stores {
    fn register_store(&self, url: &Url, store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        self.known.register_store(url, store)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        let (known, Some(bucket)) = (self.known.get_store(url), url.host_str()) else {
            return self.known.get_store(url);
        };
        if known.is_ok() || url.scheme() != "s3" {
            return known;
        }
        let store: Arc<dyn ObjectStore> =
            Arc::new(bucket::build(bucket).map_err(|error| -> DataFusionError { as_fault(error) })?);
        self.known.register_store(url, Arc::clone(&store));
        Ok(store)
    }
}
