use super::*;
use crate::wording::Message;

#[derive(Debug, Serialize, Deserialize)]
struct Doc {
    hierarchy: HierarchySpec,
}

fn read(text: &str) -> Result<HierarchySpec, String> {
    let doc = toml::from_str::<Doc>(&format!("hierarchy = {text}"));
    doc.map(|doc| doc.hierarchy).map_err(|error| crate::wording::unpack(error.message()).into())
}

fn group(label: &str, values: &[&str]) -> Group {
    Group { label: label.to_owned(), values: values.iter().map(|v| v.to_string()).collect() }
}

#[test]
fn every_form_is_read_and_survives_a_round_trip() {
    let dates = |format: Option<&str>| HierarchySpec::Dates {
        units: vec![DateUnit::Month, DateUnit::Year],
        format: format.map(str::to_owned),
    };
    let cases = [
        ("'age.csv'", HierarchySpec::File("age.csv".into())),
        ("{ mask = 'left' }", HierarchySpec::Mask(MaskSide::Left)),
        (
            "{ intervals = [5, 7.5], origin = -1 }",
            HierarchySpec::Intervals { widths: vec![5.0, 7.5], origin: -1.0, in_words: false },
        ),
        ("{ intervals = [5] }", HierarchySpec::Intervals { widths: vec![5.0], origin: 0.0, in_words: false }),
        (
            "{ intervals = [5], ranges = 'words' }",
            HierarchySpec::Intervals { widths: vec![5.0], origin: 0.0, in_words: true },
        ),
        ("{ auto = true }", HierarchySpec::Auto { levels: Auto::MAX_LEVELS }),
        ("{ auto = true, levels = 2 }", HierarchySpec::Auto { levels: 2 }),
        ("{ dates = ['month', 'year'] }", dates(None)),
        ("{ dates = ['month', 'year'], format = '%d.%m.%Y' }", dates(Some("%d.%m.%Y"))),
        (
            "{ groups = [{ z = ['p', 7], y = ['q'] }, { x = ['z', 'y'] }] }",
            HierarchySpec::Groups(vec![
                vec![group("z", &["p", "7"]), group("y", &["q"])],
                vec![group("x", &["z", "y"])],
            ]),
        ),
    ];
    for (text, spec) in cases {
        assert_eq!(read(text).as_ref(), Ok(&spec), "{text}");
        let written = toml::to_string(&Doc { hierarchy: spec.clone() }).unwrap();
        assert_eq!(toml::from_str::<Doc>(&written).unwrap().hierarchy, spec, "{written}");
    }
}

#[test]
fn flags_name_files_and_simple_builders() {
    let of = |text: &str| text.parse::<HierarchySpec>().unwrap();
    assert_eq!(of("age.csv"), HierarchySpec::File("age.csv".into()));
    assert_eq!(of("C:/age.csv"), HierarchySpec::File("C:/age.csv".into()));
    assert_eq!(of("./mask:right"), HierarchySpec::File("./mask:right".into()));
    assert_eq!(of("auto"), HierarchySpec::Auto { levels: Auto::MAX_LEVELS });
    assert_eq!(of("./auto"), HierarchySpec::File("./auto".into()));
    assert_eq!(of("mask:right"), HierarchySpec::Mask(MaskSide::Right));
    assert_eq!(
        of("intervals:5, 10"),
        HierarchySpec::Intervals { widths: vec![5.0, 10.0], origin: 0.0, in_words: false }
    );
    assert_eq!(
        of("dates:month,decade"),
        HierarchySpec::Dates { units: vec![DateUnit::Month, DateUnit::Decade], format: None }
    );
    let complaint = |text: &str| text.parse::<HierarchySpec>().unwrap_err().to_string();
    assert_eq!(complaint(""), Message::from(EMPTY).to_string());
    assert_eq!(
        complaint("mask:rigth"),
        "unknown side to mask 'rigth'; did you mean 'right'? Allowed are: right, left"
    );
    assert_eq!(complaint("intervals:"), NOT_NUMBERS);
    assert_eq!(complaint("intervals:0"), "the widths of intervals must be above 0 and finite");
}

#[test]
fn faults_are_explained() {
    let cases = [
        ("''", "the hierarchy is empty; name a file, or a builder: mask, intervals, dates, groups or auto"),
        ("{}", "the hierarchy is empty; name a file, or a builder: mask, intervals, dates, groups or auto"),
        ("5", "a hierarchy must be a file name in quotes or a table with a builder"),
        (
            "{ interval = [5] }",
            "unknown hierarchy builder 'interval'; did you mean 'intervals'? \
             Allowed are: file, mask, intervals, dates, groups, auto",
        ),
        ("{ mask = 'left', dates = ['year'] }", "a hierarchy has one builder, not both mask and dates"),
        (
            "{ intervals = [5], orign = 1 }",
            "unknown key of the builder intervals 'orign'; did you mean 'origin'? \
             Allowed are: intervals, origin, ranges",
        ),
        ("{ mask = true }", "mask must be \"right\" or \"left\""),
        ("{ intervals = 5 }", NOT_NUMBERS),
        ("{ intervals = ['5'] }", NOT_NUMBERS),
        ("{ intervals = [] }", "intervals needs at least one width, as in intervals = [5, 10, 20]"),
        ("{ intervals = [-5] }", "the widths of intervals must be above 0 and finite"),
        ("{ intervals = [5], origin = nan }", "the origin of intervals must be a finite number"),
        (
            "{ dates = ['months'] }",
            "unknown calendar unit 'months'; did you mean 'month'? \
             Allowed are: day, month, quarter, year, decade",
        ),
        ("{ dates = [] }", "dates must be a list of calendar units, as in dates = [\"month\", \"year\"]"),
        ("{ dates = ['year'], format = 1 }", "the format of dates must be text such as \"%d.%m.%Y\""),
        ("{ auto = false }", "auto must be true; without a hierarchy, values are shown exactly or as *"),
        ("{ auto = true, levels = -1 }", "levels must be a whole number from 0 to 20"),
        ("{ auto = true, levels = 'x' }", "levels must be a whole number from 0 to 20"),
        ("{ groups = [{}] }", "level 1 of groups: it has no group"),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn faults_of_groups_do_not_show_values() {
    for text in [
        "{ groups = { Smith = ['Jones'] } }",
        "{ groups = [['Smith', 'Jones']] }",
        "{ groups = [{ Jones = 'Smith' }] }",
        "{ groups = [{ Jones = ['Smith', 1.5] }] }",
        "{ groups = [{ Jones = ['Smith'] }, { Smith = [] }] }",
        "{ groups = [{ Jones = [{ Smith = 1 }] }] }",
    ] {
        let message = read(text).unwrap_err();
        assert!(message.contains("group"), "{message}");
        assert!(!message.contains("Smith") && !message.contains("Jones"), "{message}");
    }
}
