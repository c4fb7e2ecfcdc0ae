//! The bytes of text files, passed on to somebody else while they are decoded, so that the files are not read once more.
//!
//! Several threads may read a file, each a piece. Whoever wants its bytes gets them in order, by a [`PassedBytes`]; what
//! comes before its turn waits, up to a limit. What nobody passed on, or what did not find room, is read from the file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::named::NamedFile;

/// Bytes that wait for their turn: enough for a piece of each of several threads.
const MOST_WAITING: usize = 32 << 20;

/// The bytes of the files of a table on their way from those who decode them.
#[derive(Debug)]
pub struct SharedBytes {
    /// The files, and how many bytes each has.
    files: Vec<(NamedFile, u64)>,
    most_waiting: usize,
    state: Mutex<Passed>,
    moved: Condvar,
    /// Nothing is taken any more: all was read, or nobody wants it.
    is_over: AtomicBool,
    read_again: AtomicU64,
}

/// What was passed on. Places are those of bytes: which file, and where in it.
#[derive(Debug, Default)]
struct Passed {
    waiting: BTreeMap<(usize, u64), Vec<u8>>,
    waiting_bytes: usize,
    /// Where bytes begin and end that found no room.
    missed: BTreeMap<(usize, u64), u64>,
    /// What is wanted next, and whether somebody waits for it.
    next: (usize, u64),
    is_waited_for: bool,
    /// Nobody wants any of it.
    is_unwanted: bool,
}

impl Passed {
    /// The bytes that are wanted next, as far as they are there.
    fn take_next(&mut self) -> Option<Vec<u8>> {
        let (file, at) = self.next;
        loop {
            let (&(found, start), bytes) = self.waiting.first_key_value()?;
            let is_done = found < file || found == file && start + bytes.len() as u64 <= at;
            if !is_done && ((found, start) > self.next) {
                return None;
            }
            let (_, mut bytes) = self.waiting.pop_first()?;
            self.waiting_bytes -= bytes.len();
            if !is_done {
                bytes.drain(..(at - start) as usize);
                return Some(bytes);
            }
        }
    }

    /// Where what found no room ends, if the byte that is wanted next is part of it.
    fn end_of_missed(&self) -> Option<u64> {
        let (file, at) = self.next;
        let (&(missed, _), &end) = self.missed.range(..=self.next).next_back()?;
        (missed == file && at < end).then_some(end)
    }
}

impl SharedBytes {
    /// Those of some files, none of which was read yet: their sizes, and what of each will be decoded.
    pub(crate) fn new(files: Vec<(NamedFile, u64, Range<u64>)>) -> SharedBytes {
        SharedBytes::with_room(files, MOST_WAITING)
    }

