//! The formats of a report, and what each is asked for.

use clap::ValueEnum;

use super::{RunLog, Style};
use super::{
    csv, full_json, github, gitlab, html, json, junit, markdown, prompt, sarif, summary, text,
};

/// A format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The summary that ends a run
    Text,
    /// mutation-testing-report-schema, version 2
    Json,
    /// All there is, by docs/full-report.schema.json
    FullJson,
    /// One page that needs no network
    Html,
    /// SARIF 2.1.0: one result a survivor
    Sarif,
    /// JUnit XML: one test case a mutant
    Junit,
    /// A job summary
    Markdown,
    /// Workflow commands that annotate a pull request on GitHub
    Github,
    /// Code quality in a merge request on GitLab: one issue a survivor
    Gitlab,
    /// One line a mutant
    Csv,
    /// What a person or a model needs who writes the missing tests
    Prompt,
}

/// What a reader asks for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The format.
    pub format: Format,
    /// Colour and width, for text.
    pub style: Style,
    /// Whether `prompt` shows the code of a solution that somebody else is to find.
    pub reveal: bool,
    /// What stands before a path of the tree so that it is one of the repository: empty, or a
    /// directory with its final slash.
    pub prefix: String,
}

/// The report of a run, with a final line feed.
#[must_use]
pub fn render(log: &RunLog, request: &Request) -> String {
    let prefix = request.prefix.as_str();
    match request.format {
        Format::Text => {
            let line = text::totals(&log.count.totals());
            format!("{}{line}\n", summary::summary(log, request.style))
        }
        Format::Json => json::render(log),
        Format::FullJson => full_json::render(log),
        Format::Html => html::render(log),
        Format::Sarif => sarif::render(log, prefix),
        Format::Junit => junit::render(log),
        Format::Markdown => markdown::render(log),
        Format::Github => github::render(log, prefix),
        Format::Gitlab => gitlab::render(log, prefix),
        Format::Csv => csv::render(log),
        Format::Prompt => prompt::render(log, request.reveal),
    }
}
