//! What flags say about a task; a flag wins over the task file.

use std::time::Duration;

/// The flags that stand for keys of the task file.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// The acceptance command after `--`.
    pub argv: Vec<String>,
    /// Refuse `argv` beside a task file, as `seal` does.
    pub seal: bool,
    /// `--include`, instead of `mutate.include`.
    pub include: Vec<String>,
    /// `--exclude`, instead of `mutate.exclude`.
    pub exclude: Vec<String>,
    /// `--operator`, instead of `mutate.operators`.
    pub operators: Vec<String>,
    /// `--limit`.
    pub limit: Option<u32>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--timeout`, for every command.
    pub timeout: Option<Duration>,
    /// `--env`, added to `env.pass`.
    pub env: Vec<String>,
    /// `--contract-id`.
    pub contract_id: Option<String>,
}
