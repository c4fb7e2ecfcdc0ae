//! PBG-EA: an evolutionary search for the front (Algorithm 2).
//!
//! **Citation.** R. Dewri, I. Ray, I. Ray, D. Whitley, *On the Identification of Property Based Generalizations in
//! Microdata Anonymization*, DBSec 2010, section 6.
//!
//! **Idea.** A population of nodes, and an archive of all that no other dominated so far. Parents are drawn from
//! both by binary tournaments, by how much those dominate that dominate them; their levels are crossed at one
//! point and moved by one step now and then. Top and bottom are part of the first population.
//!
//! **Guarantee.** The archive has no node that one which was looked at dominates (Theorem 1), and at most one in
//! each box (Theorem 2). Nothing says that it is all of the front.
//!
//! **Complexity.** At most the size of the population times the number of generations nodes, each looked at once.
//!
//! **Deviations.** None that we know of. Population and archive are united as sets, so that a node has one chance in
//! a tournament; what the text leaves open is drawn from one generator of random numbers.

use std::collections::HashMap;
use std::time::Duration;

use rustc_hash::FxBuildHasher;

use super::boxes::{Boxes, Relation};
use super::{Front, Objective, Point, Search};
use crate::lattice::{Lattice, Level, Node};
use crate::problem::Problem;
use crate::random::Random;
use crate::run::{Observer, Stop};
use crate::setting::{Least, Setting, SettingKind, SettingValue, Settings};

const POPULATION: Setting = Setting {
    name: "population",
    help: "How many nodes each population has",
    kind: SettingKind::Count { of: "nodes", least: Least::Fixed(2) },
    default: Some(SettingValue::Count(25)),
    only_with: None,
};

const GENERATIONS: Setting = Setting {
    name: "generations",
    help: "How many populations follow the first",
    kind: SettingKind::Count { of: "generations", least: Least::Fixed(0) },
    default: Some(SettingValue::Count(100)),
    only_with: None,
};

const CROSSOVER: Setting = Setting {
    name: "crossover",
    help: "Share of the pairs that exchange levels",
    kind: SettingKind::Share,
    default: Some(SettingValue::Number(0.8)),
    only_with: None,
};

const MUTATION: Setting = Setting {
    name: "mutation",
    help: "Share of the levels that change by one; by default 1 divided by the number of quasi-identifiers",
    kind: SettingKind::Share,
    default: None,
    only_with: None,
};

/// How the search evolves: the paper's values by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evolution {
    /// How many nodes each population has.
    pub population: usize,
    /// How many populations follow the first.
    pub generations: usize,
    /// Share of the pairs that exchange levels.
    pub crossover: f64,
    /// Share of the levels that move by one; none for 1 over the number of quasi-identifiers.
    pub mutation: Option<f64>,
    /// What the search starts from.
    pub seed: u64,
}

impl Evolution {
    /// All that it can be told beside the seed.
    pub const SETTINGS: &'static [Setting] = &[POPULATION, GENERATIONS, CROSSOVER, MUTATION];

    /// As settings say.
    pub fn from_settings(settings: &Settings, seed: u64) -> Evolution {
        let count = |setting| usize::try_from(settings.count(setting)).unwrap_or(usize::MAX);
        Evolution {
            population: count(&POPULATION),
            generations: count(&GENERATIONS),
            crossover: settings.number(&CROSSOVER),
            mutation: settings.optional_number(&MUTATION),
            seed,
        }
    }

    /// The share of the levels that move by one, of so many quasi-identifiers.
    pub fn mutation_of(&self, attributes: usize) -> f64 {
        self.mutation.unwrap_or(1.0 / attributes as f64)
    }
}

impl Default for Evolution {
    fn default() -> Evolution {
        Evolution::from_settings(&Settings::default(), 1)
    }
}

/// The front as far as an evolutionary search finds it.
pub fn pbg_ea(
    problem: &Problem,
    objectives: &[Objective],
    boxes: Boxes,
    evolution: Evolution,
    time_limit: Option<Duration>,
    observer: &dyn Observer,
) -> Front {
    let search = Search::new(problem, objectives, boxes, time_limit, observer);
    let mut breeding = Breeding {
        search,
        known: HashMap::default(),
        lattice: problem.lattice().clone(),
        random: Random::new(evolution.seed),
        evolution,
    };
    let stopped = breeding.evolve().err();
    breeding.search.finish(stopped)
}

