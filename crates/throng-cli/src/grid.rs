//! Tables of numbers as text.

/// The rows below each other, indented; the first `left` columns start together, the others, being
/// numbers, end together.
///
/// Rows may be shorter than others.
pub(crate) fn grid(rows: &[Vec<String>], left: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column < left { format!("  {cell:<width$}") } else { format!("  {cell:>width$}") }
        });
        text.push_str(cells.collect::<String>().trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_together() {
        let rows = [vec!["é", "1", "x"], vec!["long", "22"], vec!["", "", "333"]];
        let rows = rows.map(|row| row.into_iter().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(grid(&rows, 1), "  é      1    x\n  long  22\n            333\n");
        assert_eq!(grid(&[], 1), "");
    }
}
