//! The files by which clusters are deployed say what they should, in YAML that can be read.

use std::fs;
use std::path::PathBuf;

use yaml_rust2::{Yaml, YamlLoader};

fn read(name: &str) -> Vec<Yaml> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(name);
    YamlLoader::load_from_str(&fs::read_to_string(path).unwrap())
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The words of a list.
fn words(list: &Yaml) -> Vec<&str> {
    list.as_vec().into_iter().flatten().map(|word| word.as_str().expect("text")).collect()
}

#[test]
fn the_compose_file_starts_nodes() {
    let [compose] = &read("compose.yaml")[..] else { panic!("one document") };
    let services = &compose["services"];
    assert_eq!(words(&services["scheduler"]["command"])[..2], ["cluster", "scheduler"]);
    let executor = words(&services["executor"]["command"])[0];
    assert!(executor.contains("throng cluster executor --scheduler scheduler:50050"), "{executor}");
    for service in ["scheduler", "executor", "throng"] {
        assert!(services[service]["ports"].is_badvalue(), "{service} is for this network alone");
    }
    assert_eq!(compose["networks"]["cluster"]["internal"].as_bool(), Some(true));
}

#[test]
fn the_manifest_has_all_that_a_cluster_needs() {
    let all = read("kubernetes.yaml");
    let kinds: Vec<&str> = all.iter().map(|one| one["kind"].as_str().expect("a kind")).collect();
    assert_eq!(
        kinds,
        ["Namespace", "PersistentVolumeClaim", "Service", "Deployment", "Deployment", "NetworkPolicy"]
    );
    for deployment in all.iter().filter(|one| one["kind"].as_str() == Some("Deployment")) {
        let pod = &deployment["spec"]["template"];
        assert_eq!(pod["metadata"]["labels"], deployment["spec"]["selector"]["matchLabels"]);
        let container = &pod["spec"]["containers"][0];
        assert_eq!(words(&container["args"])[0], "cluster");
        assert_eq!(container["volumeMounts"][0]["mountPath"].as_str(), Some("/data"));
    }
}

/// Whatever flags they use, the program has them.
#[cfg(feature = "cluster")]
#[test]
fn the_program_has_the_flags() {
    let sandbox = crate::sandbox::Sandbox::empty();
    for (node, name) in [("scheduler", "scheduler"), ("executor", "executor")] {
        let help = sandbox.throng(&format!("cluster {node} --help")).done();
        let manifest = read("kubernetes.yaml");
        let is_it = |one: &&Yaml| {
            one["kind"].as_str() == Some("Deployment") && one["metadata"]["name"].as_str() == Some(name)
        };
        let deployment = manifest.iter().find(is_it).unwrap();
        let args = &deployment["spec"]["template"]["spec"]["containers"][0]["args"];
        for flag in words(args).into_iter().filter(|word| word.starts_with("--")) {
            assert!(help.contains(flag), "{node}: {flag}");
        }
    }
}
