//! How closely columns go together, before and after.

use crate::evidence::Evidence;
use crate::page::html::{Cell, figure, paragraph, remark, table};
use crate::plot::Matrix;

pub(super) fn body(evidence: &Evidence) -> String {
    let found = &evidence.associations;
    if found.names.len() < 2 {
        return String::new();
    }
    let number = |cell: Option<f64>| Cell::Number(cell.map_or("–".to_owned(), |v| format!("{v:.3}")));
    let mut rows: Vec<(f64, Vec<Cell>)> = Vec::new();
    for a in 0..found.names.len() {
        for b in 0..a {
            let (before, after) = (found.before[a][b], found.after[a][b]);
            let pair = format!("{} and {}", found.names[b], found.names[a]);
            let change = before.zip(after).map(|(before, after)| after - before);
            let shown = Cell::Number(change.map_or("–".to_owned(), |change| format!("{change:+.3}")));
            rows.push((
                change.map_or(0.0, f64::abs),
                vec![Cell::Text(pair), number(before), number(after), shown],
            ));
        }
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let numbers: Vec<Vec<Cell>> = rows.into_iter().map(|(_, row)| row).collect();
    let picture = |when: &str, cells: &Vec<Vec<Option<f64>>>| {
        let title = format!("How closely each two columns go together {when} the release");
        let svg = Matrix { title, names: found.names.clone(), cells: cells.clone() }.inline();
        format!("<div class=\"card\">\n<h3>{when}</h3>\n{svg}</div>\n")
    };
    let pictures = format!(
        "<div class=\"cards\">\n{}{}</div>\n",
        picture("before", &found.before),
        picture("after", &found.after)
    );
    let left_out = match found.left_out {
        0 => String::new(),
        more => {
            remark(&format!("{more} more columns are not compared: the picture would be too large to read."))
        }
    };
    format!(
        "{}{}{left_out}",
        paragraph(
            "Cramér's V of each two columns, corrected for bias: 0 where one says nothing about the other, 1 where it decides it. Columns of many values are taken in twenty groups of neighbours. What the release changed most is first among the numbers."
        ),
        figure(&pictures, "", &table(&["columns", "before#", "after#", "change#"], &numbers))
    )
}
