//! A synthetic hospital table.
//!
//! It is skewed and correlated like real ones: few places are crowded, pensioners are old,
//! nationalities gather in regions, and nobody gives birth at eighty.

mod calendar;
mod illness;
mod origins;
mod people;
mod places;
mod work;

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use arrow::array::{Date32Builder, Int32Builder, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;

use super::{Dataset, NextStep};
use origins::NATIONALITIES;
use people::{Patient, PatientPopulation};
use work::OCCUPATIONS;

/// The population does not depend on the seed: only who is drawn from it does.
static POPULATION: LazyLock<PatientPopulation> = LazyLock::new(PatientPopulation::new);

/// Synthetic hospital admissions.
#[derive(Clone, Copy, Debug)]
pub struct Hospital;

impl Dataset for Hospital {
    fn name(&self) -> &'static str {
        "hospital"
    }

    fn rows_are(&self) -> &'static str {
        "synthetic hospital admissions"
    }

    /// Dates as days, the length of stay as a number, the rest as text.
    fn schema(&self) -> SchemaRef {
        let text = |name| Field::new(name, DataType::Utf8, false);
        Arc::new(Schema::new(vec![
            text("name"),
            Field::new("birth_date", DataType::Date32, false),
            text("sex"),
            text("zip"),
            text("nationality"),
            text("occupation"),
            Field::new("admission_date", DataType::Date32, false),
            text("diagnosis"),
            Field::new("length_of_stay", DataType::Int32, false),
        ]))
    }

    fn draw(&self, seed: u64, rows: Range<u64>) -> RecordBatch {
        let mut columns = Columns::default();
        for row in rows {
            columns.push(&POPULATION.draw(seed, row));
        }
        columns.finish(self.schema())
    }

    fn hierarchies(&self) -> Vec<(&'static str, String)> {
        let occupations = OCCUPATIONS.iter().map(|o| format!("{};{};{};*\n", o.name, o.group, o.sector));
        let nationalities = NATIONALITIES.iter().map(|n| format!("{};{};{};*\n", n.name, n.region, n.union));
        vec![("occupation", occupations.collect()), ("nationality", nationalities.collect())]
    }

    fn hierarchies_are(&self) -> &'static str {
        "how nationalities and occupations are generalised"
    }

    fn job(&self) -> String {
        r#"# What each column is, and why. The report shows the reasons.
[columns]
# It names the patient.
name           = { role = "identifier" }
# Friends know it, and public profiles show it.
birth_date     = { role = "quasi", hierarchy = { dates = ["month", "quarter", "year", "decade"] } }
# Anyone can see it.
sex            = { role = "quasi" }
# Neighbours know the address: 12345, 1234*, 123**, …
zip            = { role = "quasi", hierarchy = { mask = "right" } }
# Colleagues and neighbours know it.
nationality    = { role = "quasi", hierarchy = "hierarchies/nationality.csv" }
# Colleagues and neighbours know it.
occupation     = { role = "quasi", hierarchy = "hierarchies/occupation.csv" }
# Family and employers know when somebody was in hospital.
admission_date = { role = "quasi", hierarchy = { dates = ["month", "quarter", "year"] } }
# The research needs it, and nobody should learn it about a patient.
diagnosis      = { role = "sensitive" }
# Nobody outside the ward knows the exact number of days.
length_of_stay = { role = "other" }

# Everyone shares all quasi-identifiers with at least four others;
# up to 2 % of the rows may be left out for that.
[privacy]
k = 5
suppression = 0.02
person = "none"   # each row belongs to a different person, even if two share a name

[search]
algorithm = "flash"   # finds the full-domain release that loses the least
measure   = "lm"
seed      = 1
"#
        .to_owned()
    }

    fn next_steps(&self) -> &'static [NextStep] {
        &[
            NextStep {
                question: "How exposed was the table, and how exposed is the release?",
                commands: &["check @hospital.toml --input", "check @hospital.toml"],
            },
            NextStep {
                question: "A larger crowd:",
                commands: &["anonymize @hospital.toml -k 20 -o @hospital-k20.table"],
            },
            NextStep {
                question: "What do other algorithms find, and how fast?",
                commands: &["compare @hospital.toml --plots @plots"],
            },
        ]
    }
}

/// The columns of a batch as they grow, in the order of the schema.
#[derive(Default)]
struct Columns {
    name: StringBuilder,
    birth_date: Date32Builder,
    sex: StringBuilder,
    zip: StringBuilder,
    nationality: StringBuilder,
    occupation: StringBuilder,
    admission_date: Date32Builder,
    diagnosis: StringBuilder,
    length_of_stay: Int32Builder,
}

impl Columns {
    fn push(&mut self, patient: &Patient<'_>) {
        self.name.append_value(&patient.name);
        self.birth_date.append_value(patient.birth_date);
        self.sex.append_value(patient.sex);
        self.zip.append_value(patient.zip);
        self.nationality.append_value(patient.nationality);
        self.occupation.append_value(patient.occupation);
        self.admission_date.append_value(patient.admission_date);
        self.diagnosis.append_value(patient.diagnosis);
        self.length_of_stay.append_value(patient.length_of_stay);
    }

    fn finish(mut self, schema: SchemaRef) -> RecordBatch {
        RecordBatch::try_new(
            schema,
            vec![
                Arc::new(self.name.finish()),
                Arc::new(self.birth_date.finish()),
                Arc::new(self.sex.finish()),
                Arc::new(self.zip.finish()),
                Arc::new(self.nationality.finish()),
                Arc::new(self.occupation.finish()),
                Arc::new(self.admission_date.finish()),
                Arc::new(self.diagnosis.finish()),
                Arc::new(self.length_of_stay.finish()),
            ],
        )
        .expect("the columns are those of the schema and of one length")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hierarchies_hold_every_value_once_and_end_in_one_root() {
        for (column, text) in Hospital.hierarchies() {
            let mut leaves: Vec<&str> = text.lines().map(|line| line.split(';').next().unwrap()).collect();
            assert!(text.lines().all(|line| line.split(';').count() == 4 && line.ends_with(";*")));
            let lines = leaves.len();
            leaves.sort_unstable();
            leaves.dedup();
            assert_eq!(leaves.len(), lines, "{column}");
        }
    }
}
