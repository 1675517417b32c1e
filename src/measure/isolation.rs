//! What kept commands apart, as `run.json` tells it.

use serde::{Deserialize, Serialize};

use crate::run::sandbox::{Place, Sandbox};

/// What keeps commands apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Isolation {
    /// How the processes of a command are found and ended.
    pub processes: String,
    /// Which network a command sees.
    pub network: String,
    /// Where a command can write.
    pub files: String,
    /// Where it can write besides its workspace because a flag says so.
    pub allow_write: Vec<Place>,
    /// How it gets a clean workspace.
    pub workspaces: String,
    /// What holds memory and processes to the limits asked for, and why not more than that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<String>,
}

impl Isolation {
    /// All of it in one line; `files` names the places of `allow_write`.
    #[must_use]
    pub fn words(&self) -> String {
        let Self { processes, network, files, .. } = self;
        format!("processes: {processes}; network: {network}; files: {files}")
    }

    pub(super) fn of(sandbox: &Sandbox) -> Self {
        Self {
            processes: sandbox.processes().to_owned(),
            network: sandbox.network().to_owned(),
            files: sandbox.files(),
            allow_write: sandbox.allow_write.clone(),
            workspaces: sandbox.workspaces.words().to_owned(),
            limits: sandbox.held_to(),
        }
    }
}
