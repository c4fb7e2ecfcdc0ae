use super::*;

fn series(name: &str, points: &[(f64, f64)]) -> Series {
    Series { name: name.to_owned(), points: points.to_vec(), ..Series::default() }
}

fn plot(log_y: bool, series: Vec<Series>) -> Plot {
    Plot {
        title: "Loss & time".to_owned(),
        x_label: "k".to_owned(),
        y_label: "seconds".to_owned(),
        log_x: false,
        log_y,
        series,
    }
}

/// The values of an attribute, wherever it occurs.
fn attributes<'a>(svg: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    svg.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

fn points(svg: &str) -> Vec<Vec<(f64, f64)>> {
    let number = |text: &str| text.parse::<f64>().unwrap();
    let point = |pair: &str| pair.split_once(',').map(|(x, y)| (number(x), number(y))).unwrap();
    attributes(svg, "points").iter().map(|line| line.split(' ').map(point).collect()).collect()
}

fn marker_total(svg: &str) -> usize {
    svg.matches("translate(").count()
}

#[test]
fn lines_go_where_the_numbers_say() {
    let svg = plot(false, vec![series("a", &[(2.0, 0.0), (6.0, 5.0), (10.0, 10.0)])]).to_svg();
    let lines = points(&svg);
    let [(x0, y0), (x1, y1), (x2, y2)] = lines[0][..] else { panic!("{lines:?}") };
    assert!(x0 < x1 && x1 < x2 && y0 > y1 && y1 > y2, "{lines:?}");
    assert!((x1 - (x0 + x2) / 2.0).abs() < 0.2 && (y1 - (y0 + y2) / 2.0).abs() < 0.2);
    // Three points and one entry of the legend.
    assert_eq!(marker_total(&svg), 4);
}

#[test]
fn the_axis_has_a_label_at_each_of_a_few_values() {
    let svg = plot(false, vec![series("a", &[(2.0, 1.0), (5.0, 3.0), (10.0, 2.0)])]).to_svg();
    for label in [">2<", ">5<", ">10<", ">k<", ">seconds<"] {
        assert!(svg.contains(label), "{label}");
    }
}

#[test]
fn crowded_labels_are_left_out_but_not_the_last() {
    let xs = [2.0, 3.0, 5.0, 1000.0];
    let line: Vec<(f64, f64)> = xs.iter().map(|&x| (x, x)).collect();
    let svg = plot(true, vec![series("", &line)]).to_svg();
    assert!(svg.contains(">2</text>") && !svg.contains(">3</text>"));
    assert!(svg.contains(">1000</text>"));
}

#[test]
fn the_horizontal_scale_may_be_logarithmic() {
    let line = series("", &[(0.0, 1.0), (2.0, 1.0), (10.0, 1.0), (50.0, 2.0)]);
    let svg = Plot { log_x: true, ..plot(false, vec![line]) }.to_svg();
    let lines = points(&svg);
    let [(x0, _), (x1, _), (x2, _)] = lines[0][..] else { panic!("{lines:?}") };
    assert!((x1 - (x0 + x2) / 2.0).abs() < 0.2, "{lines:?}");
}

#[test]
fn points_that_cannot_be_drawn_leave_a_gap() {
    let line = [(1.0, 1.0), (2.0, 2.0), (3.0, f64::NAN), (4.0, 2.0), (5.0, 0.0), (6.0, 9.0)];
    let svg = plot(true, vec![series("", &line)]).to_svg();
    assert_eq!(points(&svg).iter().map(Vec::len).collect::<Vec<_>>(), [2]);
    assert_eq!(marker_total(&svg), 4);
    let svg = plot(false, vec![series("", &line)]).to_svg();
    assert_eq!(points(&svg).iter().map(Vec::len).collect::<Vec<_>>(), [2, 3]);
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn long_lines_are_marked_now_and_then() {
    let line: Vec<(f64, f64)> = (0..300).map(|i| (f64::from(i), 1.0)).collect();
    let svg = plot(false, vec![series("", &line)]).to_svg();
    assert_eq!(points(&svg)[0].len(), 300);
    assert!((20..40).contains(&marker_total(&svg)));
}

#[test]
fn a_series_without_points_is_said_to_have_none() {
    let svg = plot(true, vec![series("a", &[(1.0, 0.0)]), series("b", &[(1.0, 1.0)])]).to_svg();
    assert!(svg.contains(">a (no data)<") && svg.contains(">b<"));
    let nothing = plot(false, Vec::new()).to_svg();
    assert!(nothing.contains(">no data<") && nothing.ends_with("</svg>\n"));
}

#[test]
fn series_differ_in_colour_and_marker() {
    let many: Vec<Series> = (0..20).map(|i| series(&format!("s{i}"), &[(1.0, f64::from(i))])).collect();
    let svg = plot(false, many).to_svg();
    let markers = svg.lines().filter(|line| line.contains("translate("));
    let looks = markers.map(|line| (attributes(line, "d")[0], attributes(line, "stroke")[0]));
    let mut looks: Vec<_> = looks.collect();
    looks.sort_unstable();
    looks.dedup();
    assert_eq!(looks.len(), 20);
}

#[test]
fn a_line_on_top_of_another_is_dashed() {
    let line = [(1.0, 1.0), (2.0, 2.0)];
    let lines = vec![series("a", &line), series("b", &line), series("c", &[(1.0, 2.0), (2.0, 1.0)])];
    let svg = plot(false, lines).to_svg();
    assert_eq!(attributes(&svg, "stroke-dasharray"), ["9.0 9.0"]);
}

#[test]
fn the_legend_stays_clear_of_the_lines() {
    let line = [(1.0, 1.0), (2.0, 2.0)];
    let beside = plot(false, vec![series("flash", &line)]);
    let canvas = Canvas::new(&beside, Ink::FILE);
    assert!(canvas.legend.places[0].0 > canvas.right);
    let long = "a name that is much too long to stand beside the chart".to_owned();
    let below = plot(false, vec![series(&long, &line), series(&long.repeat(9), &line)]);
    let canvas = Canvas::new(&below, Ink::FILE);
    assert!(canvas.legend.places.iter().all(|&(x, y)| y > HEIGHT && x >= canvas.left));
    assert!(canvas.legend.height >= 2.0 * LEGEND_ROW);
    let svg = below.to_svg();
    assert!(svg.contains('…'));
    assert!(svg.contains(&format!("height=\"{}\"", HEIGHT + canvas.legend.height)));
}

#[test]
fn text_is_escaped() {
    let mut plot = plot(false, vec![series("<b>\u{0}", &[(1.0, 1.0)])]);
    plot.x_label = "\"k\" > 1".to_owned();
    let svg = plot.to_svg();
    assert!(svg.contains("Loss &amp; time") && svg.contains("&lt;b&gt; <"));
    assert!(svg.contains("&quot;k&quot; &gt; 1"));
}

#[test]
fn long_titles_shrink_to_fit() {
    assert_eq!(fitting("short", 600.0, LARGE), LARGE);
    let long = "x".repeat(100);
    let size = fitting(&long, 600.0, LARGE);
    assert!(size < LARGE && text_width(&long, size) <= 600.5);
}
