//! The chosen node within the lattice, or the classes of a local recoding; and what it lost.

use serde_json::Value;
use throng::loss;

use crate::evidence::{ColumnEvidence, Evidence};
use crate::job::Role;
use crate::page::html::{Cell, count, decimal, figure, paragraph, percent, table};
use crate::plot::{BarRow, Bars, LevelRow, Levels};

pub(super) fn body(evidence: &Evidence) -> String {
    format!("{}{}{}", shape(evidence), losses(evidence), measures(evidence))
}

fn quasi(evidence: &Evidence) -> impl Iterator<Item = &ColumnEvidence> {
    evidence.columns.iter().filter(|column| column.role == Role::Quasi)
}

fn shape(evidence: &Evidence) -> String {
    let levels: Option<Vec<LevelRow>> = quasi(evidence)
        .map(|column| {
            let level = column.level.as_ref()?;
            Some(LevelRow { name: column.name.clone(), level: level.level, values: level.values.clone() })
        })
        .collect();
    match levels {
        Some(rows) => lattice(evidence, rows),
        None => classes(evidence),
    }
}

fn lattice(evidence: &Evidence, rows: Vec<LevelRow>) -> String {
    let nodes = rows.iter().map(|row| row.values.len() as u128).product::<u128>();
    let nodes = u64::try_from(nodes).map_or_else(|_| format!("{nodes:e}"), count);
    let looked_at = evidence
        .summary
        .as_ref()
        .map(|summary| format!(" The search looked at {} of them.", count(summary.search.checked_nodes)));
    let text = format!(
        "Every column is shown at one level of its hierarchy. There are {nodes} such choices; this is the one that was released.{}",
        looked_at.unwrap_or_default()
    );
    let numbers: Vec<Vec<Cell>> = rows
        .iter()
        .map(|row| {
            let values: Vec<String> = row.values.iter().map(usize::to_string).collect();
            vec![
                Cell::text(&row.name),
                Cell::Number(row.level.to_string()),
                Cell::Number((row.values.len() - 1).to_string()),
                Cell::text(values.join(", ")),
            ]
        })
        .collect();
    let picture = Levels { title: "The level of each column that was chosen".to_owned(), rows };
    let caption = "From the original values at the left to the top of the hierarchy; the numbers say how many values a level has.";
    format!(
        "{}{}",
        paragraph(&text),
        figure(
            &picture.inline(),
            caption,
            &table(&["column", "level#", "of#", "values of each level"], &numbers)
        )
    )
}

fn classes(evidence: &Evidence) -> String {
    let after = &evidence.after;
    let mean = after.rows as f64 / after.classes.max(1) as f64;
    let how = match evidence.summary.as_ref().is_some_and(|summary| summary.cuts.is_some()) {
        true => {
            "A column may show values of several levels of its hierarchy, each the same everywhere in the table."
        }
        false => {
            "Rows have generalised values of their own: what is one value in one class may be another in the next."
        }
    };
    paragraph(&format!(
        "{how} There are {} classes of {mean:.1} rows in the mean, the smallest of {}.",
        count(after.classes),
        count(after.k)
    ))
}

fn losses(evidence: &Evidence) -> String {
    let mut columns: Vec<&ColumnEvidence> = quasi(evidence).collect();
    columns.sort_by(|a, b| b.loss.unwrap_or(0.0).total_cmp(&a.loss.unwrap_or(0.0)));
    let bar = |column: &&ColumnEvidence| BarRow {
        label: column.name.clone(),
        bars: vec![column.loss.map(|loss| (loss, percent(loss)))],
    };
    let row = |column: &&ColumnEvidence| {
        let (before, after) = column.distinct.unwrap_or_default();
        vec![
            Cell::text(&column.name),
            Cell::Number(column.loss.map_or("–".to_owned(), percent)),
            Cell::Number(count(before)),
            Cell::Number(count(after)),
        ]
    };
    let numbers: Vec<Vec<Cell>> = columns.iter().map(row).collect();
    let bars = Bars {
        title: "What each column lost".to_owned(),
        series: vec!["lost".to_owned()],
        rows: columns.iter().map(bar).collect(),
        full: Some(1.0),
    };
    let caption = "What each column lost (lm): 0 % is as the original, 100 % is nothing left. Rows left out count as lost.";
    format!(
        "<h3>Losses by column</h3>\n{}",
        figure(
            &bars.inline(),
            caption,
            &table(&["column", "lost#", "values before#", "values after#"], &numbers)
        )
    )
}

fn measures(evidence: &Evidence) -> String {
    let Some(summary) = &evidence.summary else { return String::new() };
    let row = |(name, value): (&String, &Value)| {
        let about = loss::find(name).map(|measure| measure.summary().to_owned()).unwrap_or_default();
        let marked = if *name == summary.measure { format!("{name} (made small)") } else { name.clone() };
        Some(vec![Cell::Text(marked), Cell::Number(decimal(value.as_f64()?)), Cell::Text(about)])
    };
    let rows: Vec<Vec<Cell>> = summary.measures.iter().filter_map(row).collect();
    format!("<h3>All measures</h3>\n{}", table(&["measure", "value#", ""], &rows))
}