    fn with_room(files: Vec<(NamedFile, u64, Range<u64>)>, most_waiting: usize) -> SharedBytes {
        let mut missed = BTreeMap::new();
        for (file, (_, bytes, decoded)) in files.iter().enumerate() {
            missed.insert((file, 0), decoded.start);
            missed.insert((file, decoded.end), *bytes);
        }
        SharedBytes {
            files: files.into_iter().map(|(file, bytes, _)| (file, bytes)).collect(),
            most_waiting,
            state: Mutex::new(Passed { missed, ..Passed::default() }),
            moved: Condvar::new(),
            is_over: AtomicBool::new(false),
            read_again: AtomicU64::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Passed> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on bytes that were read. Who is far ahead waits, unless whoever wants the bytes waits, too.
    fn pass(&self, file: usize, start: u64, bytes: &[u8]) {
        if bytes.is_empty() || self.is_over.load(Ordering::Relaxed) {
            return;
        }
        let end = start + bytes.len() as u64;
        let mut passed = self.lock();
        loop {
            if self.is_over.load(Ordering::Relaxed) || (file, end) <= passed.next {
                return;
            }
            let is_next = (file, start) <= passed.next;
            if is_next || passed.waiting_bytes + bytes.len() <= self.most_waiting {
                break;
            }
            if passed.is_waited_for {
                passed.missed.insert((file, start), end);
                return;
            }
            passed = self.moved.wait(passed).unwrap_or_else(PoisonError::into_inner);
        }
        if (file, start) <= passed.next {
            passed.is_waited_for = false;
        }
        passed.waiting_bytes += bytes.len();
        if let Some(before) = passed.waiting.insert((file, start), bytes.to_vec()) {
            passed.waiting_bytes -= before.len();
        }
        drop(passed);
        self.moved.notify_all();
    }

    /// All was decoded that will be: from now on the rest is read from the files.
    pub fn end(&self) {
        let passed = self.lock();
        self.is_over.store(true, Ordering::Relaxed);
        drop(passed);
        self.moved.notify_all();
    }

    /// Bytes that were not passed on, and were read from the files.
    pub fn bytes_read_again(&self) -> u64 {
        self.read_again.load(Ordering::Relaxed)
    }

    /// Nobody wants the bytes any more.
    pub fn forget(&self) {
        self.lock().is_unwanted = true;
        self.end();
    }
}

/// A file that is decoded, whose bytes are passed on.
pub(crate) struct SharedFile {
    file: File,
    /// With whom, which file it is, and where in it the next byte is.
    shared: Option<(Arc<SharedBytes>, usize, u64)>,
}

impl SharedFile {
    /// A file from some place on.
    pub(crate) fn from(
        mut file: File,
        start: u64,
        shared: Option<(Arc<SharedBytes>, usize)>,
    ) -> io::Result<SharedFile> {
        if start > 0 {
            file.seek(SeekFrom::Start(start))?;
        }
        Ok(SharedFile { file, shared: shared.map(|(shared, at)| (shared, at, start)) })
    }
}

impl Read for SharedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        if let Some((shared, file, at)) = &mut self.shared {
            shared.pass(*file, *at, &buffer[..read]);
            *at += read as u64;
        }
        Ok(read)
    }
}

/// The bytes of one of the files, in order, as many as it had at first. The files must be taken one after the other.
pub struct PassedBytes<'s> {
    shared: &'s SharedBytes,
    file: usize,
    at: u64,
    held: Vec<u8>,
    taken: usize,
    /// The file itself, where bytes were not passed on.
    own: Option<File>,
}

impl SharedBytes {
    /// The bytes of a file, if it is one of them.
    pub fn bytes_of(&self, path: &Path) -> Option<PassedBytes<'_>> {
        let file = self.files.iter().position(|(file, _)| file.name == path)?;
        Some(PassedBytes { shared: self, file, at: 0, held: Vec::new(), taken: 0, own: None })
    }
}

