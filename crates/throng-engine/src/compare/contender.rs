//! One of the algorithms that are compared, with its settings.

use serde_json::{Map, Value, json};

use throng::algorithm::{self, BLOCK_ROWS, Entry, Family, Setting, Settings};
use throng::loss::Loss;
use throng::notion::Notion;
use throng::problem::Problem;
use throng::requirement::Requirement;
use throng::wording::quoted;

use super::Generalise;
use crate::error::{EngineError, Result};
use crate::job::Job;
use crate::pipeline::find_algorithm;
use crate::plan::{refuse_aggregate, refuse_unfit, refuse_unserved, refuse_unused};
use crate::summary;

/// An algorithm, what it is told, the notion that it must give and what it generalises to.
#[derive(Clone)]
pub struct Contender {
    /// The text that it was read from.
    pub name: String,
    /// The algorithm.
    pub algorithm: &'static Entry,
    /// What a crowd of k means.
    pub notion: Notion,
    /// What the algorithm is told beyond the problem.
    pub settings: Settings,
    /// How its quasi-identifiers generalise.
    pub generalise: Generalise,
}

impl Contender {
    /// Reads `NAME[:SETTING[+SETTING…]]`, where a setting is `KEY=VALUE`, or `KEY` for `KEY=true`.
    ///
    /// The keys are those settings of a job's `[search]` that the algorithm takes, `notion` and
    /// `generalise`; what no setting says is as in the job.
    ///
    /// # Errors
    /// Unknown names, with the nearest ones, values that a key cannot have, keys that are there twice,
    /// and settings that the algorithm does not take.
    pub fn parse(text: &str, job: &Job) -> Result<Contender> {
        let name = text.trim();
        let (algorithm, settings) = name.split_once(':').map_or((name, None), |(a, s)| (a, Some(s)));
        let algorithm = find_algorithm(algorithm.trim())?;
        let settings = settings.into_iter().flat_map(|settings| settings.split('+'));
        let settings: Vec<(&str, &str)> = settings
            .map(|setting| setting.split_once('=').unwrap_or((setting, "true")))
            .map(|(key, value)| (key.trim(), value.trim()))
            .collect();
        Contender::with_settings(name, algorithm, &settings, job).map_err(|error| error.within(quoted(name)))
    }

    fn with_settings(
        name: &str,
        algorithm: &'static Entry,
        settings: &[(&str, &str)],
        job: &Job,
    ) -> Result<Contender> {
        let (mut job, mut generalise) = (job.clone(), Generalise::default());
        for (at, &(key, value)) in settings.iter().enumerate() {
            if settings[..at].iter().any(|&(earlier, _)| earlier == key) {
                return Err(EngineError::bad((format!("{} is set twice", quoted(key)), "set it only once")));
            }
            if key == "generalise" {
                generalise = Generalise::parse(value)?;
            } else {
                job = job.with_setting(key, value)?;
            }
        }
        let (notion, told) = (job.privacy.notion, job.search.settings);
        refuse_unused(algorithm, settings.iter().filter_map(|(key, _)| Setting::find(key)), &told)?;
        refuse_whole_columns(algorithm, generalise)?;
        Ok(Contender { name: name.to_owned(), algorithm, notion, settings: told, generalise })
    }

    /// Refuses a measure, a notion or values of settings that the algorithm cannot work with, for k at
    /// most `largest_k`.
    pub(super) fn check(&self, measure: &'static dyn Loss, largest_k: u64) -> Result<()> {
        let setting = format!("in a variant, as in {}:notion=kk", self.algorithm.name);
        refuse_unfit(self.algorithm, measure, self.notion, &setting).map_err(|error| self.blame(error))?;
        let mut used = self.algorithm.used(&self.settings);
        let checked = used.try_for_each(|(setting, value)| setting.check(value, largest_k));
        checked.map_err(|error| self.blame(EngineError::bad(error)))
    }

