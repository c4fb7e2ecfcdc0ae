//! Pieces read one after the other are the file read from its start.

use throng::random::Random;

use super::super::pieces::cut_off;
use super::*;
use crate::error::Result;
use crate::format::csv::TextRows;
use crate::input::dialect::DialectOverrides;
use crate::input::source::Source;

/// What a reader gives: the cells of each batch, and the error that ends it.
fn read_all(rows: Result<TextRows>) -> (Vec<String>, Option<String>) {
    let mut batches = Vec::new();
    for batch in rows.unwrap() {
        match batch {
            Ok(batch) => batches.push(format!("{:?}", batch.columns())),
            Err(error) => return (batches, Some(error.to_string())),
        }
    }
    (batches, None)
}

/// A cell as people and programs write it, rightly and wrongly.
fn cell(random: &mut Random) -> Vec<u8> {
    let plain: [&[u8]; 7] = [b"a", b"", b"bc", "\u{e9}".as_bytes(), b"x y", MARK, b"0"];
    let inner: [&[u8]; 7] = [b"\n", b"\r\n", b",", b"\"\"", b"d", b"\r", b"\n\n"];
    let mut cell = Vec::new();
    let mut add = |random: &mut Random, of: &[&[u8]]| {
        cell.extend_from_slice(of[random.below(of.len() as u64) as usize]);
    };
    match random.below(12) {
        0..=4 => add(random, &plain),
        5..=8 => {
            add(random, &[b"\""]);
            (0..random.below(4)).for_each(|_| add(random, &inner));
            add(random, &[b"\""]);
        }
        // A quote within a cell is text, and so is what follows a closed one.
        9 => (0..3).for_each(|at| add(random, [&plain[..], &[b"\""], &plain[..]][at])),
        10 => add(random, &[b"\"e\"f", b"\"e\" ", b"\"\"g", b"h\"\"", b"\"i\"j\"k"]),
        _ => add(random, &[b"\"\"", b"\"\"\"\"", b" \"l\""]),
    }
    cell
}

/// A table of two columns, with now and then a fault.
fn table(random: &mut Random) -> Vec<u8> {
    let mut text = if random.below(4) == 0 { MARK.to_vec() } else { Vec::new() };
    text.extend_from_slice(if random.below(5) == 0 { b"\"x\ny\",z\r\n" } else { b"x,y\n" });
    let has_faults = random.below(3) == 0;
    for _ in 0..random.below(40) {
        let cells = match random.below(30) {
            0 if has_faults => 1,
            1 if has_faults => 3,
            _ => 2,
        };
        for at in 0..cells {
            text.extend_from_slice(if at > 0 { b"," } else { b"" });
            text.extend_from_slice(&cell(random));
        }
        if has_faults && random.below(40) == 0 {
            text.push(0xc3);
        }
        let ends: [&[u8]; 5] = [b"\n", b"\n", b"\r\n", b"\r", b"\n\r\n\n"];
        text.extend_from_slice(ends[random.below(5) as usize]);
    }
    match random.below(6) {
        0 => text.extend_from_slice(b"last,\"open\nand"),
        1 => text.extend_from_slice(b"last,one"),
        _ => {}
    }
    text
}

/// Whatever quotes, line ends and faults a file has and wherever it is cut: the same batches, up to the same error.
#[test]
fn pieces_are_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.csv");
    let (mut cut_files, mut faulty, mut unclosed) = (0, 0, 0);
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        std::fs::write(&path, table(&mut random)).unwrap();
        let header = Some(random.below(3) > 0);
        let overrides = DialectOverrides {
            delimiter: Some(','),
            quote: Some('"'),
            header,
            encoding: Some("UTF-8".to_owned()),
            ..DialectOverrides::default()
        };
        let Ok(source) = Source::open(&path, &overrides) else { continue };
        let dialect = Dialect { trim: random.below(4) == 0, ..source.dialect().unwrap() };
        let batch_rows = 1 + random.below(5);
        let whole = read_all(TextRows::open(&source, dialect, &[1, 0], batch_rows as usize));
        let piece_bytes = 1 + random.below(60);
        let start = source.preamble_bytes as u64;
        let cutter = Cutter { piece_bytes, batch_rows, ..Cutter::new(&path, dialect, start) };
        let Some(pieces) = cutter.cut().unwrap() else {
            assert!(whole.1.is_some(), "{seed}: an open quote is an error");
            unclosed += 1;
            continue;
        };
        let pieces = cut_off(pieces, source.text_end);
        let (mut batches, mut error, mut rows) = (Vec::new(), None, 0);
        for (at, &piece) in pieces.iter().enumerate() {
            assert!(piece.start < piece.end && piece.rows_before >= rows, "{seed}: {pieces:?}");
            assert!(at == 0 || pieces[at - 1].end == piece.start, "{seed}: {pieces:?}");
            rows = piece.rows_before;
            let read = read_all(TextRows::open_piece(&source, dialect, &[1, 0], piece, batch_rows as usize));
            batches.extend(read.0);
            error = read.1;
            if error.is_some() {
                break;
            }
        }
        assert_eq!((batches, error), whole, "{seed}: {pieces:?}");
        cut_files += usize::from(pieces.len() > 2);
        faulty += usize::from(whole.1.is_some());
    }
    assert!(cut_files > 300 && faulty > 100 && unclosed > 50, "{cut_files} {faulty} {unclosed}");
}

#[test]
fn a_file_without_line_breaks_is_one_piece() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.csv");
    let dialect = Dialect { delimiter: b',', quote: b'"', header: false, trim: false, marked: false };
    let cut = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Cutter { piece_bytes: 3, batch_rows: 1, ..Cutter::new(&path, dialect, 0) }.cut().unwrap()
    };
    let piece = |start, end, rows_before| Piece { start, end, rows_before };
    assert_eq!(cut("a,b,c,d,e"), Some(vec![piece(0, 9, 0)]));
    assert_eq!(cut("a,b\nc,d\n"), Some(vec![piece(0, 4, 0), piece(4, 8, 1)]));
    assert_eq!(cut("a,\"\n\n\n\"\n"), Some(vec![piece(0, 8, 0)]));
    assert_eq!((cut(""), cut("a,\"b\nc\n")), (Some(vec![]), None));
}
