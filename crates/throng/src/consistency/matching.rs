//! A largest pairing of original and released rows, and what changes places in it.
//!
//! Equal rows are one node with a capacity, so this is a flow from tuples to records (Dinic, *Algorithm for
//! solution of a problem of maximum flow*, 1970), which starts from a greedy one: on a release of ours that
//! is nearly all of it. A row of a tuple and a row of a record are paired in *some* largest pairing if and
//! only if their nodes are in one strongly connected component of the residual graph with its source and
//! sink: a flow of the same size differs from this one by residual cycles (for bipartite graphs: Dulmage
//! and Mendelsohn, *Coverings of bipartite graphs*, 1958).

use rustc_hash::FxHashMap;

use super::components::Digraph;
use super::records::Lists;

/// Far from every tuple that has rows to give.
const FAR: u32 = u32::MAX;

/// As many rows as can be paired at once.
pub(super) struct Matching<'g> {
    edges: &'g Lists,
    weights: &'g [u32],
    record_rows: &'g [u64],
    /// Rows of each tuple that have no record.
    spare: Vec<u64>,
    /// Rows of each record that have no tuple.
    room: Vec<u64>,
    /// Rows of a tuple that have a record.
    given: FxHashMap<(u32, u32), u64>,
    /// The tuples that ever gave to each record, in the order of giving; some may do so no more.
    givers: Vec<Vec<u32>>,
    rows: u64,
}

impl<'g> Matching<'g> {
    pub(super) fn largest(edges: &'g Lists, weights: &'g [u32], record_rows: &'g [u64]) -> Matching<'g> {
        let mut matching = Matching {
            edges,
            weights,
            record_rows,
            spare: weights.iter().map(|&rows| u64::from(rows)).collect(),
            room: record_rows.to_vec(),
            given: FxHashMap::default(),
            givers: vec![Vec::new(); record_rows.len()],
            rows: 0,
        };
        matching.give_greedily();
        while !matching.is_full() && Phase::new(&mut matching).augment() {}
        matching
    }

    /// How many rows are paired.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    fn is_full(&self) -> bool {
        self.rows == self.record_rows.iter().sum::<u64>()
    }

    /// Who fits the fewest records gives first, to those that the fewest fit.
    fn give_greedily(&mut self) {
        let mut covered = vec![0u64; self.record_rows.len()];
        let tuples = 0..self.weights.len();
        for tuple in tuples.clone() {
            let rows = self.spare[tuple];
            self.edges.list(tuple).iter().for_each(|&record| covered[record as usize] += rows);
        }
        let mut order: Vec<u32> = tuples.map(|tuple| tuple as u32).collect();
        order.sort_by_cached_key(|&tuple| self.edges.list(tuple as usize).len());
        let mut records = Vec::new();
        for tuple in order {
            records.clear();
            let edges = self.edges.list(tuple as usize).iter();
            records.extend(edges.copied().filter(|&record| self.room[record as usize] > 0));
            records.sort_unstable_by_key(|&record| (covered[record as usize], record));
            for &record in &records {
                let rows = self.spare[tuple as usize].min(self.room[record as usize]);
                if rows == 0 {
                    break;
                }
                self.give(tuple, record, rows);
                self.settle(tuple, record, rows);
            }
        }
    }

    fn rows_given(&self, tuple: u32, record: u32) -> u64 {
        self.given.get(&(tuple, record)).copied().unwrap_or(0)
    }

    fn give(&mut self, tuple: u32, record: u32, rows: u64) {
        let given = self.given.entry((tuple, record)).or_default();
        if *given == 0 {
            self.givers[record as usize].push(tuple);
        }
        *given += rows;
    }

    fn take_back(&mut self, tuple: u32, record: u32, rows: u64) {
        *self.given.get_mut(&(tuple, record)).expect("it gave") -= rows;
    }

    /// Counts rows as paired: those of the first tuple of a path, and the last record.
    fn settle(&mut self, tuple: u32, record: u32, rows: u64) {
        self.spare[tuple as usize] -= rows;
        self.room[record as usize] -= rows;
        self.rows += rows;
    }
}

/// One round of augmentations, all along shortest paths.
struct Phase<'m, 'g> {
    matching: &'m mut Matching<'g>,
    /// How far each tuple, and each record, is from a tuple with rows to give, in steps.
    tuple_level: Vec<u32>,
    record_level: Vec<u32>,
    /// How many arcs of each are done with.
    tuple_arc: Vec<u32>,
    record_arc: Vec<u32>,
}

impl<'m, 'g> Phase<'m, 'g> {
    fn new(matching: &'m mut Matching<'g>) -> Phase<'m, 'g> {
        let (tuples, records) = (matching.weights.len(), matching.record_rows.len());
        Phase {
            tuple_level: (0..tuples).map(|at| if matching.spare[at] > 0 { 0 } else { FAR }).collect(),
            record_level: vec![FAR; records],
            tuple_arc: vec![0; tuples],
            record_arc: vec![0; records],
            matching,
        }
    }

    /// Pairs more rows, if more can be; says whether.
    fn augment(&mut self) -> bool {
        let found = self.measure_levels();
        if found {
            for tuple in 0..self.tuple_level.len() as u32 {
                if self.tuple_level[tuple as usize] == 0 {
                    self.augment_from(tuple);
                }
            }
        }
        found
    }

