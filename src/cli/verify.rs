//! `adequacy verify`: does a Statement, or an envelope, hold for a record?

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::member::{self, ReadError};
use super::{Exit, batch, found};
use crate::base::Argv;
use crate::base::canonical;
use crate::base::code::Code;
use crate::base::json::{Document, Value};
use crate::envelope::PublicKey;
use crate::report::terminal::escaped;
use crate::verify::{Verified, verify, verify_envelope};

/// Check a Statement against the contract record it was made for
///
/// Prints `valid`, or the code of the first rule that is broken.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The Statement, or with --key a DSSE envelope around the record
    #[arg(required_unless_present = "batch")]
    statement: Option<PathBuf>,
    /// The contract record, exactly as it was sealed
    #[arg(required_unless_present = "batch")]
    contract: Option<PathBuf>,
    /// Check every folder below DIR that holds contract.json and a Statement, one line each
    #[arg(long, value_name = "DIR", conflicts_with_all = ["statement", "contract", "key"])]
    batch: Option<PathBuf>,
    /// Public key of the sealer, 64 hex digits or a file that holds them
    ///
    /// The envelope must be signed under it: the first file, if that is an envelope, and otherwise
    /// `contract.dsse.json` beside the record.
    #[arg(long, visible_alias = "pin", value_name = "KEY")]
    key: Option<String>,
    /// Print JSON, one object a line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> Exit {
    let done = match (&args.batch, &args.statement, &args.contract) {
        (Some(folder), ..) => batch::run(folder, args.json, out, err),
        (None, Some(statement), Some(contract)) => single(args, statement, contract, out, err),
        (None, ..) => writeln!(err, "error: give a Statement and a record, or --batch DIR")
            .map(|()| Exit::Usage),
    };
    done.unwrap_or(Exit::Resources)
}

/// Why there is no `valid`.
#[derive(Debug)]
pub(super) enum Refusal {
    /// A rule is broken.
    Broken(Code),
    /// Nothing was judged; the message says which file and why.
    Unread(Code, String),
}

impl From<Code> for Refusal {
    fn from(code: Code) -> Self {
        Self::Broken(code)
    }
}

impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Self {
        Self::Unread(error.code(), error.to_string())
    }
}

impl Refusal {
    pub(super) fn code(&self) -> Code {
        match self {
            Self::Broken(code) | Self::Unread(code, _) => *code,
        }
    }
}

/// The bytes of a Statement and of its record. A file that is there and cannot be read comes before
/// one that is missing (`done-records` section 1).
pub(super) fn read_pair(
    statement: &Path,
    contract: &Path,
) -> Result<(Vec<u8>, Vec<u8>), ReadError> {
    let present = |read: &Result<Vec<u8>, ReadError>| !matches!(read, Err(error) if error.code() == Code::MemberIncomplete);
    let statement = member::read(statement);
    if present(&statement) {
        return Ok((statement?, member::read(contract)?));
    }
    let contract = member::read(contract);
    if present(&contract) {
        contract?;
    }
    statement.map(|bytes| (bytes, Vec::new()))
}