    /// Refuses what the job requires beside k, and by what it minimises, if the algorithm cannot give it.
    pub(super) fn check_required(&self, job: &Job) -> Result<()> {
        let aggregates = refuse_aggregate(self.algorithm, job.search.aggregate);
        let serves = || refuse_unserved(self.algorithm, self.notion, &self.settings, job);
        aggregates.and_then(|()| serves()).map_err(|error| self.blame(error))
    }

    /// An error with the name of the contender that is at fault.
    fn blame(&self, error: EngineError) -> EngineError {
        error.within(quoted(&self.name))
    }

    /// The settings in force in a search that cut the table into so many blocks, if any.
    pub(super) fn in_force(&self, blocks: Option<usize>) -> Map<String, Value> {
        let mut settings = summary::used_settings(self.algorithm, &self.settings);
        let block_rows = settings.remove(BLOCK_ROWS.name);
        if self.generalise != Generalise::AsJob {
            settings.insert("generalise".to_owned(), json!(self.generalise.name()));
        }
        // One block is the whole table.
        if let Some(blocks) = blocks.filter(|&blocks| blocks > 1) {
            settings.insert(BLOCK_ROWS.name.to_owned(), json!(block_rows));
            settings.insert("blocks".to_owned(), json!(blocks));
        }
        settings
    }

    /// The problem as this contender has it.
    pub(super) fn pose(&self, problem: &Problem) -> Problem {
        let mut problem = problem.clone();
        let crowd = |one: &Requirement| match one.class_model().least_rows() {
            Some(k) if one.shield().is_none() => Requirement::crowd(self.notion, k),
            _ => one.in_crowds(self.notion),
        };
        problem.requirements = problem.requirements.iter().map(crowd).collect::<Vec<_>>().into();
        problem.settings = self.settings.clone();
        problem
    }
}

