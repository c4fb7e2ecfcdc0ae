//! Charts of lines and of points.

use super::axis::{PlotAxis, drawable};
use super::ink::{Ink, LARGE, MEDIUM, SMALL};
use super::svg::Svg;
use super::text::{clipped, escape, fitting, text_width};

/// Width of every chart; the height is [`HEIGHT`] plus that of a legend below.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
/// Space at the top, with and without a title.
const TITLE: f64 = 44.0;
const NO_TITLE: f64 = 18.0;
/// Share of the width that stays free on either side, so that markers clear the frame.
const PADDING: f64 = 0.03;
/// About how many markers a line bears.
const MARKERS_PER_RUN: usize = 30;
const LEGEND_ROW: f64 = 20.0;
const LEGEND_LINE: f64 = 26.0;
/// Marker shapes as SVG paths around the origin. Eight shapes and seven colours make 56 pairs.
const MARKERS: [&str; 8] = [
    "M-4,0A4,4 0 1,0 4,0A4,4 0 1,0 -4,0Z",
    "M-3.6,-3.6H3.6V3.6H-3.6Z",
    "M0,-4.8L4.4,3.2H-4.4Z",
    "M0,-5.2L4.4,0L0,5.2L-4.4,0Z",
    "M0,4.8L4.4,-3.2H-4.4Z",
    "M-3.8,-3.8L3.8,3.8M-3.8,3.8L3.8,-3.8",
    "M0,-4.8V4.8M-4.8,0H4.8",
    "M0,-5L4.8,-1.5L2.9,4H-2.9L-4.8,-1.5Z",
];

/// A chart of lines over a common x axis.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// Shown above the chart.
    pub title: String,
    /// What x is.
    pub x_label: String,
    /// What y is.
    pub y_label: String,
    /// Whether x is drawn on a logarithmic scale; points whose x is not positive are left out.
    pub log_x: bool,
    /// Whether y is drawn on a logarithmic scale; values that are not positive are left out.
    pub log_y: bool,
    /// The lines.
    pub series: Vec<Series>,
}

/// One line.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Shown in the legend.
    pub name: String,
    /// Points in the order in which the line visits them; one that is not finite leaves a gap.
    pub points: Vec<(f64, f64)>,
    /// What each point is. If there are any, the points are not joined, and each can be pointed at.
    pub marks: Vec<Mark>,
}

/// A point that can be pointed at on a page.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    /// What it is called by scripts of the page.
    pub id: String,
    /// What it is, for those who point at it or have it read to them.
    pub title: String,
}

impl Plot {
    /// The chart as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        Canvas::new(self, Ink::FILE).draw()
    }

    /// The chart as a part of a page, in the colours of its style.
    pub fn inline(&self) -> String {
        Canvas::new(self, Ink::PAGE).draw()
    }

    /// The lines of each series, broken at points that cannot be drawn.
    fn runs(&self) -> Vec<Vec<Vec<(f64, f64)>>> {
        let point = |&(x, y): &(f64, f64)| Some((drawable(x, self.log_x)?, drawable(y, self.log_y)?));
        let runs = |series: &Series| {
            let points: Vec<Option<(f64, f64)>> = series.points.iter().map(point).collect();
            let runs = points.split(Option::is_none).filter(|run| !run.is_empty());
            runs.map(|run| run.iter().flatten().copied().collect()).collect()
        };
        self.series.iter().map(runs).collect()
    }
}

/// Everything that has been decided about the picture, and the picture so far.
struct Canvas<'a> {
    plot: &'a Plot,
    ink: Ink,
    runs: Vec<Vec<Vec<(f64, f64)>>>,
    x: PlotAxis,
    y: PlotAxis,
    /// The frame that the lines are in.
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    legend: Legend,
    svg: Svg,
}

/// The place of each entry of the legend, outside the frame.
struct Legend {
    names: Vec<String>,
    places: Vec<(f64, f64)>,
    /// Width taken at the right, or height taken below.
    width: f64,
    height: f64,
}