fn single(
    args: &Args,
    statement: &Path,
    contract: &Path,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Exit> {
    let key = match args.key.as_deref().map(read_key).transpose() {
        Ok(key) => key,
        Err(message) => {
            writeln!(err, "error: {message}")?;
            return Ok(Exit::Usage);
        }
    };
    let judged = judge(statement, contract, key.as_ref());
    if args.json {
        writeln!(out, "{}", json_line(judged_members(&judged, key.as_ref())))?;
    } else {
        writeln!(
            out,
            "{}",
            judged.as_ref().map_or_else(|refusal| refusal.code().text(), |_| "valid")
        )?;
    }
    match (&judged, key) {
        (Ok(_), None) => writeln!(err, "origin: not established, the Statement is unsigned")?,
        (Ok(_), Some(key)) => writeln!(err, "origin: sealed under the key {key}")?,
        (Err(Refusal::Unread(code, message)), _) => writeln!(err, "{code}: {message}")?,
        (Err(Refusal::Broken(code)), key) => {
            writeln!(err, "{code}: {} ({})", code.rule(), code.source())?;
            explain(*code, statement, contract, err)?;
            if key.is_none() && *code == Code::StatementFields && looks_like_envelope(statement) {
                writeln!(err, "hint: a DSSE envelope is checked with `--key`")?;
            }
        }
    }
    Ok(match judged {
        Ok(_) => Exit::Done,
        Err(Refusal::Broken(_)) => Exit::No,
        Err(Refusal::Unread(..)) => Exit::Refused,
    })
}

/// What stands in the files instead, and whether they are in each other's place.
fn explain(code: Code, statement: &Path, contract: &Path, err: &mut dyn Write) -> io::Result<()> {
    let Ok((first, second)) = read_pair(statement, contract) else { return Ok(()) };
    if found::are_swapped(&first, &second) {
        let files = [contract, statement].map(|path| path.display().to_string());
        let words = ["adequacy", "verify"].map(str::to_owned).into_iter().chain(files);
        let right = Argv::new(words.collect()).expect("a path holds no NUL").to_string();
        let right = escaped(&right);
        return writeln!(
            err,
            "hint: the files are in each other's place; the Statement comes first: `{right}`"
        );
    }
    match found::found(code, &first, &second) {
        Some(found) => writeln!(err, "found: {found}"),
        None => Ok(()),
    }
}

fn judge(statement: &Path, contract: &Path, key: Option<&PublicKey>) -> Result<Verified, Refusal> {
    let (first, record) = read_pair(statement, contract)?;
    let Some(key) = key else { return Ok(verify(&first, &record)?) };
    if is_envelope(&first) {
        return Ok(verify_envelope(&first, &record, key)?);
    }
    let verified = verify(&first, &record)?;
    let envelope = member::read(&contract.with_extension("dsse.json"))?;
    verify_envelope(&envelope, &record, key)?;
    Ok(verified)
}

fn is_envelope(bytes: &[u8]) -> bool {
    Document::parse(bytes).is_ok_and(|document| document.root().member("payload").is_some())
}

fn looks_like_envelope(path: &Path) -> bool {
    member::read(path).is_ok_and(|bytes| is_envelope(&bytes))
}

/// The key as typed, or as the file of that name holds it.
pub(super) fn read_key(text: &str) -> Result<PublicKey, String> {
    if let Ok(key) = text.parse() {
        return Ok(key);
    }
    let bytes = member::read(Path::new(text))
        .map_err(|error| format!("--key is neither 64 hex digits nor a file: {error}"))?;
    let spelled = std::str::from_utf8(&bytes).map(str::trim_end).unwrap_or_default();
    spelled.parse().map_err(|error| format!("the file --key names holds no key: {error}"))
}

fn judged_members(
    judged: &Result<Verified, Refusal>,
    key: Option<&PublicKey>,
) -> Vec<(&'static str, Value)> {
    match judged {
        Ok(verified) => vec![
            ("contract_sha256", verified.contract_sha256.to_string().into()),
            ("origin", key.map_or("not established".into(), |key| key.to_string().into())),
            ("verdict", "valid".into()),
        ],
        Err(refusal) => refusal_members(refusal),
    }
}

/// What a refusal says in JSON.
pub(super) fn refusal_members(refusal: &Refusal) -> Vec<(&'static str, Value)> {
    let code = refusal.code();
    match refusal {
        Refusal::Broken(_) => vec![
            ("code", code.text().into()),
            ("rule", code.rule().into()),
            ("verdict", "invalid".into()),
        ],
        Refusal::Unread(_, message) => vec![
            ("code", code.text().into()),
            ("detail", message.as_str().into()),
            ("verdict", "refused".into()),
        ],
    }
}

/// One line of JSON.
pub(super) fn json_line(members: Vec<(&'static str, Value)>) -> String {
    let members = members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let bytes = canonical::to_vec(&Value::Object(members)).expect("strings under different names");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}
