//! Every privacy model, transcribed from its published definition: slow, literal, and without any code of
//! the crate. The numbers of `docs/models.md` are worked by hand in [`examples`].
//!
//! * A class and the whole table are a [`Group`] each: what is counted, and the sensitive values.
//! * Each model is one function, which returns the degree of a class; what the papers state as a condition
//!   stands beside it as one ([`recursive_cl_holds`] and others), so that neither rests on the other.
//! * Earth mover's distance is a transport problem, solved in whole numbers by [`least_transport`].
//! * The models that need no sensitive values take the classes that rows are in, by any name for a class.

#![allow(dead_code)]

mod examples;
mod laws;

use std::collections::BTreeSet;

/// The rows of a class, or of the whole released table, as models of one sensitive column see them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group<V> {
    /// How many rows there are, or persons.
    size: usize,
    /// The value of each row, or of each person as often as the person has different ones.
    values: Vec<V>,
}

impl<V: Copy + Ord> Group<V> {
    /// Counts rows, each given by its value.
    pub(crate) fn of_rows(values: &[V]) -> Group<V> {
        Group { size: values.len(), values: values.to_vec() }
    }

    /// Counts persons: a person is counted once, and once for each different value.
    pub(crate) fn of_persons<P: Copy + Ord>(rows: &[(P, V)]) -> Group<V> {
        let persons: BTreeSet<P> = rows.iter().map(|&(person, _)| person).collect();
        let having: BTreeSet<(P, V)> = rows.iter().copied().collect();
        Group { size: persons.len(), values: having.into_iter().map(|(_, value)| value).collect() }
    }

    /// The values that occur, in their order.
    fn domain(&self) -> Vec<V> {
        let values: BTreeSet<V> = self.values.iter().copied().collect();
        values.into_iter().collect()
    }

    /// How often a value occurs.
    fn count(&self, value: V) -> usize {
        self.values.iter().filter(|&&other| other == value).count()
    }

    /// The probability of a value; those of all values add up to 1.
    fn probability(&self, value: V) -> f64 {
        self.count(value) as f64 / self.values.len() as f64
    }

    /// Which part of the rows, or persons, has a value; where persons have several, these add up to more.
    fn share(&self, value: V) -> f64 {
        self.count(value) as f64 / self.size as f64
    }

    /// r_1, r_2, …: how often each value occurs, the most frequent first.
    fn frequencies(&self) -> Vec<usize> {
        let mut counts: Vec<usize> = self.domain().into_iter().map(|value| self.count(value)).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    }
}

/// k-anonymity (Samarati and Sweeney 1998).
pub(crate) fn k<V: Copy + Ord>(class: &Group<V>) -> usize {
    class.size
}

/// Distinct l-diversity (Machanavajjhala et al. 2006); also the p of p-sensitive k-anonymity (Truta and
/// Vinay 2006).
pub(crate) fn distinct_l<V: Copy + Ord>(class: &Group<V>) -> usize {
    class.domain().len()
}

/// p-sensitive k-anonymity (Truta and Vinay 2006): both counts, neither instead of the other.
pub(crate) fn p_sensitive_holds<V: Copy + Ord>(class: &Group<V>, p: usize, least: usize) -> bool {
    class.size >= least && class.domain().len() >= p
}

/// Entropy l-diversity (Machanavajjhala et al. 2006): the l of which the entropy is the logarithm.
pub(crate) fn entropy_l<V: Copy + Ord>(class: &Group<V>) -> f64 {
    let term = |value: V| -class.probability(value) * class.probability(value).ln();
    class.domain().into_iter().map(term).sum::<f64>().exp()
}

/// Recursive (c, l)-diversity (Machanavajjhala et al. 2006): r_1 over r_l + … + r_m.
pub(crate) fn recursive_cl<V: Copy + Ord>(class: &Group<V>, l: usize) -> f64 {
    let counts = class.frequencies();
    match counts.get(l - 1..).unwrap_or_default().iter().sum::<usize>() {
        0 => f64::INFINITY,
        rest => counts[0] as f64 / rest as f64,
    }
}

/// The condition of recursive (c, l)-diversity as published: r_1 < c (r_l + … + r_m).
pub(crate) fn recursive_cl_holds<V: Copy + Ord>(class: &Group<V>, c: f64, l: usize) -> bool {
    let counts = class.frequencies();
    let rest: usize = counts.iter().skip(l - 1).sum();
    (counts[0] as f64) < c * rest as f64
}