struct Breeding<'p> {
    search: Search<'p>,
    /// Every node that was looked at.
    known: HashMap<Node, Point, FxBuildHasher>,
    lattice: Lattice,
    random: Random,
    evolution: Evolution,
}

impl Breeding<'_> {
    fn evolve(&mut self) -> Result<(), Stop> {
        let nodes = self.first_population();
        let mut population = self.evaluate(&nodes)?;
        for _ in 0..self.evolution.generations {
            let parents = self.select(&population);
            let children = self.recombine(parents);
            population = self.evaluate(&children)?;
        }
        Ok(())
    }

    fn first_population(&mut self) -> Vec<Node> {
        let mut nodes = vec![self.lattice.bottom(), self.lattice.top()];
        while nodes.len() < self.evolution.population.max(2) {
            let levels = self.lattice.floors().iter().zip(self.lattice.heights());
            let level = |(floor, height)| floor + self.random.below(u64::from(height - floor) + 1) as Level;
            nodes.push(Node::new(levels.map(level).collect()));
        }
        nodes
    }

    /// Looks at the nodes that are new, and gives the points of all.
    fn evaluate(&mut self, nodes: &[Node]) -> Result<Vec<Point>, Stop> {
        let mut new: Vec<Node> =
            nodes.iter().filter(|node| !self.known.contains_key(*node)).cloned().collect();
        new.sort_unstable();
        new.dedup();
        for point in self.search.look(&new)? {
            self.known.insert(point.node.clone(), point);
        }
        Ok(nodes.iter().map(|node| self.known[node].clone()).collect())
    }

    /// As many nodes as a population has, the fitter of two each time; of two as fit the first that was drawn.
    fn select(&mut self, population: &[Point]) -> Vec<Node> {
        let mut pool: Vec<&Point> = population.iter().chain(self.search.archive.points()).collect();
        // A union of sets: a node has one chance, however often it was drawn.
        pool.sort_by(|a, b| a.node.cmp(&b.node));
        pool.dedup_by(|a, b| a.node == b.node);
        let fitness = fitness(&pool, |a, b| self.search.archive.relate(a, b));
        let tournament = |_: usize| {
            let (a, b) = (self.random.index(pool.len()), self.random.index(pool.len()));
            pool[if fitness[b] < fitness[a] { b } else { a }].node.clone()
        };
        (0..self.evolution.population).map(tournament).collect()
    }

    /// Crosses pairs of nodes, and lets levels go up or down by one.
    fn recombine(&mut self, mut parents: Vec<Node>) -> Vec<Node> {
        self.random.shuffle(&mut parents);
        let mut children = Vec::with_capacity(parents.len());
        for pair in parents.chunks(2) {
            let mut levels: Vec<Vec<Level>> = pair.iter().map(|node| node.levels().to_vec()).collect();
            if let [a, b] = &mut levels[..]
                && a.len() > 1
                && self.random.chance(self.evolution.crossover)
            {
                let point = 1 + self.random.index(a.len() - 1);
                a[point..].swap_with_slice(&mut b[point..]);
            }
            children.extend(levels.into_iter().map(|levels| self.mutate(levels)));
        }
        children
    }

    fn mutate(&mut self, mut levels: Vec<Level>) -> Node {
        let probability = self.evolution.mutation_of(levels.len());
        let ends = self.lattice.floors().iter().zip(self.lattice.heights());
        for (level, (&floor, &height)) in levels.iter_mut().zip(ends) {
            if self.random.chance(probability) {
                *level = if self.random.chance(0.5) {
                    (*level + 1).min(height)
                } else {
                    (*level).max(floor + 1) - 1
                };
            }
        }
        Node::new(levels)
    }
}

/// For each point, how many the points that dominate it dominate together: 0 if none does.
fn fitness(pool: &[&Point], relate: impl Fn(&Point, &Point) -> Relation) -> Vec<u64> {
    let dominates = |a: &Point, b: &Point| relate(a, b) == Relation::Dominates;
    let dominated: Vec<u64> =
        pool.iter().map(|a| pool.iter().filter(|b| dominates(a, b)).count() as u64).collect();
    let fitness = |point: &&Point| {
        let above = pool.iter().zip(&dominated).filter(|(other, _)| dominates(other, point));
        above.map(|(_, dominated)| dominated).sum()
    };
    pool.iter().map(fitness).collect()
}