impl PassedBytes<'_> {
    /// What comes next of what was passed on; none if it must be read from the file, up to a place.
    fn wait(&mut self) -> io::Result<Option<u64>> {
        let mut passed = self.shared.lock();
        loop {
            passed.next = (self.file, self.at);
            if passed.is_unwanted {
                return Err(io::Error::other("nobody wants it any more"));
            }
            if let Some(bytes) = passed.take_next() {
                (self.held, self.taken) = (bytes, 0);
                self.shared.moved.notify_all();
                return Ok(None);
            }
            let is_over = self.shared.is_over.load(Ordering::Relaxed);
            let missed = passed.end_of_missed();
            if is_over || missed.is_some() {
                let next = passed.waiting.range(passed.next..).next();
                let end =
                    next.filter(|((file, _), _)| *file == self.file).map_or(u64::MAX, |((_, at), _)| *at);
                return Ok(Some(missed.filter(|_| !is_over).map_or(end, |missed| end.min(missed))));
            }
            passed.is_waited_for = true;
            self.shared.moved.notify_all();
            passed = self.shared.moved.wait(passed).unwrap_or_else(PoisonError::into_inner);
            passed.is_waited_for = false;
        }
    }

    fn read_file(&mut self, buffer: &mut [u8], end: u64) -> io::Result<usize> {
        let file = match &mut self.own {
            Some(file) => file,
            none => none.insert(self.shared.files[self.file].0.open()?),
        };
        file.seek(SeekFrom::Start(self.at))?;
        let most = buffer.len().min(usize::try_from(end - self.at).unwrap_or(usize::MAX));
        let read = file.read(&mut buffer[..most])?;
        self.at += read as u64;
        self.shared.read_again.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Read for PassedBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.shared.files[self.file].1 {
            return Ok(0);
        }
        if self.taken == self.held.len()
            && let Some(end) = self.wait()?
        {
            return self.read_file(buffer, end);
        }
        let read = (&self.held[self.taken..]).read(buffer)?;
        self.taken += read;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn text(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|at| (at * 31 % 251) as u8).collect()
    }

    /// What comes out while `threads` read pieces of a file from `start` to `end`, and how much of it was passed on.
    fn passed(threads: usize, room: usize, start: u64, end: u64) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t");
        let text = text(300_000);
        std::fs::write(&path, &text).unwrap();
        let shared =
            Arc::new(SharedBytes::with_room(vec![(NamedFile::here(&path), 300_000, start..end)], room));
        let (path, next) = (&path, &Mutex::new(start));
        let bytes = thread::scope(|scope| {
            let wanted = scope.spawn(|| {
                let mut bytes = Vec::new();
                shared.bytes_of(path).unwrap().read_to_end(&mut bytes).map(|_| bytes)
            });
            let shared = &shared;
            let readers: Vec<_> = (0..threads)
                .map(|_| {
                    scope.spawn(move || {
                        loop {
                            let mut next = next.lock().unwrap();
                            let piece = *next..end.min(*next + 10_000);
                            *next = piece.end;
                            drop(next);
                            if piece.is_empty() {
                                return;
                            }
                            let file = File::open(path).unwrap();
                            let file = SharedFile::from(file, piece.start, Some((Arc::clone(shared), 0)));
                            let mut piece = file.unwrap().take(piece.end - piece.start);
                            io::copy(&mut piece, &mut io::sink()).unwrap();
                        }
                    })
                })
                .collect();
            readers.into_iter().for_each(|reader| reader.join().unwrap());
            shared.end();
            wanted.join().unwrap()
        });
        assert!(bytes.unwrap() == text, "{threads} threads, room for {room}");
    }

    #[test]
    fn all_bytes_come_in_order() {
        for threads in [1, 2, 5] {
            for room in [0, 1, 9_000, 1 << 20] {
                passed(threads, room, 0, 300_000);
                passed(threads, room, 77, 299_000);
            }
        }
        passed(0, 1 << 20, 0, 0);
    }

    #[test]
    fn files_come_one_after_the_other() {
        let directory = tempfile::tempdir().unwrap();
        let paths: Vec<_> = (0..3).map(|at| directory.path().join(at.to_string())).collect();
        paths.iter().zip(["one", "", "three"]).for_each(|(path, text)| std::fs::write(path, text).unwrap());
        let sizes = [3, 0, 5];
        let files = paths.iter().zip(sizes).map(|(path, size)| (NamedFile::here(path), size, 0..size));
        let shared = SharedBytes::new(files.collect());
        shared.pass(2, 0, b"thr");
        shared.pass(0, 0, b"one");
        shared.pass(2, 3, b"ee");
        let texts = paths.iter().map(|path| io::read_to_string(shared.bytes_of(path).unwrap()).unwrap());
        assert_eq!(texts.collect::<Vec<_>>(), ["one", "", "three"]);
    }

    #[test]
    fn bytes_that_are_read_again_come_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t");
        std::fs::write(&path, b"abcdef").unwrap();
        let shared = SharedBytes::new(vec![(NamedFile::here(&path), 6, 0..6)]);
        shared.pass(0, 0, b"abc");
        shared.pass(0, 1, b"bcd");
        shared.pass(0, 0, b"a");
        shared.end();
        shared.pass(0, 4, b"XX");
        let mut text = String::new();
        shared.bytes_of(&path).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "abcdef");
    }

    #[test]
    fn who_wants_none_ends() {
        let shared = SharedBytes::new(vec![(NamedFile::here(Path::new("none")), 9, 0..9)]);
        shared.forget();
        assert!(shared.bytes_of(Path::new("none")).unwrap().read(&mut [0; 8]).is_err());
        // Nobody is kept waiting.
        shared.pass(0, 9, &[0; 100]);
    }
}