/// (α, k)-anonymity (Wong, Li, Fu and Wang 2006): how frequent the value is, or the most frequent one.
pub(crate) fn alpha_k<V: Copy + Ord>(class: &Group<V>, value: Option<V>) -> f64 {
    match value {
        Some(value) => class.share(value),
        None => class.domain().into_iter().map(|value| class.share(value)).fold(0.0, f64::max),
    }
}

/// t-closeness (Li, Li and Venkatasubramanian 2007) where all values are as far from each other.
pub(crate) fn t_closeness_equal<V: Copy + Ord>(class: &Group<V>, whole: &Group<V>) -> f64 {
    earth_movers_distance(class, whole, |a, b| usize::from(a != b), 1)
}

/// t-closeness where values are as far as the number of steps between them in the order of all values that
/// the whole table has.
pub(crate) fn t_closeness_ordered<V: Copy + Ord>(class: &Group<V>, whole: &Group<V>) -> f64 {
    let domain = whole.domain();
    let place = |value: V| domain.iter().position(|&other| other == value).expect("a value of the table");
    earth_movers_distance(class, whole, |a, b| place(a).abs_diff(place(b)), domain.len() - 1)
}

/// t-closeness where values are as far as the height of their lowest common ancestor. The tree is given by
/// the way from each value up to the root, all of the same length.
pub(crate) fn t_closeness_hierarchical<'a>(
    class: &Group<&'a str>,
    whole: &Group<&'a str>,
    tree: &[Vec<&'a str>],
) -> f64 {
    let way = |value: &str| tree.iter().find(|way| way[0] == value).expect("a leaf of the tree");
    let meet = |a: &str, b: &str| {
        let common = (0..way(a).len()).find(|&height| way(a)[height..] == way(b)[height..]);
        common.expect("a tree has one root")
    };
    earth_movers_distance(class, whole, meet, tree[0].len() - 1)
}

/// The least work that makes one distribution of the other. `ground` is how far values are, in steps of
/// which `greatest` make 1.
fn earth_movers_distance<V: Copy + Ord>(
    class: &Group<V>,
    whole: &Group<V>,
    ground: impl Fn(V, V) -> usize,
    greatest: usize,
) -> f64 {
    if greatest == 0 {
        return 0.0;
    }
    // Probabilities times both totals are whole numbers.
    let (n, all) = (class.values.len(), whole.values.len());
    let domain = whole.domain();
    let supplies: Vec<usize> = domain.iter().map(|&value| class.count(value) * all).collect();
    let demands: Vec<usize> = domain.iter().map(|&value| whole.count(value) * n).collect();
    let costs: Vec<Vec<usize>> =
        domain.iter().map(|&from| domain.iter().map(|&to| ground(from, to)).collect()).collect();
    least_transport(&supplies, &demands, &costs) as f64 / (n * all * greatest) as f64
}

/// The least cost of carrying all supplies to the demands, which add up to the same: a flow from a source
/// to a sink that grows along the cheapest way that is left, until nothing is left to carry.
fn least_transport(supplies: &[usize], demands: &[usize], costs: &[Vec<usize>]) -> usize {
    assert_eq!(supplies.iter().sum::<usize>(), demands.iter().sum::<usize>());
    let (source, sink) = (supplies.len() + demands.len(), supplies.len() + demands.len() + 1);
    // (from, to, room, cost); the way back of an edge stands behind it.
    let mut edges: Vec<(usize, usize, usize, i64)> = Vec::new();
    let mut join = |from, to, room, cost: usize| {
        edges.extend([(from, to, room, cost as i64), (to, from, 0, -(cost as i64))]);
    };
    for (i, &supply) in supplies.iter().enumerate() {
        join(source, i, supply, 0);
        (0..demands.len()).for_each(|j| join(i, supplies.len() + j, supply, costs[i][j]));
    }
    for (j, &demand) in demands.iter().enumerate() {
        join(supplies.len() + j, sink, demand, 0);
    }
    let mut work = 0;
    while let Some(way) = cheapest_way(&edges, source, sink) {
        let amount = way.iter().map(|&edge| edges[edge].2).min().expect("a way has edges");
        for edge in way {
            edges[edge].2 -= amount;
            edges[edge ^ 1].2 += amount;
            work += amount as i64 * edges[edge].3;
        }
    }
    usize::try_from(work).expect("costs are not negative")
}

