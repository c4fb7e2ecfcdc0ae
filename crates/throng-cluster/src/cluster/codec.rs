//! Our operators as bytes, beside those of Ballista and DataFusion.

use std::sync::Arc;

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::common::{Result, internal_err};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use serde::{Deserialize, Serialize};

use crate::plans::{LastMapping, PartExec, PartTask, as_fault};
use throng_tables::error::EngineError;

/// What our operators begin with.
const MARK: &[u8] = b"throng-plan\n";

/// Reads and writes plans that have our operators.
#[derive(Debug, Default)]
pub(super) struct Codec {
    others: BallistaPhysicalExtensionCodec,
    /// What this node read last of what releases are made by.
    mappings: LastMapping,
}

#[derive(Serialize, Deserialize)]
struct Message {
    version: String,
    #[serde(flatten)]
    task: serde_json::Value,
}

/// Whoever asks and whoever does must mean the same by an operator.
fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

impl PhysicalExtensionCodec for Codec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(bytes) = bytes.strip_prefix(MARK) else {
            return self.others.try_decode(bytes, inputs, context, converter);
        };
        let [input] = inputs else { return internal_err!("an operator of throng has one input") };
        Ok(Arc::new(PartExec::new(
            Arc::clone(input),
            read(bytes).map_err(as_fault)?.with_mappings(&self.mappings),
        )))
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let Some(operator) = node.downcast_ref::<PartExec>() else {
            return self.others.try_encode(node, bytes, converter);
        };
        let json = |error: serde_json::Error| datafusion::common::DataFusionError::External(error.into());
        let task = serde_json::to_value(operator.task()).map_err(json)?;
        bytes.extend_from_slice(MARK);
        serde_json::to_writer(bytes, &Message { version: version(), task }).map_err(json)
    }
}

fn read(bytes: &[u8]) -> throng_tables::error::Result<PartTask> {
    let unknown = || EngineError::Data("a node of the cluster does not know an operator of throng".into());
    let message: Message = serde_json::from_slice(bytes).map_err(|_| unknown())?;
    if message.version != version() {
        return Err(EngineError::Data(
            format!(
                "a node of the cluster runs throng {}, and was asked by throng {}; start all nodes from the same version",
                version(),
                message.version
            )
            .into(),
        ));
    }
    serde_json::from_value(message.task).map_err(|_| unknown())
}

#[cfg(test)]
mod tests {
    use throng_engine::nodes::PartLook;

    use super::*;

    #[test]
    fn looks_come_through_as_they_are() {
        let looks = Arc::new(vec![(PartLook::Identifiers, vec![3, 1]), (PartLook::Mentions, vec![2])]);
        let task = serde_json::to_value(PartTask::Look { looks: Arc::clone(&looks) }).unwrap();
        let message = serde_json::to_vec(&Message { version: version(), task }).unwrap();
        assert!(matches!(read(&message), Ok(PartTask::Look { looks: found }) if found == looks));
        let task = serde_json::to_value(PartTask::Hash).unwrap();
        let message = serde_json::to_vec(&Message { version: version(), task }).unwrap();
        assert!(matches!(read(&message), Ok(PartTask::Hash)));
    }

    #[test]
    fn another_version_is_refused() {
        let message = |version: &str| format!("{{\"version\":\"{version}\",\"task\":\"count\"}}");
        assert!(matches!(read(message(&version()).as_bytes()), Ok(PartTask::Count)));
        let error = read(message("0.0.7").as_bytes()).err().unwrap().to_string();
        assert!(error.contains("asked by throng 0.0.7") && error.contains(&version()), "{error}");
        assert!(read(b"{}").is_err());
    }
}
