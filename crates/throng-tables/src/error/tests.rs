use std::io;

use super::*;

/// The kind, the file, row and column, and the text.
fn parts(error: &EngineError) -> (ErrorKind, Option<&str>, Option<u64>, Option<&str>, String) {
    let file = error.file().and_then(Path::to_str);
    (error.kind(), file, error.row(), error.column(), error.to_string())
}

#[test]
fn the_text_is_composed_of_the_place_and_the_reason() {
    let bare = EngineError::bad("k is 0");
    assert_eq!(parts(&bare), (ErrorKind::BadInput, None, None, None, "k is 0".into()));
    let full = EngineError::bad("odd").in_file("a.csv").at_row(3).in_column("age");
    let text = "a.csv: row 3, column 'age': odd".to_owned();
    assert_eq!(parts(&full), (ErrorKind::BadInput, Some("a.csv"), Some(3), Some("age"), text));
    assert_eq!(full.message(), "odd");
    let header = EngineError::bad("odd").in_file("a.csv").at_row(0);
    assert_eq!((header.to_string().as_str(), header.row()), ("a.csv: the header: odd", Some(0)));
    let within = EngineError::bad("odd").in_column("age").within("'forest'");
    assert_eq!(within.to_string(), "'forest': column 'age': odd");
}

#[test]
fn what_the_reason_tells_is_not_said_twice() {
    let error = EngineError::bad("there is no column 'a', 'b'").about_columns(["a", "b"]).in_file("t.csv");
    assert_eq!(error.to_string(), "t.csv: there is no column 'a', 'b'");
    assert_eq!((error.column(), error.columns()), (Some("a"), &["a".to_owned(), "b".to_owned()][..]));
    let file = EngineError::bad("t.csv exists already").about_file(Path::new("t.csv"));
    assert_eq!((file.to_string().as_str(), file.file()), ("t.csv exists already", Some(Path::new("t.csv"))));
}

#[test]
fn each_kind_begins_in_its_own_way() {
    let io = EngineError::Io {
        path: "a.csv".into(),
        action: "cannot read",
        cause: io::Error::from(io::ErrorKind::PermissionDenied),
    };
    let (kind, file, .., text) = parts(&io);
    assert_eq!(
        (kind, file, text.as_str()),
        (ErrorKind::Io, Some("a.csv"), "a.csv: cannot read: permission denied")
    );
    assert_eq!(io.message(), "cannot read: permission denied");
    let data = EngineError::Data("cannot read it as text".into()).in_file("a.csv");
    assert_eq!(data.to_string(), "the data engine failed: a.csv: cannot read it as text");
    assert_eq!(data.message(), "the data engine failed: cannot read it as text");
    let unverified = EngineError::Unverified("a class of 1".into());
    assert_eq!(unverified.to_string(), "the written file failed verification and was removed: a class of 1");
    let missing = EngineError::not_found(Path::new("a.csv"), "there is no such file");
    assert_eq!(parts(&missing).4, "a.csv: there is no such file");
    assert_eq!(EngineError::Interrupted.in_file("a.csv").to_string(), "interrupted; nothing was written");
}

#[test]
fn front_ends_get_the_parts_that_are_known() {
    let full = EngineError::bad("odd").in_file("a.csv").at_row(3).in_column("age");
    let json = |error: &EngineError| serde_json::to_string(error).unwrap();
    assert_eq!(
        json(&full),
        r#"{"kind":"bad-input","file":"a.csv","row":3,"column":"age","columns":["age"],"message":"odd"}"#
    );
    assert_eq!(
        json(&EngineError::Interrupted),
        r#"{"kind":"interrupted","message":"interrupted; nothing was written"}"#
    );
    let typo = EngineError::bad("odd").at_character(2, 7).in_file("job.toml");
    assert_eq!((typo.line(), typo.character(), typo.row()), (Some(2), Some(7), None));
    assert_eq!(typo.to_string(), "job.toml: line 2, column 7: odd");
}

#[test]
fn errors_of_the_core_keep_their_columns_and_lines() {
    let weight = ProblemError::Weight { column: "age".into(), weight: 0.0 };
    let text = weight.to_string();
    assert_eq!(parts(&weight.into()), (ErrorKind::BadInput, None, None, Some("age"), text));
    let ragged = TaxonomyError::Ragged { row: 4, found: 2, expected: 3 };
    let error = EngineError::from(ragged).in_file("age.csv");
    assert_eq!((error.line(), error.row()), (Some(4), None));
    assert!(error.to_string().starts_with("age.csv: line 4: 2 columns where"), "{error}");
}