/// The edges of the cheapest way with room, by Bellman and Ford.
fn cheapest_way(edges: &[(usize, usize, usize, i64)], source: usize, sink: usize) -> Option<Vec<usize>> {
    // The cost to each place, and the edge by which it is reached.
    let mut reached: Vec<Option<(i64, usize)>> = vec![None; sink + 1];
    reached[source] = Some((0, usize::MAX));
    for _ in 0..=sink {
        for (edge, &(from, to, room, cost)) in edges.iter().enumerate() {
            let Some((before, _)) = reached[from].filter(|_| room > 0) else { continue };
            if reached[to].is_none_or(|(known, _)| before + cost < known) {
                reached[to] = Some((before + cost, edge));
            }
        }
    }
    let mut way = Vec::new();
    let mut place = sink;
    while place != source {
        let (_, edge) = reached[place]?;
        way.push(edge);
        place = edges[edge].0;
    }
    Some(way)
}

/// The relative gain (q − p) / p of each value of the whole table, with its p.
fn gains<V: Copy + Ord>(class: &Group<V>, whole: &Group<V>) -> Vec<(f64, f64)> {
    let gain = |value: V| {
        let (p, q) = (whole.share(value), class.share(value));
        ((q - p) / p, p)
    };
    whole.domain().into_iter().map(gain).collect()
}

/// Basic β-likeness (Cao and Karras 2012): the largest gain in frequency, 0 if no value gains.
pub(crate) fn beta_likeness<V: Copy + Ord>(class: &Group<V>, whole: &Group<V>) -> f64 {
    gains(class, whole).into_iter().map(|(gain, _)| gain).fold(0.0, f64::max)
}

/// Enhanced β-likeness: the largest gain in frequency, infinity if some value gains more than −ln p.
pub(crate) fn enhanced_beta_likeness<V: Copy + Ord>(class: &Group<V>, whole: &Group<V>) -> f64 {
    let too_much = gains(class, whole).into_iter().any(|(gain, p)| gain > 0.0 && gain > -p.ln());
    if too_much { f64::INFINITY } else { beta_likeness(class, whole) }
}

/// The condition of enhanced β-likeness as published: every value that gains, gains at most min(β, −ln p).
pub(crate) fn enhanced_beta_likeness_holds<V: Copy + Ord>(
    class: &Group<V>,
    whole: &Group<V>,
    beta: f64,
) -> bool {
    gains(class, whole).into_iter().filter(|&(gain, _)| gain > 0.0).all(|(gain, p)| gain <= beta.min(-p.ln()))
}

/// δ-disclosure privacy (Brickell and Shmatikov 2008): the greatest |ln(q / p)|, infinity if a value of the
/// whole table is not in the class.
pub(crate) fn delta_disclosure<V: Copy + Ord>(class: &Group<V>, whole: &Group<V>) -> f64 {
    let distance = |value: V| (class.share(value) / whole.share(value)).ln().abs();
    whole.domain().into_iter().map(distance).fold(0.0, f64::max)
}

/// The condition of δ-disclosure privacy without logarithms: e^−δ < q / p < e^δ for every value.
pub(crate) fn delta_disclosure_holds<V: Copy + Ord>(class: &Group<V>, whole: &Group<V>, delta: f64) -> bool {
    let ratio = |value: V| class.share(value) / whole.share(value);
    whole.domain().into_iter().all(|value| (-delta).exp() < ratio(value) && ratio(value) < delta.exp())
}

/// Rows in a class, by the classes that the rows are in.
fn members<C: PartialEq>(class: &C, rows: &[C]) -> usize {
    rows.iter().filter(|&other| other == class).count()
}

/// k-map (Sweeney 2002): how many of the population are in the class.
pub(crate) fn k_map<C: PartialEq>(class: &C, population: &[C]) -> usize {
    members(class, population)
}

/// δ-presence (Nergiz, Atzori and Clifton 2007): how probable it is that one of the population who is in the
/// class is in the table, infinity if that is below `min`.
pub(crate) fn delta_presence<C: PartialEq>(class: &C, released: &[C], population: &[C], min: f64) -> f64 {
    let presence = members(class, released) as f64 / members(class, population) as f64;
    if presence < min { f64::INFINITY } else { presence }
}

/// The condition of δ-presence as published: so it is for each one of the population.
pub(crate) fn delta_presence_holds<C: PartialEq>(
    released: &[C],
    population: &[C],
    min: f64,
    max: f64,
) -> bool {
    let presence = |class| members(class, released) as f64 / members(class, population) as f64;
    population.iter().map(presence).all(|presence| (min..=max).contains(&presence))
}

/// The risk of a row (El Emam and Dankar 2008): 1 over the members of its class among those that the
/// attacker must choose from. These are the released rows for the prosecutor, the population for the
/// journalist.
pub(crate) fn risk<C: PartialEq>(class: &C, among: &[C]) -> f64 {
    1.0 / members(class, among) as f64
}

