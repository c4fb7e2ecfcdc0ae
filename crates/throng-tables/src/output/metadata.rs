//! What a file says about itself, and what of it a release says, too.
//!
//! Metadata is free text. Much of it is made by programs, and describes the original: names of columns that are left
//! out, least and largest values, how rows were numbered. So only what people write about a table is kept, by its
//! name; all else is dropped, and said to be.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow::datatypes::{Field, Schema};
use throng::wording::{quoted, quoted_list};

use super::plain::{children, map_children};

/// What people write about a table or a column.
const DESCRIPTIVE: [&str; 24] = [
    "author",
    "citation",
    "comment",
    "contact",
    "contributor",
    "copyright",
    "creator",
    "description",
    "doi",
    "homepage",
    "keywords",
    "label",
    "language",
    "licence",
    "license",
    "long_name",
    "publisher",
    "rights",
    "subject",
    "title",
    "unit",
    "units",
    "url",
    "version",
];
/// What makes up an extension type, and the number of a column: no program can read the types without them.
const TECHNICAL: [&str; 3] = ["ARROW:extension:name", "ARROW:extension:metadata", "PARQUET:field_id"];

/// Whether metadata of this name may be released; a vocabulary may stand before it (`dc:title`, `dcterms.license`).
fn is_kept(key: &str) -> bool {
    let name = key.rsplit([':', '.']).next().unwrap_or(key).to_lowercase();
    let vocabulary = key.len() - name.len();
    let known = ["", "dc:", "dc.", "dcterms:", "dcterms.", "schema:"];
    TECHNICAL.contains(&key)
        || DESCRIPTIVE.contains(&name.as_str()) && known.contains(&key[..vocabulary].to_lowercase().as_str())
}

/// Whether metadata of this name says what type is made of the stored one.
pub fn is_of_extension(key: &str) -> bool {
    key.starts_with("ARROW:extension:")
}

/// The same columns, with only the metadata that may be released.
pub fn without_unsafe(schema: &Schema) -> Schema {
    let fields: Vec<Field> = schema.fields().iter().map(|field| describe(field, field.metadata())).collect();
    Schema::new_with_metadata(fields, kept(schema.metadata()))
}

/// The columns of a release, with what their input says of itself and of them.
pub fn carry(release: &Schema, input: &Schema) -> Schema {
    let carry = |field: &Arc<Field>| match input.field_with_name(field.name()) {
        Ok(original) => {
            let mut metadata = original.metadata().clone();
            // The type is another one where values are generalised.
            let same = original.data_type() == field.data_type();
            metadata.retain(|key, _| same || !is_of_extension(key));
            describe(field, &metadata)
        }
        Err(_) => field.as_ref().clone(),
    };
    let fields: Vec<Field> = release.fields().iter().map(carry).collect();
    Schema::new_with_metadata(fields, kept(input.metadata()))
}

/// The field with what may be released of some metadata, and of that of the fields in it.
fn describe(field: &Field, metadata: &HashMap<String, String>) -> Field {
    let inner = |field: &Field| describe(field, field.metadata());
    let kind = map_children(field.data_type(), &inner);
    field.clone().with_data_type(kind).with_metadata(kept(metadata))
}

fn kept(metadata: &HashMap<String, String>) -> HashMap<String, String> {
    let mut metadata = metadata.clone();
    metadata.retain(|key, _| is_kept(key));
    metadata
}

/// Says what of an input's metadata a release does not have, by name; `text` has a place for none.
pub fn warning(input: &Schema, text: bool) -> Option<String> {
    let lost = |key: &&str| text && !TECHNICAL.contains(key) || !is_kept(key);
    let of_file: BTreeSet<&str> = input.metadata().keys().map(String::as_str).filter(lost).collect();
    let of_columns = input.fields().iter().filter_map(|field| {
        let keys: BTreeSet<&str> = all_keys(field).into_iter().filter(lost).collect();
        (!keys.is_empty()).then(|| format!("{} of column {}", listed(keys), quoted(field.name())))
    });
    let all: Vec<String> =
        (!of_file.is_empty()).then(|| listed(of_file)).into_iter().chain(of_columns).collect();
    let why = match text {
        true => "text has no place for it",
        false => "it may describe something that is not released",
    };
    (!all.is_empty()).then(|| format!("metadata of the input was left out ({why}): {}", all.join("; ")))
}

