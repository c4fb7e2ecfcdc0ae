//! One of the algorithms that are compared, with its settings.

use throng::algorithm::{Entry, Family, Parameters};
use throng::loss::Loss;
use throng::notion::Notion;
use throng::problem::Problem;

use crate::error::{EngineError, Result};
use crate::job::Job;
use crate::pipeline::{find_algorithm, refuse_unfit};

/// An algorithm, what it is told, and the notion that it must give.
#[derive(Clone)]
pub struct Contender {
    /// The text that it was read from.
    pub name: String,
    /// The algorithm.
    pub algorithm: &'static Entry,
    /// What a crowd of k means.
    pub notion: Notion,
    /// What the algorithm is told beyond the problem.
    pub parameters: Parameters,
}

impl Contender {
    /// Reads `NAME[:SETTING[+SETTING…]]`, where a setting is `KEY=VALUE`, or `KEY` for `KEY=true`.
    ///
    /// The keys are those of a job's `[search]`, and `notion`; what no setting says is as in the
    /// job.
    ///
    /// # Errors
    /// Unknown names, with the nearest ones, and values that a key cannot have.
    pub fn parse(text: &str, job: &Job) -> Result<Contender> {
        let name = text.trim();
        let (algorithm, settings) = name.split_once(':').map_or((name, None), |(a, s)| (a, Some(s)));
        let algorithm = find_algorithm(algorithm.trim())?;
        let mut job = job.clone();
        for setting in settings.into_iter().flat_map(|settings| settings.split('+')) {
            let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
            job = job
                .with_setting(key.trim(), value.trim())
                .map_err(|error| EngineError::bad(format!("'{name}': {error}")))?;
        }
        let (notion, parameters) = (job.privacy.notion, job.search.parameters());
        Ok(Contender { name: name.to_owned(), algorithm, notion, parameters })
    }

    /// Refuses a measure, a notion or blocks that the algorithm cannot work with, for k at most
    /// `largest_k`.
    pub(super) fn check(&self, measure: &'static dyn Loss, largest_k: u64) -> Result<()> {
        refuse_unfit(self.algorithm, measure, self.notion)?;
        let Some(rows) = self.parameters.block_rows else {
            return Ok(());
        };
        let (name, least) = (&self.name, largest_k.saturating_mul(2));
        if self.algorithm.family != Family::Local {
            return Err(EngineError::bad(format!("'{name}': only local recoding takes block_rows")));
        }
        if rows < least {
            return Err(EngineError::bad(format!(
                "'{name}': block_rows is {rows}; for k = {largest_k} it must be at least {least}"
            )));
        }
        Ok(())
    }

    /// The problem as this contender has it.
    pub(super) fn pose(&self, problem: &Problem) -> Problem {
        let mut problem = problem.clone();
        problem.requirement.notion = self.notion;
        problem.parameters = self.parameters.clone();
        problem
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use throng::algorithm::Distance;

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
        assert_eq!((plain.parameters.distance, plain.notion), (Distance::D2, Notion::K));
        let varied = parse("agglomerative:distance=4+shrink+epsilon=0.5").unwrap();
        let expected = Parameters { distance: Distance::D4, epsilon: 0.5, shrink: true, ..plain.parameters };
        assert_eq!((varied.parameters, varied.algorithm.name), (expected, "agglomerative"));
        assert_eq!(parse("expansion:notion=global-1k").unwrap().notion, Notion::GlobalOneK);
    }

    #[test]
    fn blocks_must_fit_the_largest_k_and_the_algorithm() {
        let lm = crate::pipeline::find_measure("lm").unwrap();
        let check = |text: &str, k: u64| parse(text).unwrap().check(lm, k).map_err(|e| e.to_string());
        assert_eq!(check("agglomerative:block_rows=40", 20), Ok(()));
        let small = check("agglomerative:block_rows=40", 21).unwrap_err();
        assert!(small.ends_with("block_rows is 40; for k = 21 it must be at least 42"), "{small}");
        assert!(check("flash:block_rows=40", 5).unwrap_err().contains("only local recoding"));
    }

    #[test]
    fn misspelt_contenders_are_explained() {
        assert!(complaint("agglomerativ:distance=1").contains("did you mean 'agglomerative'?"));
        let key = complaint("agglomerative:distnce=1");
        assert!(key.starts_with("'agglomerative:distnce=1': unknown setting 'distnce'; did you"), "{key}");
        assert!(complaint("expansion:notion=kl").contains("'expansion:notion=kl': unknown notion 'kl'"));
        assert!(complaint("forest:").contains("unknown setting ''"));
        assert!(complaint("").contains("unknown algorithm ''"));
    }
}
