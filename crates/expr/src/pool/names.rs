//! Names of symbols, one after the other in one text: a large model has hundreds of thousands.

use crate::pool::draft::spread;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Numbered names, each once.
#[derive(Clone, Default)]
pub(crate) struct Names {
    text: String,
    /// Where each name ends.
    ends: Vec<usize>,
    /// Hash and number of each.
    table: HashTable<(u32, u32)>,
}

impl Names {
    /// The number of a name, given to it where it is new.
    pub fn intern(&mut self, name: &str) -> u32 {
        let hash = FxBuildHasher.hash_one(name);
        let hash = (hash ^ hash >> 32) as u32;
        let found = self.table.find(spread(hash), |&(h, id)| h == hash && self.get(id) == name);
        if let Some(&(_, id)) = found {
            return id;
        }
        let id = self.ends.len() as u32;
        self.text.push_str(name);
        self.ends.push(self.text.len());
        self.table.insert_unique(spread(hash), (hash, id), |&(h, _)| spread(h));
        id
    }

    /// The name with that number.
    pub fn get(&self, id: u32) -> &str {
        let k = id as usize;
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        &self.text[start..self.ends[k]]
    }
}
