//! Text in columns.

/// The rows below each other, indented, every cell but the last as wide as its column.
pub(crate) fn align<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("  {cell:<width$}"));
        text.push_str(cells.collect::<String>().trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_below_each_other() {
        let rows = [["é", "1", "x"], ["long", "22", ""]].map(|row| row.map(str::to_owned));
        assert_eq!(align(&rows), "  é     1   x\n  long  22\n");
        assert_eq!(align::<2>(&[]), "");
    }
}