/// The mean risk of the released rows: what share of them the marketer links rightly.
pub(crate) fn average_risk<C: PartialEq>(released: &[C], among: &[C]) -> f64 {
    released.iter().map(|class| risk(class, among)).sum::<f64>() / released.len() as f64
}

/// The largest k such that of k − 1 people, each sampled with the probability `fraction`, so many rows or more would be
/// sampled with a probability of at most `significance`. Of a thousand rows and more the first three digits count.
pub(crate) fn estimated_k_map(rows: usize, fraction: f64, significance: f64) -> usize {
    if fraction == 1.0 {
        return rows;
    }
    let digits = rows.to_string().len() as u32;
    let rows = rows - rows % 10_usize.pow(digits.saturating_sub(3));
    let most = (rows as f64 / fraction).ceil() as usize + 10;
    // The logarithms of the factorials: those of large classes are beyond any number.
    let mut logarithms = vec![0.0];
    for number in 1..=most {
        logarithms.push(logarithms[number - 1] + (number as f64).ln());
    }
    let chance = |people: usize| -> f64 {
        let of = |sampled: usize| {
            let left_out = people - sampled;
            let ways = logarithms[people] - logarithms[sampled] - logarithms[left_out];
            (ways + sampled as f64 * fraction.ln() + left_out as f64 * (-fraction).ln_1p()).exp()
        };
        // Fewer terms give the same sum: of the two tails the one that is added up is the shorter.
        match rows <= people / 2 {
            true => 1.0 - (0..rows).map(of).sum::<f64>(),
            false => (rows..=people).map(of).sum(),
        }
    };
    let is_likely = |people: &usize| chance(*people) > significance + 1e-10;
    (rows..most).find(is_likely).expect("as many as are expected are likely")
}

/// The share of the records of classes of these sizes that are unique in the population, by Zayatz: the chance that a class
/// with one record is of one person, if classes of the population are as often of a size as those of the sample.
pub(crate) fn population_uniqueness(sizes: &[usize], fraction: f64) -> f64 {
    let rows: usize = sizes.iter().sum();
    let alone = sizes.iter().filter(|&&size| size == 1).count() as f64;
    let (n, people) = (rows as f64, rows as f64 / fraction);
    // One of so many people is in the sample, and the others are not.
    let one_of = |size: usize| {
        let others = (0..size - 1).map(|i| (people - n - i as f64).max(0.0)).product::<f64>();
        let ways = (0..size).map(|i| people - i as f64).product::<f64>();
        size as f64 * n * others / ways
    };
    let any: f64 = sizes.iter().map(|&size| one_of(size)).sum();
    if alone == 0.0 { 0.0 } else { alone * one_of(1) / any * alone / n }
}

/// The classes that persons are in, each named as often as different persons are in it: what the risks
/// look at when persons count.
pub(crate) fn classes_of_persons<C: Copy + Ord, P: Copy + Ord>(rows: &[(C, P)]) -> Vec<C> {
    let members: BTreeSet<(C, P)> = rows.iter().copied().collect();
    members.into_iter().map(|(class, _)| class).collect()
}

/// What is left when classes of the greatest risk go first, one at a time, until the mean is low enough.
/// A class is its released rows and its population, which are the same for the prosecutor.
pub(crate) fn keep_average_risk(classes: &[(usize, usize)], most: f64) -> Vec<(usize, usize)> {
    let mut kept = classes.to_vec();
    kept.sort_by_key(|&(rows, population)| (std::cmp::Reverse(population), std::cmp::Reverse(rows)));
    let mean = |kept: &[(usize, usize)]| {
        let linked: f64 = kept.iter().map(|&(rows, population)| rows as f64 / population as f64).sum();
        linked / kept.iter().map(|&(rows, _)| rows).sum::<usize>() as f64
    };
    while !kept.is_empty() && mean(&kept) > most {
        kept.pop();
    }
    kept
}

/// The classes that stay, by their places, when those that are refused go, all at once, and the rest is
/// judged anew against what is left, until none is refused.
pub(crate) fn keep_unrefused<V: Copy + Ord>(
    classes: &[Vec<V>],
    refuses: impl Fn(&Group<V>, &Group<V>) -> bool,
) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..classes.len()).collect();
    loop {
        let whole: Vec<V> = kept.iter().flat_map(|&place| classes[place].iter().copied()).collect();
        let whole = Group::of_rows(&whole);
        let before = kept.len();
        kept.retain(|&place| !refuses(&Group::of_rows(&classes[place]), &whole));
        if kept.len() == before {
            return kept;
        }
    }
}
