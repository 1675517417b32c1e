//! Running real commands through the spawner and its helper.
#![cfg(feature = "engine")]

mod attacks;
mod bench;
mod docs;
mod ends;
mod environment;
mod escapes;
mod limits;
mod others;
mod user;
mod want;
mod workspaces;
mod writers;