/// The names of a column's metadata, and of that of all fields in it.
fn all_keys(field: &Field) -> Vec<&str> {
    let mut keys: Vec<&str> = field.metadata().keys().map(String::as_str).collect();
    children(field.data_type()).into_iter().for_each(|child| keys.extend(all_keys(child)));
    keys
}

fn listed(keys: BTreeSet<&str>) -> String {
    quoted_list(&keys.into_iter().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use arrow::datatypes::DataType;

    use super::*;

    fn map(pairs: &[(&str, &str)]) -> HashMap<String, String> {
        pairs.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    fn input() -> Schema {
        let age = Field::new("age", DataType::Int32, true);
        let age =
            age.with_metadata(map(&[("comment", "in years"), ("max", "97"), ("PARQUET:field_id", "2")]));
        let name =
            Field::new("name", DataType::Utf8, true).with_metadata(map(&[("comment", "as on the card")]));
        let of_file = [
            ("title", "Visits"),
            ("dc:License", "CC0"),
            ("pandas", "{\"columns\": [\"name\"]}"),
            ("geo", "{}"),
        ];
        Schema::new_with_metadata(vec![age, name], map(&of_file))
    }

    #[test]
    fn what_people_wrote_is_carried_over_and_nothing_else() {
        let release = Schema::new(vec![Field::new("age", DataType::Utf8, true)]);
        let carried = carry(&release, &input());
        assert_eq!(carried.metadata(), &map(&[("title", "Visits"), ("dc:License", "CC0")]));
        let age = carried.field(0);
        assert_eq!(age.data_type(), &DataType::Utf8);
        assert_eq!(age.metadata(), &map(&[("comment", "in years"), ("PARQUET:field_id", "2")]));
        assert_eq!(without_unsafe(&carried), carried);
    }

    /// A struct in a list in a map, with metadata at every depth.
    fn nested() -> Field {
        let noted = |name: &str, kind: DataType| {
            let metadata = map(&[("comment", "kept"), ("original_values", "Costa, Koch")]);
            Field::new(name, kind, true).with_metadata(metadata)
        };
        let child = DataType::Struct(vec![noted("child", DataType::Utf8)].into());
        let list = DataType::List(Arc::new(noted("item", child)));
        let fixed = DataType::FixedSizeList(Arc::new(noted("item", list)), 2);
        let entries = vec![noted("key", DataType::Utf8).with_nullable(false), noted("value", fixed)];
        let entries = noted("entries", DataType::Struct(entries.into())).with_nullable(false);
        noted("visits", DataType::Map(Arc::new(entries), false))
    }

    #[test]
    fn metadata_of_fields_in_a_column_is_looked_at_too() {
        let input = Schema::new(vec![nested()]);
        for schema in [without_unsafe(&input), carry(&Schema::new(vec![nested()]), &input)] {
            let keys = all_keys(schema.field(0));
            assert_eq!((keys.len(), keys.iter().all(|&key| key == "comment")), (7, true), "{keys:?}");
            assert!(!format!("{schema:?}").contains("Costa"));
        }
        let said = warning(&input, false).unwrap();
        assert!(said.ends_with("'original_values' of column 'visits'"), "{said}");
    }

    #[test]
    fn what_is_left_out_is_said_by_name_alone() {
        let said = warning(&input(), false).unwrap();
        assert!(said.ends_with("'geo', 'pandas'; 'max' of column 'age'"), "{said}");
        assert!(!said.contains("97"), "{said}");
        let said = warning(&input(), true).unwrap();
        assert!(said.contains("'title'") && said.contains("'comment' of column 'name'"), "{said}");
        assert_eq!(warning(&Schema::empty(), true), None);
    }
}
