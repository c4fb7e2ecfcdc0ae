//! The clusters of a region, which know what they would cost without each of their pieces.

use crate::algorithm::local::closure::Closures;
use crate::algorithm::local::pieces::Piece;
use crate::table::Table;
use crate::taxonomy::ValueId;

/// Some rows of a tuple on their way to another cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) piece: u32,
    pub(super) rows: u32,
    pub(super) to: u32,
}

/// Some rows of a tuple in a cluster; none if its number is free.
#[derive(Clone, Copy)]
pub(super) struct Member {
    /// The tuple, by its number in the region.
    pub(super) tuple: u32,
    pub(super) rows: u32,
    pub(super) cluster: u32,
    slot: u32,
}

#[derive(Default)]
pub(super) struct MemberChain {
    pub(super) members: Vec<u32>,
    pub(super) rows: u64,
    cover: Vec<ValueId>,
    /// d of its closure.
    cost: f64,
    /// The closures without each member, one after the other, and d of each; nothing if there is one member.
    rests: Vec<ValueId>,
    rest_costs: Vec<f64>,
}

impl MemberChain {
    fn loss(&self) -> f64 {
        self.rows as f64 * self.cost
    }
}

pub(super) struct Clusters {
    closures: Closures,
    /// The tuples of the region, by their place in the table, ascending.
    tuples: Vec<u32>,
    records: Vec<ValueId>,
    /// The pieces of each tuple.
    holders: Vec<Vec<u32>>,
    members: Vec<Member>,
    free: Vec<u32>,
    clusters: Vec<MemberChain>,
    /// Fewest rows of a cluster.
    least_rows: u64,
    left_out: Option<LeftOut>,
}

/// The cluster of what is left out.
#[derive(Clone, Copy)]
pub(super) struct LeftOut {
    pub(super) cluster: u32,
    /// What a row of it costs.
    pub(super) cost: f64,
    pub(super) most_rows: u64,
}

impl Clusters {
    /// Clusters of some classes, one of which may be that of rows that are left out.
    pub(super) fn new(
        table: &Table,
        closures: Closures,
        classes: &[Vec<Piece>],
        least_rows: u64,
        left_out: Option<LeftOut>,
    ) -> Clusters {
        let mut tuples: Vec<u32> = classes.iter().flatten().map(|piece| piece.tuple).collect();
        tuples.sort_unstable();
        tuples.dedup();
        let records = tuples.iter().flat_map(|&tuple| table.record(tuple as usize)).collect();
        let mut clusters = Clusters {
            closures,
            holders: vec![Vec::new(); tuples.len()],
            tuples,
            records,
            members: Vec::new(),
            free: Vec::new(),
            clusters: Vec::new(),
            least_rows,
            left_out,
        };
        for (id, class) in (0..).zip(classes) {
            clusters.clusters.push(MemberChain::default());
            for piece in class {
                let tuple = clusters.tuples.partition_point(|&tuple| tuple < piece.tuple) as u32;
                clusters.enter(tuple, piece.rows, id);
            }
            clusters.refresh(id);
        }
        clusters
    }

    /// Numbers of pieces, some of which may be free.
    pub(super) fn pieces(&self) -> usize {
        self.members.len()
    }

    pub(super) fn tuples(&self) -> usize {
        self.tuples.len()
    }

    pub(super) fn closures(&self) -> &Closures {
        &self.closures
    }

    #[inline]
    pub(super) fn member(&self, piece: u32) -> Member {
        self.members[piece as usize]
    }

    #[inline]
    pub(super) fn get(&self, cluster: u32) -> &MemberChain {
        &self.clusters[cluster as usize]
    }

    /// The pieces of a tuple.
    #[inline]
    pub(super) fn holders(&self, tuple: u32) -> &[u32] {
        &self.holders[tuple as usize]
    }

    pub(super) fn is_left_out(&self, cluster: u32) -> bool {
        self.left_out.is_some_and(|left_out| left_out.cluster == cluster)
    }

    /// Fewest and most rows of a cluster that is not empty.
    pub(super) fn bounds(&self, cluster: u32) -> (u64, u64) {
        match self.left_out {
            Some(left_out) if left_out.cluster == cluster => (0, left_out.most_rows),
            _ => (self.least_rows, u64::MAX),
        }
    }

    /// The place of a tuple in the table.
    pub(super) fn in_table(&self, tuple: u32) -> u32 {
        self.tuples[tuple as usize]
    }

    #[inline]
    pub(super) fn record(&self, tuple: u32) -> &[ValueId] {
        let width = self.closures.attributes();
        &self.records[tuple as usize * width..][..width]
    }

    pub(super) fn rows(&self) -> u64 {
        self.clusters.iter().map(|cluster| cluster.rows).sum()
    }

    /// What all rows lose.
    pub(super) fn loss(&self) -> f64 {
        self.clusters.iter().map(MemberChain::loss).sum()
    }

    /// What the rows of a cluster lose when there are so many, a piece has left as a whole and rows of a tuple have
    /// come.
    #[inline]
    pub(super) fn loss_after(&self, id: u32, rows: u64, gone: Option<u32>, come: Option<u32>) -> f64 {
        let cluster = self.get(id);
        let cost = match (self.left_out, gone, come) {
            (Some(left_out), ..) if left_out.cluster == id => left_out.cost,
            (_, None, None) => cluster.cost,
            (_, None, Some(tuple)) => self.closures.join_cost(&cluster.cover, self.record(tuple)),
            (_, Some(piece), come) => self.cost_without(cluster, self.member(piece).slot as usize, come),
        };
        rows as f64 * cost
    }