impl<'a> Canvas<'a> {
    fn new(plot: &'a Plot, ink: Ink) -> Canvas<'a> {
        let runs = plot.runs();
        let points = || runs.iter().flatten().flatten();
        let xs: Vec<f64> = points().map(|point| point.0).collect();
        let ys: Vec<f64> = points().map(|point| point.1).collect();
        // What is compared by two numbers is no less honest sideways.
        let are_points = plot.series.iter().any(|series| !series.marks.is_empty());
        let x = match (plot.log_x, are_points) {
            (true, _) => PlotAxis::tight_log(&xs),
            (false, true) => PlotAxis::round(&xs),
            (false, false) => PlotAxis::tight(&xs),
        };
        let y = if plot.log_y { PlotAxis::log(&ys) } else { PlotAxis::round(&ys) };
        let widest = y.ticks.iter().map(|(_, label)| text_width(label, SMALL)).fold(0.0, f64::max);
        let left = widest + if plot.y_label.is_empty() { 20.0 } else { 42.0 };
        let top = if plot.title.is_empty() { NO_TITLE } else { TITLE };
        let bottom = HEIGHT - if plot.x_label.is_empty() { 30.0 } else { 52.0 };
        let legend = Legend::new(plot, &runs, left, top);
        let last = x.ticks.last().map_or(0.0, |(_, label)| text_width(label, SMALL) / 2.0);
        let right = WIDTH - legend.width - 18.0f64.max(last);
        let svg = Svg::start(WIDTH, HEIGHT + legend.height, &plot.title, ink);
        Canvas { plot, ink, runs, x, y, left, right, top, bottom, legend, svg }
    }

    fn draw(mut self) -> String {
        self.draw_titles();
        self.draw_grid();
        self.draw_lines();
        self.draw_markers();
        self.draw_legend();
        self.svg.finish()
    }

    fn put(&mut self, line: std::fmt::Arguments<'_>) {
        self.svg.put(line);
    }

    fn at_x(&self, place: f64) -> f64 {
        self.left + (PADDING + (1.0 - 2.0 * PADDING) * place) * (self.right - self.left)
    }

    fn at_y(&self, place: f64) -> f64 {
        self.bottom - place * (self.bottom - self.top)
    }

    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.at_x(self.x.place(x)), self.at_y(self.y.place(y)))
    }

    /// Text around (x, y); `place` adds attributes such as the anchor.
    fn text(&mut self, (x, y): (f64, f64), size: f64, place: &str, text: &str) {
        let baseline = y + 0.36 * size;
        let text = escape(text);
        self.put(format_args!(
            r#"<text x="{x:.1}" y="{baseline:.1}" font-size="{size:.1}"{place}>{text}</text>"#
        ));
    }

    fn draw_titles(&mut self) {
        let Plot { title, x_label, y_label, .. } = self.plot;
        let middle = r#" text-anchor="middle""#;
        let size = fitting(title, 0.85 * WIDTH, LARGE);
        self.text((WIDTH / 2.0, 22.0), size, r#" text-anchor="middle" font-weight="bold""#, title);
        let (width, height) = (self.right - self.left, self.bottom - self.top);
        let below = (self.left + width / 2.0, self.bottom + 38.0);
        self.text(below, fitting(x_label, width, MEDIUM), middle, x_label);
        let (x, y) = (16.0, self.top + height / 2.0);
        let turned = format!(r#"{middle} transform="rotate(-90 {x} {y:.1})""#);
        self.text((x, y), fitting(y_label, height, MEDIUM), &turned, y_label);
        if self.runs.iter().all(Vec::is_empty) {
            self.text((below.0, y), MEDIUM, middle, "no data");
        }
    }

    fn draw_grid(&mut self) {
        let (left, right, top, bottom) = (self.left, self.right, self.top, self.bottom);
        let Ink { grid, faint, frame, .. } = self.ink;
        for (place, label) in std::mem::take(&mut self.y.ticks) {
            let y = self.at_y(place);
            self.put(format_args!(r##"<path d="M{left:.1},{y:.1}H{right:.1}" stroke="{grid}"/>"##));
            self.text((left - 7.0, y), SMALL, r#" text-anchor="end""#, &label);
        }
        let ticks = std::mem::take(&mut self.x.ticks);
        let places: Vec<f64> = ticks.iter().map(|(place, _)| self.at_x(*place)).collect();
        let shown = uncrowded(&places, &ticks);
        for ((x, (_, label)), shown) in places.into_iter().zip(&ticks).zip(shown) {
            self.put(format_args!(
                r##"<path d="M{x:.1},{top:.1}V{bottom:.1}" stroke="{faint}"/><path d="M{x:.1},{bottom:.1}v5" stroke="{frame}"/>"##
            ));
            if shown {
                self.text((x, bottom + 15.0), SMALL, r#" text-anchor="middle""#, label);
            }
        }
        self.put(format_args!(
            r##"<path d="M{left:.1},{top:.1}V{bottom:.1}H{right:.1}" fill="none" stroke="{frame}"/>"##
        ));
    }

    fn draw_lines(&mut self) {
        for index in 0..self.runs.len() {
            if !self.plot.series[index].marks.is_empty() {
                continue;
            }
            let dash = self.dash(index);
            let colour = self.ink.colour(index);
            for run in self.runs[index].clone().iter().filter(|run| run.len() > 1) {
                let points: Vec<String> =
                    run.iter().map(|&point| self.at(point)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                let points = points.join(" ");
                self.put(format_args!(
                    r#"<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"{dash}/>"#
                ));
            }
        }
    }

    /// Dashes for a line that lies on earlier ones, so that they show through.
    fn dash(&self, index: usize) -> String {
        let segments = |index: usize| self.runs[index].iter().flat_map(|run| run.windows(2));
        let covers = |earlier: &usize| segments(*earlier).any(|old| segments(index).any(|new| new == old));
        match (0..index).filter(covers).count() {
            0 => String::new(),
            below => {
                let on = 18.0 / (below + 1) as f64;
                format!(r#" stroke-dasharray="{on:.1} {:.1}""#, 18.0 - on)
            }
        }
    }

    /// Marks every point, or some of them where they would run into each other.
    fn draw_markers(&mut self) {
        for index in 0..self.runs.len() {
            if !self.plot.series[index].marks.is_empty() {
                self.draw_marks(index);
                continue;
            }
            for run in self.runs[index].clone() {
                let every = 1 + run.len() / MARKERS_PER_RUN;
                for &point in run.iter().step_by(every) {
                    self.draw_marker(index, self.at(point));
                }
            }
        }
    }

    /// Points that can be pointed at, also by those who use no mouse.
    fn draw_marks(&mut self, index: usize) {
        let Plot { log_x, log_y, series, .. } = self.plot;
        let marked = series[index].points.iter().zip(&series[index].marks);
        for (&(x, y), mark) in marked {
            let Some(point) = drawable(x, *log_x).zip(drawable(y, *log_y)) else { continue };
            let (id, title) = (escape(&mark.id), escape(&mark.title));
            self.put(format_args!(
                r#"<g class="mark" tabindex="0" role="button" data-mark="{id}" aria-label="{title}"><title>{title}</title>"#
            ));
            self.draw_marker(index, self.at(point));
            self.put(format_args!("</g>"));
        }
    }

    /// Markers are hollow, so that those of several lines at one point can all be seen.
    fn draw_marker(&mut self, index: usize, (x, y): (f64, f64)) {
        let (colour, shape) = (self.ink.colour(index), MARKERS[index % MARKERS.len()]);
        self.put(format_args!(
            r#"<path transform="translate({x:.1} {y:.1})" d="{shape}" fill="none" stroke="{colour}" stroke-width="1.8"/>"#
        ));
    }

    fn draw_legend(&mut self) {
        let names = std::mem::take(&mut self.legend.names);
        let places = std::mem::take(&mut self.legend.places);
        for (index, (name, (x, y))) in names.iter().zip(places).enumerate() {
            let (end, colour) = (x + LEGEND_LINE, self.ink.colour(index));
            self.put(format_args!(
                r#"<path d="M{x:.1},{y:.1}H{end:.1}" stroke="{colour}" stroke-width="2"/>"#
            ));
            self.draw_marker(index, (x + LEGEND_LINE / 2.0, y));
            self.text((end + 7.0, y), SMALL, "", name);
        }
    }
}

impl Legend {
    /// At the right when the names are short and few, else in rows below.
    fn new(plot: &Plot, runs: &[Vec<Vec<(f64, f64)>>], left: f64, top: f64) -> Legend {
        let longest = WIDTH - left - LEGEND_LINE - 40.0;
        let names = plot.series.iter().zip(runs).map(|(series, runs)| match runs.is_empty() {
            true => format!("{} (no data)", clipped(&series.name, longest - 60.0)),
            false => clipped(&series.name, longest),
        });
        let names: Vec<String> = match &plot.series[..] {
            all if all.iter().all(|series| series.name.is_empty()) => Vec::new(),
            _ => names.collect(),
        };
        let widths = || names.iter().map(|name| LEGEND_LINE + 7.0 + text_width(name, SMALL));
        let widest = widths().fold(0.0, f64::max);
        let tall = names.len() as f64 * LEGEND_ROW > HEIGHT - top - 40.0;
        if !tall && widest <= 190.0 {
            let x = WIDTH - widest - 8.0;
            let places = (0..names.len()).map(|i| (x, top + 10.0 + i as f64 * LEGEND_ROW)).collect();
            let width = if names.is_empty() { 0.0 } else { widest + 4.0 };
            return Legend { names, places, width, height: 0.0 };
        }
        let column = widest + 18.0;
        let columns = (((WIDTH - left - 8.0) / column) as usize).max(1);
        let place = |i: usize| {
            let (row, across) = ((i / columns) as f64, (i % columns) as f64);
            (left + across * column, HEIGHT + 10.0 + row * LEGEND_ROW)
        };
        let height = 14.0 + names.len().div_ceil(columns) as f64 * LEGEND_ROW;
        Legend { places: (0..names.len()).map(place).collect(), names, width: 0.0, height }
    }
}

/// Which labels fit side by side: the last one, and from the left all that clear the others.
fn uncrowded(places: &[f64], ticks: &[(f64, String)]) -> Vec<bool> {
    let half = |i: usize| text_width(&ticks[i].1, SMALL) / 2.0 + 3.0;
    let Some(last) = places.len().checked_sub(1) else {
        return Vec::new();
    };
    let mut free_from = f64::NEG_INFINITY;
    (0..=last)
        .map(|i| {
            let fits = places[i] - half(i) >= free_from
                && (i == last || places[i] + half(i) <= places[last] - half(last));
            if fits {
                free_from = places[i] + half(i);
            }
            fits || i == last
        })
        .collect()
}

#[cfg(test)]
mod tests;
