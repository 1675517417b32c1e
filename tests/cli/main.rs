//! The program as a person uses it: real commands on tiny trees, each test in a sandbox of its own.
#![cfg(feature = "engine")]

mod gone;
mod harness;

mod audits;
mod bundles;
mod checks;
mod copies;
mod evidence;
mod executors;
mod flips;
mod formats;
mod imports;
mod interrupts;
mod isolation;
mod list;
mod many;
mod mutate_change;
mod one_build;
mod places;
mod probes;
mod processes;
mod published;
mod receipts;
mod recovery;
mod refusals;
mod reports;
mod reuse;
mod rust;
mod sealing;
mod sentinels;
mod shards;
mod since;
mod storage;
mod tasks;
mod trees;
mod triage;
mod unittests;
mod workers;
mod workspaces;