    fn cost_without(&self, cluster: &MemberChain, slot: usize, come: Option<u32>) -> f64 {
        match (cluster.members.len(), come) {
            (1, None) => 0.0,
            (1, Some(tuple)) => self.closures.cost(self.record(tuple)),
            (_, None) => cluster.rest_costs[slot],
            (_, Some(tuple)) => {
                let width = self.closures.attributes();
                self.closures.join_cost(&cluster.rests[slot * width..][..width], self.record(tuple))
            }
        }
    }

    /// What a cluster loses now.
    #[inline]
    pub(super) fn loss_of(&self, id: u32) -> f64 {
        self.get(id).loss()
    }

    /// Makes steps of different pieces.
    pub(super) fn make(&mut self, steps: &[Step]) {
        let from: Vec<u32> = steps.iter().map(|step| self.member(step.piece).cluster).collect();
        let tuples: Vec<u32> = steps.iter().map(|step| self.member(step.piece).tuple).collect();
        steps.iter().for_each(|step| self.leave(step.piece, step.rows));
        steps.iter().zip(tuples).for_each(|(step, tuple)| self.enter(tuple, step.rows, step.to));
        let mut touched: Vec<u32> = from.into_iter().chain(steps.iter().map(|step| step.to)).collect();
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().for_each(|cluster| self.refresh(cluster));
    }

    fn leave(&mut self, piece: u32, rows: u32) {
        let member = &mut self.members[piece as usize];
        member.rows -= rows;
        let Member { tuple, rows: left, cluster, slot } = *member;
        self.clusters[cluster as usize].rows -= u64::from(rows);
        if left > 0 {
            return;
        }
        self.holders[tuple as usize].retain(|&holder| holder != piece);
        self.free.push(piece);
        let members = &mut self.clusters[cluster as usize].members;
        members.swap_remove(slot as usize);
        if let Some(&moved) = members.get(slot as usize) {
            self.members[moved as usize].slot = slot;
        }
    }

    fn enter(&mut self, tuple: u32, rows: u32, id: u32) {
        let holders = &self.holders[tuple as usize];
        let kin = holders.iter().copied().find(|&kin| self.members[kin as usize].cluster == id);
        let cluster = &mut self.clusters[id as usize];
        cluster.rows += u64::from(rows);
        if let Some(kin) = kin {
            self.members[kin as usize].rows += rows;
            return;
        }
        let member = Member { tuple, rows, cluster: id, slot: cluster.members.len() as u32 };
        let piece = self.free.pop().unwrap_or(self.members.len() as u32);
        match self.members.get_mut(piece as usize) {
            Some(free) => *free = member,
            None => self.members.push(member),
        }
        cluster.members.push(piece);
        self.holders[tuple as usize].push(piece);
    }

    /// Brings the closures of a cluster up to date: those without a member are joined from those of the members before
    /// and after it.
    fn refresh(&mut self, id: u32) {
        let mut cluster = std::mem::take(&mut self.clusters[id as usize]);
        match self.left_out {
            Some(left_out) if left_out.cluster == id => cluster.cost = left_out.cost,
            _ => self.close(&mut cluster),
        }
        self.clusters[id as usize] = cluster;
    }

    fn close(&self, cluster: &mut MemberChain) {
        let MemberChain { members, cover, cost, rests, rest_costs, .. } = cluster;
        cover.clear();
        rests.clear();
        rest_costs.clear();
        *cost = 0.0;
        let record = |piece: u32| self.record(self.member(piece).tuple);
        let Some((&first, others)) = members.split_first() else { return };
        cover.extend_from_slice(record(first));
        rests.extend_from_slice(cover);
        for &piece in others {
            rests.extend_from_slice(cover);
            self.closures.extend(cover, record(piece));
        }
        *cost = self.closures.cost(cover);
        let width = self.closures.attributes();
        // So far each rest is what comes before the member; for the first there is nothing.
        let Some((&last, others)) = members.split_last() else { return };
        let mut after = record(last).to_vec();
        for (slot, &piece) in others.iter().enumerate().rev() {
            let rest = &mut rests[slot * width..][..width];
            if slot == 0 {
                rest.copy_from_slice(&after);
            } else {
                self.closures.extend(rest, &after);
                self.closures.extend(&mut after, record(piece));
            }
        }
        rest_costs.extend(rests.chunks(width).map(|rest| self.closures.cost(rest)));
    }

    /// The rows of tuples in each cluster that has some, and those that are left out.
    pub(super) fn classes(&self) -> (Vec<Vec<Piece>>, Vec<Piece>) {
        let piece = |&of: &u32| {
            let member = self.member(of);
            Piece { tuple: self.in_table(member.tuple), rows: member.rows }
        };
        let pieces = |id: u32| self.get(id).members.iter().map(piece).collect::<Vec<_>>();
        let released = (0..self.clusters.len() as u32).filter(|&id| !self.is_left_out(id));
        let classes = released.map(pieces).filter(|class| !class.is_empty()).collect();
        (classes, self.left_out.map_or_else(Vec::new, |left_out| pieces(left_out.cluster)))
    }
}
