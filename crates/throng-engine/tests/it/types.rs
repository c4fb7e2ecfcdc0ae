//! The types of Parquet columns.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Int32Array,
    Int32Builder, Int64Array, ListArray, MapBuilder, RecordBatch, StringArray, StringBuilder,
    StringViewArray, StructArray, TimestampMicrosecondArray,
};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{sort_to_indices, take_record_batch};
use arrow::datatypes::{DataType, Field, Int8Type, Int32Type, Schema};
use throng_engine::error::EngineError;
use throng_engine::progress::Quiet;

use crate::sandbox::Sandbox;
use crate::table::{Table, read_parquet, write_parquet};

const ROWS: i32 = 72;

/// People of four ages; columns of every type that a table is likely to have.
fn people() -> RecordBatch {
    let each = |f: fn(i32) -> i32| (0..ROWS).map(move |row| (row % 7 != 3).then(|| f(row)));
    let record: Int64Array = (0..i64::from(ROWS)).collect::<Vec<_>>().into();
    let age: Int32Array = (0..ROWS).map(|row| 30 + row % 4).collect::<Vec<_>>().into();
    let adult: BooleanArray = (0..ROWS).map(|row| Some(row / 4 % 2 == 0)).collect();
    let born: Date32Array = (0..ROWS).map(|row| 10_000 + row / 8 % 3).collect::<Vec<_>>().into();
    let pay: Decimal128Array = each(|row| row * 101).map(|cell| cell.map(i128::from)).collect();
    let seen: TimestampMicrosecondArray =
        each(|row| row * 1_000_001).map(|cell| cell.map(i64::from)).collect();
    let tags = each(|row| row).map(|cell| cell.map(|n| (0..n % 4).map(Some).collect::<Vec<_>>()));
    let tags = ListArray::from_iter_primitive::<Int32Type, _, _>(tags);
    let place = StructArray::from(vec![(
        Arc::new(Field::new("town", DataType::Utf8, true)),
        Arc::new(each(|row| row % 5).map(|cell| cell.map(|n| format!("town {n}"))).collect::<StringArray>())
            as ArrayRef,
    )]);
    let kind: Vec<Option<String>> =
        each(|row| row % 5).map(|cell| cell.map(|n| format!("kind {n}"))).collect();
    let kind: DictionaryArray<Int8Type> = kind.iter().map(Option::as_deref).collect();
    let view: StringViewArray =
        each(|row| row).map(|cell| cell.map(|n| format!("a rather long text {n}"))).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("record", Arc::new(record)),
        ("age", Arc::new(age)),
        ("adult", Arc::new(adult)),
        ("born", Arc::new(born)),
        ("pay", Arc::new(pay.with_precision_and_scale(12, 2).unwrap())),
        ("seen", Arc::new(seen.with_timezone("UTC"))),
        ("tags", Arc::new(tags)),
        ("place", Arc::new(place)),
        ("kind", Arc::new(kind)),
        ("view", Arc::new(view)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

/// Ages go to ranges, because they count least; the other two stay as they are.
fn job(output: &str, more: &str) -> String {
    format!(
        "input = 'people.parquet'\noutput = {output}\n[columns]\n\
         age = {{ role = 'quasi', hierarchy = {{ intervals = [2, 4] }}, weight = 0.1 }}\n\
         adult = {{ role = 'quasi' }}\nborn = {{ role = 'quasi', hierarchy = {{ dates = ['year'] }} }}\n\
         view = {{ role = 'other', text = 'keep' }}\n'*' = {{ role = 'other' }}\n[privacy]\nk = 6\n[search]\nmeasure = 'iloss'\n{more}"
    )
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[]);
    write_parquet(&sandbox.path("people.parquet"), &people());
    sandbox
}

/// Asserts that all columns but those named are those of the input.
fn assert_kept(release: &RecordBatch, changed: &[&str]) {
    let input = people();
    for (position, field) in input.schema().fields().iter().enumerate() {
        if !changed.contains(&field.name().as_str()) {
            // What has the values of a dictionary or of views is plain.
            let plain = match field.data_type() {
                DataType::Dictionary(_, values) => values,
                DataType::Utf8View => &DataType::LargeUtf8,
                other => other,
            };
            assert_eq!(release.schema().field(position).data_type(), plain, "{field}");
            let table = |batch: &RecordBatch| Table::from_batch(&batch.project(&[position]).unwrap());
            assert_eq!(table(release), table(&input));
        }
    }
}

#[test]
fn generalised_columns_become_text_and_all_others_keep_their_types() {
    let sandbox = sandbox();
    let summary = sandbox.run(&job("'out.parquet'", ""));
    let levels = summary.levels.unwrap();
    assert_eq!(["age", "adult", "born"].map(|name| levels[name].as_u64()), [1, 0, 0].map(Some));
    let release = read_parquet(&sandbox.path("out.parquet"));
    assert_kept(&release, &["age"]);
    let ages = release.column_by_name("age").unwrap();
    assert_eq!(ages.data_type(), &DataType::Utf8);
    assert!(
        ages.as_string::<i32>()
            .iter()
            .enumerate()
            .all(|(row, age)| age == Some(["30-31", "32-33"][row % 4 / 2]))
    );
}

#[test]
fn a_shuffled_release_has_the_same_rows_of_the_same_types() {
    let sandbox = sandbox();
    sandbox.run(&job("{ path = 'out.parquet', order = 'shuffle' }", ""));
    let release = read_parquet(&sandbox.path("out.parquet"));
    let order = sort_to_indices(release.column(0), None, None).unwrap();
    assert_ne!(release.column(0), people().column(0));
    assert_kept(&take_record_batch(&release, &order).unwrap(), &["age"]);
}

#[test]
fn masked_rows_make_all_quasi_identifiers_text() {
    let sandbox = sandbox();
    let mut people = people();
    // One row in six has an age of its own: together they are a crowd.
    let odd = (0..ROWS).map(|row| if row % 6 == 5 { 90 + row } else { 30 });
    let odd: Int32Array = odd.collect::<Vec<_>>().into();
    let mut columns = people.columns().to_vec();
    columns[1] = Arc::new(odd);
    people = RecordBatch::try_new(people.schema(), columns).unwrap();
    write_parquet(&sandbox.path("people.parquet"), &people);
    let job =
        job("{ path = 'out.parquet', suppressed = 'mask' }", "").replace("k = 6", "k = 9\nsuppression = 12");
    let summary = sandbox.run(&job.replace("weight = 0.1", "weight = 9.0"));
    assert_eq!((summary.suppressed_rows, summary.masked_rows), (12, 12));
    let release = Table::from_batch(&read_parquet(&sandbox.path("out.parquet")));
    assert_eq!(release.rows[5][1..4], ["*", "*", "*"]);
    assert_eq!(release.rows[0][1..4], ["30", "true", "1997-05-19"]);
    let types = read_parquet(&sandbox.path("out.parquet")).schema();
    assert!((1..4).all(|column| types.field(column).data_type() == &DataType::Utf8));
    assert_kept(&read_parquet(&sandbox.path("out.parquet")), &["age", "adult", "born"]);
}

#[test]
fn text_cannot_hold_nested_columns() {
    let sandbox = sandbox();
    let error = sandbox.fail(&job("'out.csv'", ""), &Quiet);
    assert!(
        matches!(error, EngineError::BadInput(_)) && error.to_string().contains("column 'tags'"),
        "{error}"
    );
    let without = job("'out.csv'", "")
        .replace("'*' =", "tags = { role = 'identifier' }\nplace = { role = 'identifier' }\n'*' =");
    sandbox.run(&without);
    let release = sandbox.table("out.csv");
    assert_eq!(
        release.rows[0],
        [
            "0",
            "30-31",
            "true",
            "1997-05-19",
            "0.00",
            "1970-01-01T00:00:00Z",
            "kind 0",
            "a rather long text 0"
        ]
    );
    sandbox.run(&without.replace("'out.csv'", "{ path = 'mixed.csv', order = 'shuffle' }"));
    assert_eq!(sandbox.table("mixed.csv").sorted(), release.sorted());
}

/// Also what is no text is looked at when the file is read back.
#[test]
fn a_sensitive_column_of_any_type_is_kept() {
    let sandbox = sandbox();
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for row in 0..ROWS {
        maps.keys().append_value("score");
        maps.values().append_value(row);
        maps.append(true).unwrap();
    }
    let maps: ArrayRef = Arc::new(maps.finish());
    let people = people();
    let scores = Arc::new(Field::new("scores", maps.data_type().clone(), false));
    let schema = people.schema();
    let fields = schema.fields().iter().cloned().chain([scores]);
    let columns = people.columns().iter().cloned().chain([maps]).collect();
    let people = RecordBatch::try_new(Arc::new(Schema::new(fields.collect::<Vec<_>>())), columns).unwrap();
    write_parquet(&sandbox.path("people.parquet"), &people);
    let job = job("'out.parquet'", "");
    let sensitive = "scores = { role = 'sensitive' }\ntags = { role = 'sensitive' }\n'*'";
    sandbox.run(&job.replacen("'*'", sensitive, 1));
    let release = read_parquet(&sandbox.path("out.parquet"));
    assert_eq!(release.column_by_name("scores"), people.column_by_name("scores"));
}

#[test]
fn a_nested_column_is_no_quasi_identifier() {
    let sandbox = sandbox();
    let error =
        sandbox.fail(&job("'out.parquet'", "").replace("'*' =", "tags = { role = 'quasi' }\n'*' ="), &Quiet);
    assert!(matches!(error, EngineError::BadInput(_)) && error.to_string().contains("'tags'"), "{error}");
}

#[test]
fn what_people_wrote_about_a_table_is_released_and_what_programs_wrote_is_named() {
    let sandbox = sandbox();
    let people = people();
    let map = |pairs: &[(&str, &str)]| pairs.iter().map(|&(key, value)| (key.into(), value.into())).collect();
    let mut fields: Vec<Field> =
        people.schema().fields().iter().map(|field| field.as_ref().clone()).collect();
    fields[1] = fields[1].clone().with_metadata(map(&[("comment", "in years"), ("max", "33")]));
    let of_file = map(&[("title", "Visits"), ("pandas", "{\"index_columns\": [\"record\"]}")]);
    let noted = Arc::new(Schema::new_with_metadata(fields, of_file));
    write_parquet(&sandbox.path("people.parquet"), &people.with_schema(noted).unwrap());

    let summary = sandbox.run(&job("'out.parquet'", ""));
    let release = read_parquet(&sandbox.path("out.parquet")).schema();
    assert_eq!(release.metadata(), &map(&[("title", "Visits")]));
    assert_eq!(release.field_with_name("age").unwrap().metadata(), &map(&[("comment", "in years")]));
    let said =
        |summary: &throng_engine::summary::Summary| summary.warnings.last().cloned().unwrap_or_default();
    assert!(said(&summary).ends_with("'pandas'; 'max' of column 'age'"), "{}", said(&summary));
    let bytes = sandbox.bytes("out.parquet");
    assert!(!bytes.windows(13).any(|window| window == b"index_columns"));

    let summary =
        sandbox.run(&job("'out.parquet'", "").replace("out.parquet", "out.csv").replace(
            "'*' = { role = 'other' }",
            "record = { role = 'other' }\n'*' = { role = 'identifier' }",
        ));
    assert!(said(&summary).contains("text has no place for it"), "{}", said(&summary));
}

/// Lists, maps and structures of a table are looked into, at any depth.
#[test]
fn people_in_nested_columns_are_seen() {
    let sandbox = Sandbox::with(&[]);
    let name = |row: i32| {
        let (given, family) = (["Greta", "Jan", "Maria", "Anna"], ["Koch", "Nowak", "Rossi", "Weber"]);
        (given[row as usize % 4], family[row as usize / 4 % 4])
    };
    let text = |of: &dyn Fn(i32) -> String| -> ArrayRef {
        Arc::new((0..ROWS).map(|row| Some(of(row))).collect::<StringArray>())
    };
    let list = |items: ArrayRef| -> ArrayRef {
        let field = Arc::new(Field::new("item", items.data_type().clone(), true));
        Arc::new(ListArray::new(field, OffsetBuffer::from_lengths(vec![1; ROWS as usize]), items, None))
    };
    let record = |name: &str, cells: ArrayRef| -> ArrayRef {
        let field = Arc::new(Field::new(name, cells.data_type().clone(), true));
        Arc::new(StructArray::from(vec![(field, cells)]))
    };
    let columns: [(&str, ArrayRef); 5] = [
        ("age", Arc::new((0..ROWS).map(|row| Some(20 + row % 9)).collect::<Int32Array>())),
        ("contact", record("who", text(&|row| format!("{}, {}", name(row).1, name(row).0)))),
        ("ways", list(record("mail", text(&|row| format!("u{row}@example.org"))))),
        (
            "visits",
            list(text(&|row| {
                format!("Mutter {} {}, Tel. 0171 {}", name(row).0, name(row).1, 1_000_000 + row)
            })),
        ),
        ("marks", list(text(&|row| ["a", "b"][row as usize % 2].to_owned()))),
    ];
    write_parquet(&sandbox.path("people.parquet"), &RecordBatch::try_from_iter(columns).unwrap());
    let job = |columns: &str| {
        format!(
            "input = 'people.parquet'\noutput = 'out.parquet'\n[columns]\nage = {{ role = 'quasi' }}\n{columns}\n\
             '*' = {{ role = 'other' }}\n[privacy]\nk = 5\n"
        )
    };
    let left_out = |names: &[&str]| -> String {
        names.iter().map(|name| format!("{name} = {{ role = 'identifier' }}\n")).collect()
    };
    let refused = sandbox.fail(&job(&left_out(&["visits"])), &Quiet).to_string();
    assert!(refused.contains("'contact.who' (names of people), 'ways.mail' (e-mail addresses)"), "{refused}");
    let refused = sandbox.fail(&job(&left_out(&["contact", "ways"])), &Quiet).to_string();
    assert!(refused.contains("'visits' (some of its cells mention people)"), "{refused}");
    let named =
        "contact = { role = 'other' }\nways = { role = 'other' }\nvisits = { role = 'other', text = 'keep' }";
    let warnings = sandbox.run(&job(named)).warnings.join("\n");
    assert!(warnings.contains("column 'contact.who' would show who is in the table"), "{warnings}");
    assert!(warnings.contains("72 of its cells mention people"), "{warnings}");
    let rest = job(&left_out(&["contact", "ways", "visits"]));
    sandbox.run(&rest.replace("out.parquet", "rest.parquet"));
}
