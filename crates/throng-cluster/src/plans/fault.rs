//! Errors on their way through DataFusion, which knows them as text, and across machines.

use datafusion::common::DataFusionError;
use serde::{Deserialize, Serialize};

use throng_tables::error::{EngineError, Fault};

/// What stands before an error of ours in a text of others, which may quote it: so what follows is but digits.
const MARK: &str = "throng-fault-";

const NOT_THERE: &str =
    "a file is missing, or is not on every node: all nodes must see the same files under the same names";
const DAMAGED: &str = "a file is damaged, or was changed while it was read";

/// An error of ours as text: of the input, of the memory, or of the machine otherwise.
#[derive(Serialize, Deserialize)]
enum CarriedFault {
    Input(Fault),
    Memory(Fault),
    Machine(Fault),
}

/// An error that DataFusion can carry. It names no cell, as all of ours.
pub(crate) fn as_fault(error: EngineError) -> DataFusionError {
    let carried = match error {
        EngineError::BadInput(fault) => CarriedFault::Input(fault),
        EngineError::Memory(fault) => CarriedFault::Memory(fault),
        EngineError::Data(fault) | EngineError::Lost(fault) => CarriedFault::Machine(fault),
        other => CarriedFault::Machine(other.to_string().into()),
    };
    let bytes = serde_json::to_vec(&carried).unwrap_or_default();
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    DataFusionError::Execution(format!("{MARK}{digits}."))
}

/// What of an error may be shown: ours as it is; of others what kind it is, because they may quote a cell.
pub(crate) fn explain(text: &str, doing: &str) -> EngineError {
    if let Some(carried) = text.split(MARK).nth(1).and_then(read) {
        return match carried {
            CarriedFault::Input(fault) => EngineError::BadInput(fault),
            CarriedFault::Memory(fault) => EngineError::Memory(fault),
            CarriedFault::Machine(fault) => EngineError::Data(fault),
        };
    }
    let kinds = [
        (true, "No such file", NOT_THERE),
        (true, "not found", NOT_THERE),
        (true, "Permission denied", "a file may not be read or written"),
        (true, "No space left", "a disk is full"),
        (true, "Resources exhausted", "there is not enough memory"),
        (true, "Generic S3 error", "an object store does not answer, or refuses"),
        (false, "incorrect number of fields", "the rows of a text file have different numbers of cells"),
        (false, "invalid UTF-8", "a text file is not UTF-8, or a quote in it is never closed"),
        (false, "Parquet error", DAMAGED),
        (false, "Parquet argument error", DAMAGED),
        (false, "Ipc error", DAMAGED),
        (false, "snappy", DAMAGED),
        (false, "ZSTD", DAMAGED),
        (false, "Zstd", DAMAGED),
        (false, "corrupt", DAMAGED),
    ];
    let found = kinds.iter().find(|(_, part, _)| text.contains(part));
    let &(machine, _, why) = found.unwrap_or(&(true, "", "a plan failed, for an unknown reason"));
    match machine {
        true => EngineError::Data(format!("{doing}: {why}").into()),
        false => EngineError::bad(format!("{doing}: {why}")),
    }
}

fn read(text: &str) -> Option<CarriedFault> {
    let digits = text.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    serde_json::from_slice(&bytes?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_ours_come_through_and_others_show_no_cell() {
        let ours = EngineError::bad("half a \"character\"").in_column("age").at_row(7).in_file("a.csv");
        let (shown, ours) = (ours.to_string(), as_fault(ours).to_string());
        for text in [ours.clone(), format!("Job failed: DataFusionError({ours:?})")] {
            let error = explain(&text, "counting");
            assert!(matches!(error, EngineError::BadInput(_)), "{error}");
            assert_eq!((error.to_string(), error.row()), (shown.clone(), Some(7)));
        }
        let error = explain("Cast error: cannot cast 'Ann Smith' to Int32", "counting");
        assert!(matches!(error, EngineError::Data(_)) && !error.to_string().contains("Ann"), "{error}");
        for text in
            ["Parquet error: EOF", "Arrow error: Parquet argument error: EOF", "Arrow error: Ipc error: x"]
        {
            let error = explain(text, "counting");
            assert!(
                matches!(error, EngineError::BadInput(_)) && error.to_string().contains("damaged"),
                "{error}"
            );
        }
    }
}
