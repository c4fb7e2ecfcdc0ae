//! Tables of numbers with a bar beside each row.

use indicatif::HumanCount;

use throng_engine::check::Bucket;

use crate::grid::grid;

/// Characters of the longest bar.
const BAR: usize = 40;

/// The rows below their titles, all numbers, each with a bar as long as its share of the largest.
pub(crate) fn bars(titles: &[&str], rows: &[(Vec<String>, u64)]) -> String {
    let most = rows.iter().map(|&(_, size)| size).max().unwrap_or(0);
    let mut lines = vec![titles.iter().map(|&title| title.to_owned()).collect()];
    lines.extend(rows.iter().map(|(cells, _)| cells.clone()));
    let bars = std::iter::once(String::new()).chain(rows.iter().map(|&(_, size)| bar(size, most)));
    grid(&lines, 0)
        .lines()
        .zip(bars)
        .map(|(line, bar)| format!("{}\n", format!("{line}  {bar}").trim_end()))
        .collect()
}

/// The sizes in a bucket.
pub(crate) fn range(bucket: &Bucket) -> String {
    let (from, to) = (HumanCount(bucket.from), HumanCount(bucket.to));
    if bucket.from == bucket.to { from.to_string() } else { format!("{from}–{to}") }
}

/// Anything at all can be seen.
fn bar(size: u64, most: u64) -> String {
    let length = (size as f64 / most.max(1) as f64 * BAR as f64).round() as usize;
    "█".repeat(if size > 0 { length.max(1) } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_is_the_largest_size() {
        let row = |cells: [&str; 2], size| (cells.map(str::to_owned).to_vec(), size);
        let text = bars(
            &["rows each", "rows"],
            &[row(["1", "3"], 3), row(["2", "0"], 0), row(["3–4", "3,500"], 3_500)],
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "  rows each   rows");
        assert_eq!(lines[1], "          1      3  █");
        assert_eq!(lines[2], "          2      0");
        assert_eq!(lines[3], format!("        3–4  3,500  {}", "█".repeat(BAR)));
    }
}
