//! The bytes of files, decompressed: buffers of Arrow, pages of Parquet, text.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::FileWriter;
use arrow::ipc::{Block, root_as_footer, root_as_message};
use parquet::column::page::PageReader;
use parquet::file::reader::{FileReader as _, SerializedFileReader};

pub(super) fn contains(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}

/// All bytes of a file, or of the files of a directory, as they are and decompressed, each with a name.
pub(super) fn all_bytes(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<PathBuf> = match path.is_dir() {
        true => fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect(),
        false => vec![path.to_owned()],
    };
    files.sort();
    assert!(!files.is_empty());
    let mut all = Vec::new();
    for file in files {
        let name = file.to_string_lossy().into_owned();
        let raw = fs::read(&file).unwrap();
        all.push((name.clone(), decompressed(&name, &raw)));
        all.push((name, raw));
    }
    all
}

fn decompressed(name: &str, raw: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    match name.rsplit('.').next().unwrap() {
        "arrow" => buffers(raw).into_iter().for_each(|buffer| bytes.extend(buffer)),
        "parquet" => pages(raw, &mut bytes),
        "gz" => _ = flate2::read::MultiGzDecoder::new(raw).read_to_end(&mut bytes).unwrap(),
        "zst" => bytes = zstd::decode_all(raw).unwrap(),
        _ => bytes = raw.to_vec(),
    }
    bytes
}

/// The buffers of all record batches and dictionaries of an Arrow file.
fn buffers(raw: &[u8]) -> Vec<Vec<u8>> {
    let end = raw.len() - 10;
    let length = u32::from_le_bytes(raw[end..end + 4].try_into().unwrap()) as usize;
    let footer = root_as_footer(&raw[end - length..end]).unwrap();
    let (batches, lists) = (footer.recordBatches(), footer.dictionaries());
    let blocks: Vec<Block> = batches.iter().chain(&lists).flatten().copied().collect();
    assert!(!blocks.is_empty());
    blocks.iter().flat_map(|block| block_buffers(raw, block)).collect()
}

fn block_buffers(raw: &[u8], block: &Block) -> Vec<Vec<u8>> {
    let start = block.offset() as usize;
    let body = &raw[start + block.metaDataLength() as usize..];
    // A mark and a length are before the message.
    let message = root_as_message(&raw[start + 8..start + block.metaDataLength() as usize]).unwrap();
    let batch = message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch()?.data());
    let batch = batch.unwrap();
    let compressed = batch.compression().is_some();
    let buffer = |at: &arrow::ipc::Buffer| {
        let bytes = &body[at.offset() as usize..][..at.length() as usize];
        match compressed && !bytes.is_empty() {
            false => bytes.to_vec(),
            true => match i64::from_le_bytes(bytes[..8].try_into().unwrap()) {
                -1 => bytes[8..].to_vec(),
                length => {
                    let plain = zstd::decode_all(&bytes[8..]).unwrap();
                    assert_eq!(plain.len() as i64, length);
                    plain
                }
            },
        }
    };
    batch.buffers().unwrap().iter().map(buffer).collect()
}

/// The pages of a Parquet file, dictionaries among them.
fn pages(raw: &[u8], bytes: &mut Vec<u8>) {
    let file = SerializedFileReader::new(bytes::Bytes::copy_from_slice(raw)).unwrap();
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group).unwrap();
        for column in 0..group.num_columns() {
            let mut pages: Box<dyn PageReader> = group.get_column_page_reader(column).unwrap();
            while let Some(page) = pages.get_next_page().unwrap() {
                bytes.extend_from_slice(page.buffer());
            }
        }
    }
    assert!(!bytes.is_empty());
}

pub(super) fn write_arrow(path: &Path, batch: &RecordBatch) {
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

pub(super) fn read_arrow(path: &Path) -> RecordBatch {
    let reader = FileReader::try_new(File::open(path).unwrap(), None).unwrap();
    let schema = reader.schema();
    concat_batches(&schema, &reader.map(Result::unwrap).collect::<Vec<_>>()).unwrap()
}