    /// Breadth first, until some record has room.
    fn measure_levels(&mut self) -> bool {
        let mut near: Vec<u32> = (0..self.tuple_level.len() as u32)
            .filter(|&tuple| self.tuple_level[tuple as usize] == 0)
            .collect();
        let (mut level, mut found) = (0, false);
        while !near.is_empty() && !found {
            let mut next = Vec::new();
            for &tuple in &near {
                for &record in self.matching.edges.list(tuple as usize) {
                    if self.record_level[record as usize] != FAR {
                        continue;
                    }
                    self.record_level[record as usize] = level + 1;
                    found |= self.matching.room[record as usize] > 0;
                    for &giver in &self.matching.givers[record as usize] {
                        if self.tuple_level[giver as usize] == FAR
                            && self.matching.rows_given(giver, record) > 0
                        {
                            self.tuple_level[giver as usize] = level + 2;
                            next.push(giver);
                        }
                    }
                }
            }
            (near, level) = (next, level + 2);
        }
        found
    }

    /// Pairs rows of a tuple, as many as shortest paths allow.
    fn augment_from(&mut self, start: u32) {
        let (mut tuples, mut records): (Vec<u32>, Vec<u32>) = (vec![start], Vec::new());
        while let Some(&tuple) = tuples.last() {
            if self.matching.spare[start as usize] == 0 {
                return;
            }
            let Some(record) = self.next_record(tuple) else {
                self.tuple_level[tuple as usize] = FAR;
                tuples.pop();
                records.pop();
                continue;
            };
            records.push(record);
            if self.matching.room[record as usize] > 0 {
                self.shift(&tuples, &records);
                tuples.truncate(1);
                records.clear();
            } else if let Some(giver) = self.next_giver(record) {
                tuples.push(giver);
            } else {
                self.record_level[record as usize] = FAR;
                records.pop();
            }
        }
    }

    fn next_record(&mut self, tuple: u32) -> Option<u32> {
        let (at, edges) = (tuple as usize, self.matching.edges.list(tuple as usize));
        while let Some(&record) = edges.get(self.tuple_arc[at] as usize) {
            if self.record_level[record as usize] == self.tuple_level[at] + 1 {
                return Some(record);
            }
            self.tuple_arc[at] += 1;
        }
        None
    }

    fn next_giver(&mut self, record: u32) -> Option<u32> {
        let at = record as usize;
        while let Some(&giver) = self.matching.givers[at].get(self.record_arc[at] as usize) {
            let is_next = self.tuple_level[giver as usize] == self.record_level[at] + 1;
            if is_next && self.matching.rows_given(giver, record) > 0 {
                return Some(giver);
            }
            self.record_arc[at] += 1;
        }
        None
    }

    /// Each tuple of a path gives to its record what the next tuple gave.
    fn shift(&mut self, tuples: &[u32], records: &[u32]) {
        let (first, last) = (tuples[0], records[records.len() - 1]);
        let ends = self.matching.spare[first as usize].min(self.matching.room[last as usize]);
        let links = tuples[1..].iter().zip(records);
        let rows =
            links.map(|(&tuple, &record)| self.matching.rows_given(tuple, record)).fold(ends, u64::min);
        for (&tuple, &record) in tuples.iter().zip(records) {
            self.matching.give(tuple, record, rows);
        }
        for (&tuple, &record) in tuples[1..].iter().zip(records) {
            self.matching.take_back(tuple, record, rows);
        }
        self.matching.settle(first, last, rows);
    }
}

/// What could still flow: from a tuple to all records that it fits, back where rows were given, and through
/// the source to whoever has rows to give, through the sink from whoever took some.
pub(super) struct Residual<'m, 'g> {
    matching: &'m Matching<'g>,
}

impl<'m, 'g> Residual<'m, 'g> {
    pub(super) fn new(matching: &'m Matching<'g>) -> Residual<'m, 'g> {
        Residual { matching }
    }

    /// The first of some nodes from the cursor on, which moves behind it.
    fn next_of(cursor: &mut u32, end: usize, is_one: impl Fn(usize) -> bool) -> Option<u32> {
        let found = (*cursor as usize..end).find(|&at| is_one(at));
        *cursor = found.map_or(end, |at| at + 1) as u32;
        found.map(|at| at as u32)
    }
}

impl Digraph for Residual<'_, '_> {
    /// Tuples, records, source and sink, in this order.
    fn nodes(&self) -> usize {
        self.matching.weights.len() + self.matching.record_rows.len() + 2
    }

    type Cursor = u32;

    fn next_arc(&self, node: u32, cursor: &mut u32) -> Option<u32> {
        let Matching { edges, weights, record_rows, spare, room, givers, .. } = self.matching;
        let (tuples, records) = (weights.len(), record_rows.len());
        let (source, sink) = ((tuples + records) as u32, (tuples + records + 1) as u32);
        let once = |cursor: &mut u32, end: usize, holds: bool, head: u32| {
            let is_first = *cursor as usize == end;
            *cursor = end as u32 + 1;
            (is_first && holds).then_some(head)
        };
        match node as usize {
            tuple if tuple < tuples => {
                if let Some(&record) = edges.list(tuple).get(*cursor as usize) {
                    *cursor += 1;
                    return Some(tuples as u32 + record);
                }
                let gave = spare[tuple] < u64::from(weights[tuple]);
                once(cursor, edges.list(tuple).len(), gave, source)
            }
            node if node < tuples + records => {
                let (record, givers) = (node - tuples, &givers[node - tuples]);
                if (*cursor as usize) < givers.len() {
                    let gives = |at: usize| self.matching.rows_given(givers[at], record as u32) > 0;
                    if let Some(at) = Self::next_of(cursor, givers.len(), gives) {
                        return Some(givers[at as usize]);
                    }
                }
                once(cursor, givers.len(), room[record] > 0, sink)
            }
            node if node as u32 == source => Self::next_of(cursor, tuples, |tuple| spare[tuple] > 0),
            _ => Self::next_of(cursor, records, |record| room[record] < record_rows[record])
                .map(|record| tuples as u32 + record),
        }
    }
}
