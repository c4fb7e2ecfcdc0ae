//! Exchanges of rows between two clusters of a region.

use super::clusters::{Clusters, Member, Step};
use super::region::ReleaseRules;
use crate::algorithm::local::admissible::Contents;

/// One step, or two in opposite directions.
#[derive(Clone, Copy)]
pub(super) struct Exchange {
    first: Step,
    back: Option<Step>,
}

impl Exchange {
    /// A piece goes to another cluster; if that is too much for one of both, as many rows as can.
    pub(super) fn shift(
        clusters: &Clusters,
        rules: &ReleaseRules<'_>,
        piece: u32,
        to: u32,
    ) -> Option<Exchange> {
        let Member { tuple, rows, cluster, .. } = clusters.member(piece);
        let (all, own) = (u64::from(rows), clusters.get(cluster).rows);
        let spare = if own == all { all } else { own.saturating_sub(clusters.bounds(cluster).0) };
        let room = clusters.bounds(to).1 - clusters.get(to).rows;
        let rows = all.min(spare).min(room);
        let is_possible = rows == all || rows > 0 && rules.may_divide(clusters.in_table(tuple));
        is_possible.then_some(Exchange { first: Step { piece, rows: rows as u32, to }, back: None })
    }

    /// A piece changes places with another, or with as many rows of it as its cluster needs.
    pub(super) fn swap(
        clusters: &Clusters,
        rules: &ReleaseRules<'_>,
        piece: u32,
        other: u32,
    ) -> Option<Exchange> {
        let (one, two) = (clusters.member(piece), clusters.member(other));
        if one.tuple == two.tuple {
            return None;
        }
        let left = |member: Member| clusters.get(member.cluster).rows - u64::from(member.rows);
        let (left, full) = (left(one), clusters.get(two.cluster).rows + u64::from(one.rows));
        let (own, others) = (clusters.bounds(one.cluster), clusters.bounds(two.cluster));
        let least = own.0.saturating_sub(left).max(full.saturating_sub(others.1));
        let most = own.1.saturating_sub(left).min(full.saturating_sub(others.0));
        let all = u64::from(two.rows);
        let rows = match () {
            () if least <= all && all <= most => all,
            () if 0 < least && least <= all.min(most) && rules.may_divide(clusters.in_table(two.tuple)) => {
                least
            }
            () => return None,
        };
        let first = Step { piece, rows: one.rows, to: two.cluster };
        let back = Step { piece: other, rows: rows as u32, to: one.cluster };
        Some(Exchange { first, back: Some(back) })
    }

    pub(super) fn make(&self, clusters: &mut Clusters) {
        match self.back {
            Some(back) => clusters.make(&[self.first, back]),
            None => clusters.make(&[self.first]),
        }
    }

    /// By how much the loss changes.
    #[inline]
    pub(super) fn change(&self, clusters: &Clusters) -> f64 {
        let (from, to) = (clusters.member(self.first.piece).cluster, self.first.to);
        let before = clusters.loss_of(from) + clusters.loss_of(to);
        self.loss_after(clusters, from) + self.loss_after(clusters, to) - before
    }

    /// The step that leaves a cluster, and the one that comes.
    fn at(&self, clusters: &Clusters, cluster: u32) -> (Option<Step>, Option<Step>) {
        let first = Some(self.first);
        if clusters.member(self.first.piece).cluster == cluster {
            (first, self.back)
        } else {
            (self.back, first)
        }
    }

    #[inline]
    fn loss_after(&self, clusters: &Clusters, cluster: u32) -> f64 {
        let (gone, come) = self.at(clusters, cluster);
        let rows = |step: Option<Step>| step.map_or(0, |step| u64::from(step.rows));
        let left = clusters.get(cluster).rows + rows(come) - rows(gone);
        let gone = gone.filter(|step| clusters.member(step.piece).rows == step.rows);
        let come = come.map(|step| clusters.member(step.piece).tuple);
        clusters.loss_after(cluster, left, gone.map(|step| step.piece), come)
    }

    /// Whether both clusters may be released then.
    pub(super) fn is_allowed(&self, clusters: &Clusters, rules: &ReleaseRules<'_>) -> bool {
        let from = clusters.member(self.first.piece).cluster;
        rules.go_by_size()
            || [from, self.first.to].into_iter().all(|id| self.is_ripe_after(clusters, rules, id))
    }

    fn is_ripe_after(&self, clusters: &Clusters, rules: &ReleaseRules<'_>, cluster: u32) -> bool {
        if clusters.is_left_out(cluster) {
            return true;
        }
        let (gone, come) = self.at(clusters, cluster);
        let mut contents = Contents::default();
        let mut add = |piece: u32, rows: u32| {
            if rows > 0 {
                contents.add(&rules.contents(clusters.in_table(clusters.member(piece).tuple), rows));
            }
        };
        for &piece in &clusters.get(cluster).members {
            let gone = gone.filter(|step| step.piece == piece).map_or(0, |step| step.rows);
            add(piece, clusters.member(piece).rows - gone);
        }
        come.into_iter().for_each(|step| add(step.piece, step.rows));
        contents.rows == 0 || rules.is_ripe(&contents)
    }
}
