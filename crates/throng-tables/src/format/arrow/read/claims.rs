//! Looks at the lengths that an Arrow IPC file claims before its reader makes room for them: a file cannot hold more
//! than it has.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use arrow::error::ArrowError;
use arrow::ipc::reader::read_footer_length;
use arrow::ipc::{Block, CompressionType, Message, RecordBatch, root_as_footer, root_as_message};

use crate::input::limits::most_decompressed;

/// Bytes at the end of a file: the length of what is before them, and the mark.
const TRAILER_BYTES: u64 = 10;
/// Bytes before compressed ones that say how many they were.
const LENGTH_BYTES: u64 = 8;
/// What says that the bytes behind it are not compressed after all.
const NOT_COMPRESSED: i64 = -1;
/// As many times as much as its compressed bytes are can a frame of LZ4 hold at most.
const LZ4_TIMES: u64 = 255;

type Result<T> = std::result::Result<T, ArrowError>;

/// A file whose claims are looked at.
pub(crate) struct Claims<'a> {
    file: &'a mut BufReader<File>,
    file_bytes: u64,
}

/// Where a message is, with its metadata, and the body behind it.
struct MessageSpan {
    start: u64,
    metadata_bytes: u64,
    body_bytes: u64,
}

impl<'a> Claims<'a> {
    pub(crate) fn open(file: &'a mut BufReader<File>) -> Result<Claims<'a>> {
        let file_bytes = file.get_ref().metadata()?.len();
        Ok(Claims { file, file_bytes })
    }

    /// The rows of each batch of the file format.
    ///
    /// # Errors
    /// If the file cannot be read, or cannot be what it says.
    pub(crate) fn check_file(mut self) -> Result<Vec<u64>> {
        let end = self.file_bytes.checked_sub(TRAILER_BYTES).ok_or_else(broken)?;
        let trailer = self.read(end, TRAILER_BYTES)?;
        let footer_bytes = read_footer_length(trailer.try_into().map_err(|_| broken())?)? as u64;
        let footer = self.read(end.checked_sub(footer_bytes).ok_or_else(broken)?, footer_bytes)?;
        let footer = root_as_footer(&footer).map_err(|_| broken())?;
        for block in footer.dictionaries().iter().flatten() {
            self.check_block(block)?;
        }
        let batches = footer.recordBatches();
        batches.iter().flatten().map(|block| self.check_block(block)?.ok_or_else(broken)).collect()
    }

    /// Looks at all messages of the stream format.
    ///
    /// # Errors
    /// As of a file.
    pub(crate) fn check_stream(mut self) -> Result<()> {
        let mut at = 0;
        while at < self.file_bytes {
            // Before the message is its length, and before that, but for old streams, a mark.
            let mut length = self.read(at, 4)?;
            at += 4;
            if length == [0xff; 4] {
                length = self.read(at, 4)?;
                at += 4;
            }
            let length = i32::from_le_bytes(length.try_into().map_err(|_| broken())?);
            if length == 0 {
                return Ok(());
            }
            let metadata_bytes = u64::try_from(length).map_err(|_| broken())?;
            let message = self.read(at, metadata_bytes)?;
            let message = root_as_message(&message).map_err(|_| broken())?;
            let body_bytes = u64::try_from(message.bodyLength()).map_err(|_| broken())?;
            let place = MessageSpan { start: at, metadata_bytes, body_bytes };
            at = self.end_of(&place)?;
            self.check_message(&message, &place)?;
        }
        Ok(())
    }

    /// The rows of what a block of the footer leads to; nothing of a dictionary.
    fn check_block(&mut self, block: &Block) -> Result<Option<u64>> {
        let place = MessageSpan {
            start: u64::try_from(block.offset()).map_err(|_| broken())?,
            metadata_bytes: u64::try_from(block.metaDataLength()).map_err(|_| broken())?,
            body_bytes: u64::try_from(block.bodyLength()).map_err(|_| broken())?,
        };
        self.end_of(&place)?;
        let bytes = self.read(place.start, place.metadata_bytes)?;
        let skipped = if bytes.starts_with(&[0xff; 4]) { 8 } else { 4 };
        let message = root_as_message(bytes.get(skipped..).ok_or_else(broken)?).map_err(|_| broken())?;
        self.check_message(&message, &place)
    }

    fn check_message(&mut self, message: &Message<'_>, place: &MessageSpan) -> Result<Option<u64>> {
        if let Some(dictionary) = message.header_as_dictionary_batch() {
            self.check_batch(dictionary.data().ok_or_else(broken)?, place)?;
            return Ok(None);
        }
        message.header_as_record_batch().map(|batch| self.check_batch(batch, place)).transpose()
    }

    /// The rows of a batch.
    fn check_batch(&mut self, batch: RecordBatch<'_>, place: &MessageSpan) -> Result<u64> {
        let body = place.start + place.metadata_bytes;
        // The bytes that all buffers of the batch were before they were compressed.
        let mut held_bytes: u64 = 0;
        for buffer in batch.buffers().iter().flatten() {
            let offset = u64::try_from(buffer.offset()).map_err(|_| broken())?;
            let length = u64::try_from(buffer.length()).map_err(|_| broken())?;
            if offset.checked_add(length).is_none_or(|end| end > place.body_bytes) {
                return Err(broken());
            }
            if let Some(compression) = batch.compression().filter(|_| length > 0) {
                let bytes = self.decompressed_bytes(compression.codec(), body + offset, length)?;
                held_bytes = held_bytes.checked_add(bytes).ok_or_else(broken)?;
            }
        }
        if held_bytes > most_decompressed(place.body_bytes) {
            return Err(broken());
        }
        // More rows than this not every reader of Arrow takes.
        let rows = i32::try_from(batch.length()).map_err(|_| broken())?;
        u64::try_from(rows).map_err(|_| broken())
    }

    /// What a compressed buffer says that it holds.
    fn decompressed_bytes(&mut self, codec: CompressionType, start: u64, length: u64) -> Result<u64> {
        let compressed_bytes = length.checked_sub(LENGTH_BYTES).ok_or_else(broken)?;
        let said = self.read(start, LENGTH_BYTES)?;
        let said = i64::from_le_bytes(said.try_into().map_err(|_| broken())?);
        if said == NOT_COMPRESSED {
            return Ok(compressed_bytes);
        }
        let said = u64::try_from(said).map_err(|_| broken())?;
        let is_lz4 = codec == CompressionType::LZ4_FRAME;
        if is_lz4 && said > compressed_bytes.saturating_mul(LZ4_TIMES) {
            return Err(broken());
        }
        Ok(said)
    }

    /// Where a message ends: within the file.
    fn end_of(&self, place: &MessageSpan) -> Result<u64> {
        let end = place.start.checked_add(place.metadata_bytes);
        let end = end.and_then(|end| end.checked_add(place.body_bytes));
        end.filter(|&end| end <= self.file_bytes).ok_or_else(broken)
    }

    fn read(&mut self, start: u64, length: u64) -> Result<Vec<u8>> {
        if start.checked_add(length).is_none_or(|end| end > self.file_bytes) {
            return Err(broken());
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| broken())?];
        self.file.seek(SeekFrom::Start(start))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

fn broken() -> ArrowError {
    ArrowError::IpcError("the file is damaged".to_owned())
}
