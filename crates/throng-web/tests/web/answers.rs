//! What answers make of a job, and of a release.

use throng_engine::pseudonym::PseudonymKey;

use crate::client::serve;
use crate::steps::{ROLES, ask, begin, folder_of, is_looked_at, people, place};

/// A table without anything to judge: secrets are mixed in every crowd.
fn harmless() -> String {
    let row = |row: u32| format!("ident-{row},town-{},sex-{},illness-{}\n", row / 5 % 12, row % 2, row / 60);
    format!("id,town,sex,illness\n{}", (0..240).map(row).collect::<String>())
}

#[test]
fn a_release_can_be_green_and_tells_nothing_of_the_order() {
    let served = serve(|_| {});
    let text = harmless();
    let (header, rows) = text.split_once('\n').unwrap();
    let backwards: Vec<&str> = rows.lines().rev().collect();
    std::fs::write(served.folder.join("people.csv"), &text).unwrap();
    std::fs::write(served.folder.join("backwards.csv"), format!("{header}\n{}\n", backwards.join("\n")))
        .unwrap();
    let visit = served.enter();
    let releases = ["people.csv", "backwards.csv"].map(|table| {
        let draft = begin(&visit, table);
        visit.post(&format!("{draft}/columns"), &ROLES);
        let (run, page) = ask(&visit, &draft, &[("k", "5"), ("suppression", "0"), ("secret-0", "0")]);
        assert!(page.body.contains("class=\"verdict\""), "{}", page.body);
        assert!(page.body.contains("Green: all requirements hold"), "{}", page.body);
        assert!(visit.get(&format!("{run}/files/job.toml")).body.contains("order = \"sort\""));
        visit.get(&format!("{run}/files/release")).body
    });
    assert_eq!(releases[0], releases[1]);
}

#[test]
fn who_may_know_that_somebody_is_in_the_table_decides_where_the_crowd_is_counted() {
    let served = serve(|_| {});
    std::fs::write(served.folder.join("people.csv"), people(200)).unwrap();
    // Everybody in the table, and as many others who look like them.
    let all = people(400);
    std::fs::write(served.folder.join("register.csv"), &all).unwrap();
    let visit = served.enter();
    let draft = begin(&visit, "people.csv");
    visit.post(&format!("{draft}/columns"), &ROLES);
    let say = |answers: &[(&str, &str)]| {
        let all = [answers, &[("k", "5"), ("suppression", "1"), ("then", "here")]].concat();
        assert_eq!(place(&visit.post(&format!("{draft}/safety"), &all)), format!("{draft}/safety"));
        visit.get(&format!("{draft}/job")).body
    };
    let job = say(&[("member", "register"), ("register", "register.csv")]);
    assert!(
        job.contains("model = \"k-map\"") && job.contains("k = 5") && job.contains("register.csv"),
        "{job}"
    );
    let page = visit.get(&format!("{draft}/safety")).body;
    assert!(page.contains("value=\"register\" checked") && page.contains("value=\"5\" checked"), "{page}");
    let (run, page) = ask(&visit, &draft, &[]);
    assert!(page.body.contains("Will you send this?"), "{}", page.body);
    assert!(visit.get(&format!("{run}/files/job.toml")).body.contains("k-map"));
    let job = say(&[("member", "secret"), ("register", "register.csv")]);
    assert!(job.contains("delta-presence") && job.contains("max = 0.5") && !job.contains("k-map"), "{job}");
    let (_, page) = ask(&visit, &draft, &[]);
    assert!(page.body.contains("Will you send this?"), "{}", page.body);
    let job = say(&[("member", "known")]);
    assert!(
        !job.contains("delta-presence") && !job.contains("register.csv") && job.contains("k = 5"),
        "{job}"
    );
    // The list is a file of the folder, and nothing else.
    for list in ["../secret.csv", "", "/etc/passwd"] {
        let answers = [("k", "5"), ("member", "register"), ("register", list)];
        let refused = visit.post(&format!("{draft}/safety"), &answers);
        assert!(refused.status == 422 && refused.body.contains("must be a table in the folder"), "{list}");
    }
}

#[test]
fn crowds_need_not_look_alike() {
    let served = serve(|_| {});
    std::fs::write(served.folder.join("people.csv"), people(120)).unwrap();
    let visit = served.enter();
    let draft = begin(&visit, "people.csv");
    visit.post(&format!("{draft}/columns"), &ROLES);
    let (run, page) = ask(&visit, &draft, &[("k", "4"), ("alike", "global-1k"), ("secret-0", "0")]);
    assert!(page.body.contains("Will you send this?"), "{}", page.body);
    let job = visit.get(&format!("{run}/files/job.toml")).body;
    assert!(job.contains("notion = \"global-1k\"") && job.contains("expansion"), "{job}");
    // Back to crowds that look alike, from what was decided.
    let draft = place(&visit.post(&format!("{run}/again"), &[])).trim_end_matches("/columns").to_owned();
    visit.wait(&format!("{draft}/table"), is_looked_at);
    let (run, page) = ask(&visit, &draft, &[("k", "4"), ("alike", "k"), ("secret-0", "0")]);
    assert!(page.body.contains("Will you send this?"), "{}", page.body);
    let job = visit.get(&format!("{run}/files/job.toml")).body;
    assert!(!job.contains("global-1k") && job.contains("order = \"sort\""), "{job}");
}

