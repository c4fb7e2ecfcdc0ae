//! The questions of the census, and how they are answered.

use std::fmt::Write;

use throng::random::Random;

use super::Person;

/// A trait that answers follow.
#[derive(Clone, Copy, Debug)]
pub(super) enum Follows {
    Age,
    Place,
    Luck,
    Origin,
    Home,
}

/// Who has more to say than the usual answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Talkative {
    Everyone,
    Workers,
    Newcomers,
    Ailing,
}

/// What an answer looks like.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spelling {
    /// Numbers from 0.
    Number,
    /// Codes from c1.
    Code,
}

/// One question.
pub(super) struct CensusColumn {
    pub(super) name: &'static str,
    /// Different answers.
    pub(super) answers: usize,
    /// For each level between the answers and the whole, how many answers are one.
    joins: &'static [usize],
    asked: Talkative,
    follows: Follows,
    /// Per cent of those asked who give the first answer, as nearly all others do.
    usual: u64,
    /// Per cent of the rest whose trait decides; the others answer anything.
    loyal: u64,
    spelling: Spelling,
}

impl CensusColumn {
    /// Levels, the answers themselves and the whole among them.
    #[cfg(test)]
    pub(super) fn levels(&self) -> usize {
        self.joins.len() + 2
    }

    /// The number of a person's answer.
    pub(super) fn draw(&self, person: &Person, draws: &mut Random) -> usize {
        // Always as many draws, so that a table with more columns has the same first ones.
        let (usual, loyal, near) = (draws.below(1000), draws.below(100), draws.unit());
        let any = draws.skewed_index(self.answers).min(draws.index(self.answers));
        let usually = if person.is_asked(self.asked) { 10 * self.usual } else { ODDITY };
        if usual < usually {
            return 0;
        }
        if loyal >= self.loyal {
            return any;
        }
        let place = person.traits[self.follows as usize] * 0.94 + near * 0.06;
        ((place * self.answers as f64) as usize).min(self.answers - 1)
    }

    /// An answer as text.
    pub(super) fn label(&self, answer: usize) -> String {
        match self.spelling {
            Spelling::Number => answer.to_string(),
            Spelling::Code => format!("c{}", answer + 1),
        }
    }

    /// One line for each answer: itself, the group around it at each level, the whole.
    pub(super) fn hierarchy(&self) -> String {
        let mut text = String::new();
        for answer in 0..self.answers {
            text.push_str(&self.label(answer));
            for join in self.joins {
                let first = answer / join * join;
                let last = (first + join - 1).min(self.answers - 1);
                _ = write!(text, ";{}-{}", self.label(first), self.label(last));
            }
            text.push_str(";*\n");
        }
        text
    }
}

/// Of a thousand who are not asked, those who give the usual answer.
const ODDITY: u64 = 995;

const fn question(
    name: &'static str,
    answers: usize,
    joins: &'static [usize],
    asked: Talkative,
    (follows, usual, loyal): (Follows, u64, u64),
    spelling: Spelling,
) -> CensusColumn {
    CensusColumn { name, answers, joins, asked, follows, usual, loyal, spelling }
}

use Follows::{Age, Home, Luck, Origin, Place};
use Spelling::{Code, Number};
use Talkative::{Ailing, Everyone, Newcomers, Workers};

