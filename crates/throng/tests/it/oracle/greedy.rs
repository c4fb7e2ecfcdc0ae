//! The greedy algorithms of the Improved Greedy paper, as the paper writes them down.

use std::collections::BTreeSet;

use super::Oracle;
use super::degrees::rounded;
use crate::models::Model;

impl Oracle<'_> {
    /// Datafly, as section 4 of the paper describes it; `None` if the top may not be released.
    pub(crate) fn datafly(&self) -> Option<Vec<usize>> {
        let mut node = vec![0; self.columns.len()];
        while !self.is_admissible(&self.recode(&node)) {
            let attribute = self.most_differentiated(&node, &self.below_top(&node))?;
            node[attribute] += 1;
        }
        Some(node)
    }

    /// Algorithm 1 of the paper, line by line; `None` if the top may not be released.
    pub(crate) fn improved_greedy(&self) -> Option<Vec<usize>> {
        self.algorithm_1(&|node| self.nearness(node))
    }

    /// The same with the paper's anonymity, which is that of the first k that is asked for, whatever else is.
    pub(crate) fn improved_greedy_as_printed(&self) -> Option<Vec<usize>> {
        self.algorithm_1(&|node| self.printed_anonymity(node))
    }

    /// Section 4 of the paper: one attribute at a time, and the first that is enough is the solution.
    pub(crate) fn improved_greedy_as_told(&self) -> Option<Vec<usize>> {
        let mut node = vec![0; self.columns.len()];
        if self.is_admissible(&self.recode(&node)) {
            return Some(node);
        }
        loop {
            let attributes = self.below_top(&node);
            for &attribute in &attributes {
                let generalised = raised(&node, attribute);
                if self.is_admissible(&self.recode(&generalised)) {
                    return Some(generalised);
                }
            }
            let anonymity = |&a: &usize| self.printed_anonymity(&raised(&node, a));
            let closest = attributes.iter().map(anonymity).reduce(f64::max)?;
            let ties: Vec<usize> = attributes.iter().copied().filter(|a| anonymity(a) == closest).collect();
            let chosen = self.most_differentiated(&node, &ties)?;
            node = raised(&node, chosen);
        }
    }

    fn algorithm_1(&self, anonymity: &dyn Fn(&[usize]) -> f64) -> Option<Vec<usize>> {
        let mut node = vec![0; self.columns.len()];
        while !self.is_admissible(&self.recode(&node)) {
            let attributes = self.below_top(&node);
            let array_node: Vec<Vec<usize>> = attributes.iter().map(|&a| raised(&node, a)).collect();
            let array_anonymity: Vec<f64> = array_node.iter().map(|node| anonymity(node)).collect();
            let max = array_anonymity.iter().copied().reduce(f64::max)?;
            let array_index: Vec<usize> =
                (0..array_node.len()).filter(|&i| array_anonymity[i] == max).collect();
            let index = if array_index.len() == 1 {
                array_index[0]
            } else {
                let tied: Vec<usize> = array_index.iter().map(|&i| attributes[i]).collect();
                let diverse = self.most_differentiated(&node, &tied)?;
                attributes.iter().position(|&a| a == diverse)?
            };
            node = array_node[index].clone();
        }
        Some(node)
    }

    /// The paper's anonymity: the degree that is reached within the suppression limit. Where several
    /// things are asked, there is none, and the rows count that are not suppressed.
    fn nearness(&self, node: &[usize]) -> f64 {
        match &self.case.asks[..] {
            // Equal ones are equal, whatever they were computed by.
            [ask] if ask.model.less_is_safer() => -rounded(self.reach(node)[0]),
            [_] => rounded(self.reach(node)[0]),
            _ => -(self.recode(node).suppressed.len() as f64),
        }
    }

    /// The largest k within the suppression limit, by the first ask that is for a k; as above if none is.
    fn printed_anonymity(&self, node: &[usize]) -> f64 {
        match self.case.asks.iter().position(|ask| matches!(ask.model, Model::KAnonymity(_))) {
            Some(k) => self.reach(node)[k],
            None => self.nearness(node),
        }
    }

    fn below_top(&self, node: &[usize]) -> Vec<usize> {
        let heights = self.case.heights();
        (0..node.len()).filter(|&a| node[a] < heights[a]).collect()
    }

    /// The attribute with the most distinct values in the table as generalised so far; the
    /// first column of several.
    fn most_differentiated(&self, node: &[usize], among: &[usize]) -> Option<usize> {
        let mut most: Option<(usize, usize)> = None;
        for &a in among {
            let labels = (0..self.case.rows.len()).map(|row| self.labels(row, node)[a]);
            let distinct = labels.collect::<BTreeSet<_>>().len();
            if most.is_none_or(|(_, others)| distinct > others) {
                most = Some((a, distinct));
            }
        }
        most.map(|(a, _)| a)
    }
}

fn raised(node: &[usize], attribute: usize) -> Vec<usize> {
    let mut node = node.to_vec();
    node[attribute] += 1;
    node
}
