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
mod formats;
mod imports;
mod interrupts;
mod isolation;
mod list;
mod processes;
mod refusals;
mod reports;
mod sealing;
mod sentinels;
mod storage;
mod tasks;
mod trees;