#[test]
fn classifiers_pictures_and_costs_are_there_when_they_are_asked_for() {
    let served = serve(|_| {});
    std::fs::write(served.folder.join("people.csv"), people(200)).unwrap();
    let visit = served.enter();
    let draft = begin(&visit, "people.csv");
    visit.post(&format!("{draft}/columns"), &ROLES);
    visit.post(&format!("{draft}/frontier"), &[]);
    let front = visit.wait(&format!("{draft}/safety"), is_looked_at).body;
    assert!(front.contains("data-mark=") && front.contains("data-chooses=\"front-k\""), "{front}");
    let (run, page) = ask(&visit, &draft, &[("k", "8"), ("suppression", "1")]);
    for part in ["class=\"crowds\"", "class=\"lattice\"", "larger: keeps more"] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    visit.post(&format!("{run}/classify"), &[("target", "illness")]);
    visit.post(&format!("{run}/costs"), &[]);
    let page = visit.wait(&run, is_looked_at).body;
    for part in ["naive Bayes", "random forest", "always the most frequent answer", "Others keep without it"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    visit.post(&format!("{run}/classify"), &[("target", "no such column")]);
    let page = visit.wait(&run, is_looked_at).body;
    assert!(page.contains("class=\"failure\"") && page.contains("no such column"), "{page}");
}

#[test]
fn what_would_help_is_one_click_away() {
    let served = serve(|_| {});
    let rows: String = (0..40).map(|row| format!("n{row},{},x\n", 20 + row)).collect();
    std::fs::write(served.folder.join("people.csv"), format!("name,age,illness\n{rows}")).unwrap();
    let visit = served.enter();
    // No step takes everybody together, so the largest crowd is that of ten years.
    let job = "input = 'people.csv'\noutput = { path = 'r.csv', order = 'shuffle' }\n[columns]\nname = { role = 'identifier' }\n\
               age = { role = 'quasi', hierarchy = { intervals = [10] }, max_level = 1 }\nillness = { role = 'other' }\n\
               [privacy]\nk = 15\n";
    let opened = place(&visit.send("/jobs", "job", "job.toml", job.as_bytes()));
    visit.wait(&opened, is_looked_at);
    let run = place(&visit.post(&format!("{}/run", opened.trim_end_matches("/table")), &[]));
    let page = visit.wait(&run, |page| !page.body.contains("data-run")).body;
    for part in
        ["A smaller crowd: 1 in 10 is possible", "name=\"k\" value=\"10\"", "coarser than the job allows"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    let again = place(&visit.post(&format!("{run}/again"), &[("k", "10")]));
    let draft = again.strip_suffix("/safety").unwrap();
    visit.wait(&format!("{draft}/table"), is_looked_at);
    let (_, page) = ask(&visit, draft, &[]);
    assert!(page.body.contains("Will you send this?"), "{}", page.body);
}

#[test]
fn codes_take_the_place_of_identifiers_where_there_is_a_key() {
    let key = || PseudonymKey::new(b"4f1d9b0c7a2e8853 of a test").unwrap();
    let served = serve(|options| options.pseudonym_key = Some(key()));
    std::fs::write(served.folder.join("people.csv"), people(120)).unwrap();
    let visit = served.enter();
    let draft = begin(&visit, "people.csv");
    let columns = format!("{draft}/columns");
    assert!(visit.get(&columns).body.contains("name=\"code-0\""));
    visit.post(&columns, &[&ROLES[..4], &[("code-0", "keyed"), ("person", "")]].concat());
    let (run, page) = ask(&visit, &draft, &[("k", "3"), ("suppression", "1")]);
    assert!(page.body.contains("Will you send this?"), "{}", page.body);
    let release = std::fs::read_to_string(folder_of(&served, &run).join("release.csv")).unwrap();
    let code = release.lines().nth(1).unwrap().split(',').next().unwrap();
    assert!(code.len() == 32 && code.bytes().all(|byte| byte.is_ascii_hexdigit()), "{code}");
    // Without a key nobody is offered one, and a job that asks for codes says what it lacks.
    let other = serve(|options| options.folder.clone_from(&served.folder));
    let visit = other.enter();
    assert!(!visit.get(&format!("{}/columns", begin(&visit, "people.csv"))).body.contains("name=\"code-0\""));
    let run = place(&visit.post(&format!("{draft}/run"), &[]));
    let page = visit.wait(&run, |page| !page.body.contains("data-run")).body;
    assert!(page.contains("This run failed") && page.contains("THRONG_PSEUDONYM_KEY"), "{page}");
}

#[test]
fn what_was_decided_is_asked_of_next_months_file() {
    let served = serve(|_| {});
    std::fs::write(served.folder.join("november.csv"), people(120)).unwrap();
    let visit = served.enter();
    let draft = begin(&visit, "november.csv");
    visit.post(&format!("{draft}/columns"), &ROLES);
    let (run, _) = ask(&visit, &draft, &[("k", "3"), ("suppression", "1")]);
    std::fs::write(served.folder.join("december.csv"), people(160)).unwrap();
    assert!(visit.get("/").body.contains("<option value=\"december.csv\">"));
    let id = run.trim_start_matches("/runs/");
    let draft = place(&visit.post("/again", &[("run", id), ("table", "december.csv")]));
    let draft = draft.trim_end_matches("/columns");
    visit.wait(&format!("{draft}/table"), is_looked_at);
    let (run, page) = ask(&visit, draft, &[]);
    assert!(page.body.contains("of 160 rows"), "{}", page.body);
    assert!(visit.get(&format!("{run}/files/job.toml")).body.contains("december.csv"));
    assert_eq!(visit.post("/again", &[("run", "0123456789abcdef"), ("table", "december.csv")]).status, 404);
}
