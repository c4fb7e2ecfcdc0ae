//! Axes: from numbers to places, and where the ticks are.

/// Numbers further from zero are not drawn, and nearer ones count as zero: beyond these bounds
/// the arithmetic of ticks would overflow.
const HUGE: f64 = 1e100;
const TINY: f64 = 1e-100;

/// So many values have a tick each.
const FEW: usize = 10;

/// One axis with its ticks.
#[derive(Debug, PartialEq)]
pub(super) struct PlotAxis {
    low: f64,
    high: f64,
    log: bool,
    /// Places (see [`PlotAxis::place`]) and labels.
    pub(super) ticks: Vec<(f64, String)>,
}

impl PlotAxis {
    /// An axis that ends at round numbers, and begins at zero unless there is less.
    pub(super) fn round(values: &[f64]) -> PlotAxis {
        let (mut low, mut high) = range(values);
        // Lengths are honest when they start at zero.
        low = low.min(0.0);
        let step = round_step((high - low) / 5.0);
        (low, high) = ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step);
        PlotAxis::with_ticks(low, high, false, steps(low, high, step))
    }

    /// An axis that ends where the data end, with ticks at the data when they are few.
    pub(super) fn tight(values: &[f64]) -> PlotAxis {
        let (low, high) = range(values);
        let ticks = match distinct(values) {
            few if (1..=FEW).contains(&few.len()) => few,
            _ => {
                let step = round_step((high - low) / 8.0);
                steps((low / step - 1e-9).ceil() * step, (high / step + 1e-9).floor() * step, step)
            }
        };
        PlotAxis::with_ticks(low, high, false, ticks)
    }

    /// A logarithmic axis over positive values that ends where they end, with ticks at the values
    /// when they are few.
    pub(super) fn tight_log(values: &[f64]) -> PlotAxis {
        let distinct = distinct(values);
        match distinct[..] {
            [low, .., high] if distinct.len() <= FEW => PlotAxis::with_ticks(low, high, true, distinct),
            _ => PlotAxis::log(values),
        }
    }

    /// A logarithmic axis over positive values, ending at 1, 2 or 5 times a power of ten.
    pub(super) fn log(values: &[f64]) -> PlotAxis {
        let low = values.iter().copied().reduce(f64::min).unwrap_or(1.0);
        let high = values.iter().copied().reduce(f64::max).unwrap_or(10.0);
        let nearest = |x: f64| (3.0 * x.log10()).round() as i32;
        let mut first = (nearest(low) - 2..).take_while(|&i| rung(i) <= low * (1.0 + 1e-9)).last();
        let mut last = (nearest(high) - 2..).find(|&i| rung(i) >= high * (1.0 - 1e-9));
        if first == last {
            (first, last) = (first.map(|i| i - 1), last.map(|i| i + 1));
        }
        let (first, last) = (first.unwrap_or(0), last.unwrap_or(3));
        let rungs = first..=last;
        let decades = (last - first) / 3;
        let every = match decades {
            0..=2 => 1,
            _ => 3 * (1 + decades / 10),
        };
        let ticks = rungs.filter(|i| i.rem_euclid(every) == 0).map(rung).collect();
        PlotAxis::with_ticks(rung(first), rung(last), true, ticks)
    }

    fn with_ticks(low: f64, high: f64, log: bool, ticks: Vec<f64>) -> PlotAxis {
        let labels = labels(&ticks);
        let mut axis = PlotAxis { low, high, log, ticks: Vec::new() };
        axis.ticks = ticks.iter().map(|&tick| axis.place(tick)).zip(labels).collect();
        axis
    }

    /// Where a value lies: 0 at the low end, 1 at the high end.
    pub(super) fn place(&self, value: f64) -> f64 {
        if self.log {
            (value / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }
}

/// The values, each once, in their order.
fn distinct(values: &[f64]) -> Vec<f64> {
    let mut distinct = values.to_vec();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    distinct
}

/// The value as it is drawn, if it can be.
pub(super) fn drawable(value: f64, log: bool) -> Option<f64> {
    match value {
        x if x.is_nan() || x.abs() > HUGE => None,
        x if log && x < TINY => None,
        x if x.abs() < TINY => Some(0.0),
        x => Some(x),
    }
}

/// Smallest and largest value, made apart where they are (nearly) equal.
fn range(values: &[f64]) -> (f64, f64) {
    let Some(low) = values.iter().copied().reduce(f64::min) else {
        return (0.0, 1.0);
    };
    let high = values.iter().copied().fold(low, f64::max);
    if high - low > 1e-9 * low.abs().max(high.abs()) {
        return (low, high);
    }
    match low.abs() {
        0.0 => (-1.0, 1.0),
        size => (low - 0.1 * size, high + 0.1 * size),
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
pub(crate) fn round_step(least: f64) -> f64 {
    let near = (3.0 * least.log10()).round() as i32;
    (near - 2..near + 3).map(rung).find(|&step| step >= least * (1.0 - 1e-9)).unwrap_or(least)
}

/// The `i`-th number of …, 0.5, 1, 2, 5, 10, 20, …; the 0th is 1.
fn rung(i: i32) -> f64 {
    [1.0, 2.0, 5.0][i.rem_euclid(3) as usize] * 10f64.powi(i.div_euclid(3))
}

fn steps(low: f64, high: f64, step: f64) -> Vec<f64> {
    let count = ((high - low) / step).round() as usize;
    (0..=count).map(|i| low + i as f64 * step).collect()
}

/// How the numbers of one axis are written.
struct Style {
    /// Significant digits, at most.
    digits: usize,
    /// As powers of ten.
    scientific: bool,
    /// With commas between thousands; four digits alone go without, as years do.
    grouped: bool,
}

/// Labels with as few digits as tell the ticks apart truthfully.
fn labels(ticks: &[f64]) -> Vec<String> {
    let gaps = ticks.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    let gap = gaps.fold(f64::INFINITY, f64::min);
    let largest = ticks.iter().fold(0.0f64, |largest, tick| largest.max(tick.abs()));
    // A tick at zero may be off by the rounding of its sum.
    let clean = |tick: f64| if tick.abs() < 1e-9 * largest { 0.0 } else { tick };
    let error = |tick: f64, digits: usize| (rounded(tick, digits) - tick).abs();
    let tolerance = 1e-3 * gap.min(largest);
    let fits = |digits: &usize| ticks.iter().all(|&t| error(clean(t), *digits) <= tolerance);
    let unusual = |tick: f64| tick != 0.0 && !(9e-5..1e8).contains(&tick.abs());
    let style = Style {
        digits: (1..15).find(fits).unwrap_or(15),
        scientific: ticks.iter().any(|&tick| unusual(clean(tick))),
        grouped: largest >= 1e4,
    };
    ticks.iter().map(|&tick| label(clean(tick), &style)).collect()
}

fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

fn label(value: f64, style: &Style) -> String {
    let value = rounded(value, style.digits);
    let sign = if value < 0.0 { "−" } else { "" };
    let size = value.abs();
    if style.scientific && size > 0.0 {
        return format!("{sign}{}", scientific(size));
    }
    // Rust writes the shortest decimal that reads back.
    let plain = size.to_string();
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let mut text = sign.to_owned();
    for (i, digit) in whole.chars().enumerate() {
        if style.grouped && i > 0 && (whole.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

fn scientific(size: f64) -> String {
    let text = format!("{size:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let raised: String = exponent
        .chars()
        .map(|c| match c.to_digit(10) {
            Some(digit) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize],
            None => '⁻',
        })
        .collect();
    match mantissa {
        "1" => format!("10{raised}"),
        _ => format!("{mantissa}×10{raised}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &PlotAxis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn round_axes_end_at_round_numbers() {
        assert_eq!(texts(&PlotAxis::round(&[0.13, 0.92])), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(texts(&PlotAxis::round(&[90.0, 101.0])), ["0", "50", "100", "150"]);
        assert_eq!(texts(&PlotAxis::round(&[0.071, 0.074])), ["0", "0.02", "0.04", "0.06", "0.08"]);
        assert_eq!(texts(&PlotAxis::round(&[-3.0, 4.0])), ["−4", "−2", "0", "2", "4"]);
        assert_eq!(
            texts(&PlotAxis::round(&[0.0, 48_000.0])),
            ["0", "10,000", "20,000", "30,000", "40,000", "50,000"]
        );
    }

    #[test]
    fn tight_axes_tick_at_few_values_and_at_round_numbers_otherwise() {
        let few = PlotAxis::tight(&[2.0, 5.0, 2.0, 10.0]);
        assert_eq!(texts(&few), ["2", "5", "10"]);
        assert_eq!((few.place(2.0), few.place(10.0)), (0.0, 1.0));
        let many: Vec<f64> = (1..=31).map(f64::from).collect();
        assert_eq!(texts(&PlotAxis::tight(&many)), ["5", "10", "15", "20", "25", "30"]);
        assert_eq!(texts(&PlotAxis::tight(&[1234567.1, 1234567.2])), ["1,234,567.1", "1,234,567.2"]);
    }

    #[test]
    fn log_axes_tick_at_decades_or_within_them() {
        assert_eq!(texts(&PlotAxis::log(&[0.3, 20.0])), ["0.2", "0.5", "1", "2", "5", "10", "20"]);
        let decades = PlotAxis::log(&[0.0002, 70_000.0]);
        assert_eq!(texts(&decades), ["0.001", "0.01", "0.1", "1", "10", "100", "1,000", "10,000", "100,000"]);
        assert!(texts(&PlotAxis::log(&[1e-30, 1e30])).len() <= 10);
        let axis = PlotAxis::log(&[1.0, 100.0]);
        assert!((axis.place(10.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn tight_log_axes_tick_at_few_values_and_end_there() {
        let few = PlotAxis::tight_log(&[2.0, 50.0, 10.0, 50.0]);
        assert_eq!(texts(&few), ["2", "10", "50"]);
        assert_eq!(few.place(2.0), 0.0);
        assert!((few.place(10.0) - 0.5).abs() < 1e-12 && (few.place(50.0) - 1.0).abs() < 1e-12);
        let many: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(texts(&PlotAxis::tight_log(&many)), ["1", "2", "5", "10", "20", "50", "100"]);
    }

    #[test]
    fn equal_values_and_none_still_make_an_axis() {
        for values in [&[][..], &[0.0], &[5.0, 5.0], &[-1e-5], &[HUGE], &[-HUGE, HUGE], &[TINY, 2.0 * TINY]] {
            for axis in [PlotAxis::round(values), PlotAxis::tight(values)] {
                assert!(values.iter().all(|&x| (-1e-9..=1.0 + 1e-9).contains(&axis.place(x))), "{axis:?}");
                assert!(!axis.ticks.is_empty() && axis.ticks.len() <= 10, "{axis:?}");
            }
        }
        for values in [&[][..], &[1.0], &[3.0], &[HUGE], &[TINY, HUGE]] {
            for axis in [PlotAxis::log(values), PlotAxis::tight_log(values)] {
                assert!(values.iter().all(|&x| (-1e-9..=1.0 + 1e-9).contains(&axis.place(x))), "{axis:?}");
                assert!(!axis.ticks.is_empty() && axis.ticks.len() <= 12, "{axis:?}");
            }
        }
    }

    #[test]
    fn one_axis_has_one_style_of_labels() {
        assert_eq!(labels(&[0.1, 0.2, 0.30000000000000004]), ["0.1", "0.2", "0.3"]);
        assert_eq!(labels(&[-0.1, 1e-17, 0.1]), ["−0.1", "0", "0.1"]);
        assert_eq!(labels(&[1990.0, 2000.0]), ["1990", "2000"]);
        assert_eq!(labels(&[0.0, 5000.0, 10_000.0]), ["0", "5,000", "10,000"]);
        assert_eq!(labels(&[0.0, 1e-6, 2e-6]), ["0", "10⁻⁶", "2×10⁻⁶"]);
        assert_eq!(labels(&[-1e9, 15e8]), ["−10⁹", "1.5×10⁹"]);
        assert_eq!(labels(&[2.5]), ["2.5"]);
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out() {
        assert_eq!(drawable(f64::NAN, false), None);
        assert_eq!(drawable(f64::INFINITY, false), None);
        assert_eq!(drawable(0.0, true), None);
        assert_eq!(drawable(-1.0, true), None);
        assert_eq!(drawable(-1.0, false), Some(-1.0));
        assert_eq!(drawable(1e-300, false), Some(0.0));
    }
}
