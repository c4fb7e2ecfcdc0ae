//! Text as gzip by all threads.
//!
//! Blocks of text are compressed side by side, each by itself, and follow each other in one member, so a reader finds
//! nothing special. Where blocks begin depends on the text alone, so its bytes do, too.

use std::fs::File;
use std::io::{self, Write};

use flate2::{Compress, Compression, Crc, FlushCompress};
use rayon::prelude::*;

/// Bytes of text that are compressed by themselves: far more than the 32 KiB that matches reach back.
const BLOCK_BYTES: usize = 1 << 20;

/// A deflated member without a name, of no time and of no known system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// A file of gzip on its way to the disk.
pub(super) struct Gzip {
    file: File,
    /// Text that is not compressed yet.
    waiting: Vec<u8>,
    sum: Crc,
}

impl Gzip {
    /// Starts to write to `file`.
    pub(super) fn new(mut file: File) -> io::Result<Gzip> {
        file.write_all(&HEADER)?;
        Ok(Gzip { file, waiting: Vec::new(), sum: Crc::new() })
    }

    /// Writes what waits, and the end.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.compress(self.waiting.len())?;
        let mut end = deflate(&[], FlushCompress::Finish)?;
        end.extend(self.sum.sum().to_le_bytes());
        end.extend(self.sum.amount().to_le_bytes());
        self.file.write_all(&end)
    }

    /// Writes the first bytes of those that wait.
    fn compress(&mut self, bytes: usize) -> io::Result<()> {
        let blocks = self.waiting[..bytes].par_chunks(BLOCK_BYTES).map(|block| {
            let mut sum = Crc::new();
            sum.update(block);
            deflate(block, FlushCompress::Sync).map(|compressed| (compressed, sum))
        });
        for (compressed, sum) in blocks.collect::<io::Result<Vec<_>>>()? {
            self.file.write_all(&compressed)?;
            self.sum.combine(&sum);
        }
        self.waiting.drain(..bytes);
        Ok(())
    }
}

impl Write for Gzip {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        let blocks = self.waiting.len() / BLOCK_BYTES;
        if blocks >= 2 * rayon::current_num_threads() {
            self.compress(blocks * BLOCK_BYTES)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Some text by itself, up to a whole byte.
fn deflate(text: &[u8], flush: FlushCompress) -> io::Result<Vec<u8>> {
    let mut deflater = Compress::new(Compression::default(), false);
    let mut compressed = Vec::with_capacity(text.len() / 4 + 64);
    loop {
        let taken = deflater.total_in() as usize;
        deflater.compress_vec(&text[taken..], &mut compressed, flush).map_err(io::Error::other)?;
        // There is more to come as long as it has filled all the room.
        if deflater.total_in() as usize == text.len() && compressed.len() < compressed.capacity() {
            return Ok(compressed);
        }
        compressed.reserve(compressed.capacity() / 2);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;
    use throng::random::Random;

    use super::*;

    /// Text that compresses well, and text that does not at all, over the ends of blocks.
    #[test]
    fn readers_of_one_member_find_all_of_it() {
        let mut random = Random::new(1);
        for bytes in [0, 1, BLOCK_BYTES, BLOCK_BYTES + 1, 9 * BLOCK_BYTES + 77] {
            let noise: Vec<u8> = (0..bytes).map(|_| random.bits() as u8).collect();
            let plain: Vec<u8> = (0..bytes).map(|place| b"0123,abc\n"[place % 9]).collect();
            for text in [noise, plain] {
                let mut written = tempfile::NamedTempFile::new().unwrap();
                let mut gzip = Gzip::new(written.reopen().unwrap()).unwrap();
                text.chunks(300_001).for_each(|piece| gzip.write_all(piece).unwrap());
                gzip.finish().unwrap();
                let mut file = Vec::new();
                written.read_to_end(&mut file).unwrap();
                let (mut read, mut member) = (Vec::new(), GzDecoder::new(file.as_slice()));
                member.read_to_end(&mut read).unwrap();
                assert!(read == text, "{bytes} bytes");
                assert!(member.into_inner().is_empty(), "nothing follows the member");
            }
        }
    }
}