/// Refuses ranges and sets for an algorithm that moves whole columns from level to level.
fn refuse_whole_columns(algorithm: &Entry, generalise: Generalise) -> Result<()> {
    if generalise == Generalise::AsJob || algorithm.family == Family::Local {
        return Ok(());
    }
    let able = algorithm::registry().iter().filter(|entry| entry.family == Family::Local);
    Err(EngineError::bad(format!(
        "generalise={} cannot be used with '{}', which recodes whole columns and needs their hierarchies. \
            Algorithms that take it: {}",
        generalise.name(),
        algorithm.name,
        able.map(|entry| entry.name).collect::<Vec<_>>().join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn parse(text: &str) -> Result<Contender> {
        let job = "input = 'a.csv'\noutput = 'b.csv'\ncolumns.age = { role = 'quasi' }\n\
                   [privacy]\nk = 5\n[search]\ndistance = 2";
        Contender::parse(text, &Job::parse(job, Path::new("")).unwrap())
    }

    fn complaint(text: &str) -> String {
        parse(text).err().expect(text).to_string()
    }

    #[test]
    fn settings_come_before_what_the_job_says() {
        let plain = parse(" forest ").unwrap();
        assert_eq!((plain.name.as_str(), plain.algorithm.name), ("forest", "forest"));
        let job = Settings::default().with("distance", "2").unwrap();
        assert_eq!((&plain.settings, plain.notion), (&job, Notion::K));
        let varied = parse("agglomerative:distance=4+shrink+epsilon=0.5").unwrap();
        let expected = [("distance", "4"), ("shrink", "true"), ("epsilon", "0.5")];
        let expected = expected.into_iter().fold(job, |told, (key, value)| told.with(key, value).unwrap());
        assert_eq!((varied.settings, varied.algorithm.name), (expected, "agglomerative"));
        assert_eq!(parse("expansion:notion=global-1k").unwrap().notion, Notion::GlobalOneK);
    }

    #[test]
    fn values_must_fit_the_largest_k_of_those_who_take_them() {
        let lm = crate::pipeline::find_measure("lm").unwrap();
        let check = |contender: Contender, k: u64| contender.check(lm, k).map_err(|e| e.to_string());
        let varied = || parse("agglomerative:block_rows=40").unwrap();
        assert_eq!(check(varied(), 20), Ok(()));
        let small = check(varied(), 21).unwrap_err();
        assert!(small.ends_with("block_rows=40': block_rows is 40; it must be at least 2k = 42"), "{small}");
        let flash = parse("flash").unwrap();
        assert_eq!(check(Contender { settings: varied().settings, ..flash }, 21), Ok(()));
        let epsilon = check(parse("agglomerative:distance=4+epsilon=0").unwrap(), 2).unwrap_err();
        assert!(epsilon.ends_with("epsilon=0': epsilon is 0; it must be a number above 0"), "{epsilon}");
    }

    #[test]
    fn whole_columns_need_their_hierarchies() {
        let open = parse("mondrian:relaxed+generalise=range-or-set:50").unwrap();
        assert_eq!(open.generalise, Generalise::RangeOrSet { most_members: 50 });
        assert_eq!(parse("flash:generalise=job").unwrap().generalise, Generalise::AsJob);
        let refused = complaint("flash:generalise=range-or-set");
        let start = "'flash:generalise=range-or-set': generalise=range-or-set cannot be used with 'flash'";
        assert!(refused.starts_with(start) && refused.contains("agglomerative, "), "{refused}");
        assert!(!refused.contains("incognito"), "{refused}");
        let unknown = complaint("mondrian:generalise=range-or-sets");
        assert!(unknown.contains("unknown way to generalise 'range-or-sets'; did you mean"), "{unknown}");
    }

    #[test]
    fn settings_that_the_algorithm_does_not_use_are_refused_unless_they_are_the_jobs() {
        let complaint = complaint("forest:distance=4");
        assert_eq!(
            complaint,
            "'forest:distance=4': 'forest' does not use 'distance'; agglomerative and sequential do"
        );
        for text in ["flash:block_rows=40", "mondrian:shrink", "agglomerative:distance=3+epsilon=1"] {
            assert!(parse(text).err().expect(text).to_string().contains("does not use"), "{text}");
        }
        // The job has distance = 2.
        assert!(parse("forest").is_ok() && parse("agglomerative:epsilon=1+distance=4").is_ok());
    }

    #[test]
    fn a_setting_that_is_there_twice_is_refused() {
        let twice = complaint("agglomerative:distance=3+distance=4");
        let expected = "'agglomerative:distance=3+distance=4': 'distance' is set twice; set it only once";
        assert_eq!(twice, expected);
        assert!(complaint("expansion:notion=kk+notion=kk").contains("'notion' is set twice"));
        let generalise = complaint("mondrian:generalise=job+relaxed+generalise=range-or-set");
        assert!(generalise.contains("'generalise' is set twice"), "{generalise}");
    }

    #[test]
    fn a_notion_that_a_contender_does_not_give_is_blamed_on_it() {
        let lm = crate::pipeline::find_measure("lm").unwrap();
        let refused = parse("expansion:block_rows=40").unwrap().check(lm, 5).unwrap_err().to_string();
        let start = "'expansion:block_rows=40': 'expansion' does not guarantee k-anonymity";
        let end = "set notion in [privacy] or in a variant, as in expansion:notion=kk";
        assert!(refused.starts_with(start) && refused.ends_with(end), "{refused}");
        assert!(parse("expansion:notion=kk").unwrap().check(lm, 5).is_ok());
    }

    #[test]
    fn misspelt_contenders_are_explained() {
        assert!(complaint("agglomerativ:distance=1").contains("did you mean 'agglomerative'?"));
        let key = complaint("agglomerative:distnce=1");
        assert!(key.starts_with("'agglomerative:distnce=1': unknown setting 'distnce'; did you"), "{key}");
        assert!(complaint("expansion:notion=kl").contains("'expansion:notion=kl': unknown notion 'kl'"));
        assert!(complaint("forest:").contains("unknown setting ''"));
        let negative = complaint("forest:block_rows=-4");
        assert_eq!(negative, "'forest:block_rows=-4': block_rows is -4; it must be at least 2k");
        assert!(complaint("").contains("unknown algorithm ''"));
    }
}
