//! Stores for plans of DataFusion, in this process or on a node: made from the environment when one is asked for.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use object_store::ObjectStore;
use url::Url;

use crate::plans::as_fault;
use throng_tables::s3::build_store;

/// Local disks, and buckets as the environment says.
pub(crate) fn registry() -> Arc<dyn ObjectStoreRegistry> {
    Arc::new(LocalAndBuckets::default())
}

/// Local disks, and buckets as the environment says.
#[derive(Debug, Default)]
struct LocalAndBuckets {
    known: DefaultObjectStoreRegistry,
}

impl ObjectStoreRegistry for LocalAndBuckets {
    fn register_store(&self, url: &Url, store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        self.known.register_store(url, store)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        let known = self.known.get_store(url);
        match url.host_str() {
            Some(bucket) if known.is_err() && url.scheme() == "s3" => {
                let store: Arc<dyn ObjectStore> = Arc::new(build_store(bucket).map_err(as_fault)?);
                self.known.register_store(url, Arc::clone(&store));
                Ok(store)
            }
            _ => known,
        }
    }
}