pub(super) const QUESTIONS: [CensusColumn; 64] = [
    question("age", 100, &[5, 10, 20], Everyone, (Age, 0, 100), Number),
    question("birthplace", 60, &[5, 20], Newcomers, (Origin, 10, 60), Code),
    question("occupation", 240, &[6, 24, 120], Workers, (Luck, 25, 95), Code),
    question("industry", 120, &[8, 40], Workers, (Luck, 25, 95), Code),
    question("region", 24, &[3, 12], Everyone, (Place, 60, 90), Code),
    question("education", 24, &[3, 12], Everyone, (Luck, 45, 92), Code),
    question("marital_status", 6, &[3], Everyone, (Age, 30, 92), Code),
    question("hours_worked", 60, &[10, 30], Workers, (Luck, 60, 92), Number),
    question("income", 200, &[5, 20, 100], Workers, (Luck, 20, 97), Number),
    question("relationship", 18, &[6], Everyone, (Age, 45, 92), Code),
    question("commute_minutes", 90, &[5, 15, 45], Workers, (Place, 50, 92), Number),
    question("year_of_entry", 70, &[5, 20], Newcomers, (Origin, 10, 50), Number),
    question("sex", 2, &[], Everyone, (Home, 0, 0), Code),
    question("veteran", 2, &[], Ailing, (Age, 50, 40), Code),
    question("citizenship", 5, &[], Newcomers, (Origin, 10, 60), Code),
    question("ancestry", 90, &[15], Everyone, (Origin, 70, 85), Code),
    question("english", 5, &[], Newcomers, (Origin, 10, 60), Code),
    question("race", 9, &[], Everyone, (Origin, 80, 90), Code),
    question("school", 3, &[], Everyone, (Age, 75, 95), Code),
    question("disability", 2, &[], Ailing, (Age, 50, 50), Code),
    question("insurance", 2, &[], Ailing, (Luck, 50, 60), Code),
    question("public_insurance", 2, &[], Ailing, (Age, 50, 60), Code),
    question("private_insurance", 2, &[], Workers, (Luck, 15, 60), Code),
    question("moved", 3, &[], Everyone, (Home, 90, 60), Code),
    question("hearing", 2, &[], Ailing, (Age, 50, 50), Code),
    question("seeing", 2, &[], Ailing, (Age, 50, 50), Code),
    question("walking", 2, &[], Ailing, (Age, 50, 60), Code),
    question("food_stamps", 2, &[], Ailing, (Luck, 50, 60), Code),
    question("married_this_year", 2, &[], Everyone, (Age, 97, 40), Code),
    question("gave_birth", 2, &[], Everyone, (Home, 97, 40), Code),
    question("rooms", 9, &[3], Everyone, (Home, 60, 55), Number),
    question("bedrooms", 6, &[], Everyone, (Home, 45, 55), Number),
    question("tenure", 4, &[], Everyone, (Luck, 55, 55), Code),
    question("vehicles", 6, &[], Everyone, (Home, 40, 55), Number),
    question("fuel", 8, &[4], Everyone, (Place, 50, 55), Code),
    question("internet", 3, &[], Everyone, (Luck, 70, 55), Code),
    question("telephone", 2, &[], Everyone, (Luck, 95, 55), Code),
    question("kitchen", 2, &[], Everyone, (Luck, 97, 55), Code),
    question("building", 10, &[5], Everyone, (Place, 60, 55), Code),
    question("year_built", 12, &[4], Everyone, (Place, 0, 55), Code),
    question("rent", 40, &[10], Everyone, (Luck, 30, 55), Number),
    question("mortgage", 3, &[], Everyone, (Luck, 60, 55), Code),
    question("children", 8, &[4], Everyone, (Home, 50, 55), Number),
    question("grandparents", 2, &[], Everyone, (Home, 93, 55), Code),
    question("carpool", 5, &[], Workers, (Place, 15, 55), Code),
    question("work_days", 7, &[], Workers, (Luck, 15, 55), Number),
    question("shift", 6, &[3], Workers, (Luck, 15, 55), Code),
    question("second_job", 2, &[], Workers, (Luck, 15, 55), Code),
    question("union", 2, &[], Workers, (Luck, 15, 55), Code),
    question("pension", 2, &[], Workers, (Age, 15, 55), Code),
    question("savings", 5, &[], Everyone, (Luck, 50, 55), Code),
    question("doctor_visits", 10, &[5], Ailing, (Age, 50, 55), Number),
    question("dentist", 3, &[], Everyone, (Luck, 55, 55), Code),
    question("smoker", 3, &[], Ailing, (Luck, 50, 55), Code),
    question("diet", 5, &[], Newcomers, (Origin, 10, 55), Code),
    question("religion", 12, &[4], Everyone, (Origin, 50, 55), Code),
    question("volunteer", 2, &[], Everyone, (Home, 75, 55), Code),
    question("newspaper", 4, &[], Everyone, (Age, 40, 55), Code),
    question("television", 8, &[4], Everyone, (Age, 30, 55), Code),
    question("sport", 6, &[], Everyone, (Age, 45, 55), Code),
    question("holidays", 6, &[], Everyone, (Luck, 50, 55), Code),
    question("pets", 5, &[], Everyone, (Home, 55, 55), Code),
    question("garden", 2, &[], Everyone, (Place, 60, 55), Code),
    question("language_at_home", 30, &[10], Newcomers, (Origin, 10, 55), Code),
];
