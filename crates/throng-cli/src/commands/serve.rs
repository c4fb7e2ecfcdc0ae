//! `throng serve`: the page in the browser.

use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use throng_engine::error::{EngineError, Result};
use throng_engine::memory::ByteSize;
use throng_engine::pseudonym::PseudonymKey;
use throng_web::{Password, RunBudget, ServeOptions, ServerTls, WebServer};

use crate::args::read_threads;
use crate::console::Console;
use crate::exit::Exit;
use crate::runtime;

const EXAMPLES: &str = "Examples:
  throng serve
  throng serve tables --open
  throng serve tables --listen 0.0.0.0:8443 --name data.example --tls-cert cert.pem --tls-key key.pem";

/// Where the password is, if nobody sits at a terminal.
pub(crate) const PASSWORD_VARIABLE: &str = "THRONG_SERVE_PASSWORD";

/// Bytes of the file of a password.
const PASSWORD_FILE_BYTES: u64 = 4096;

/// Serves a page for the browser that leads from a table to a release, question by question
///
/// Prints an address with the token that lets you in. Tables, and everything made from them, stay in the
/// folder, under .throng. Whatever the page does is a job there, which `throng anonymize` can run as well.
/// Ctrl-C stops the server.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    /// The folder with the tables
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,

    /// Opens the browser
    #[arg(long)]
    open: bool,

    /// Where to listen. Any address but this machine's own needs a certificate and a password
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    /// Another name that clients use for this server, besides its address; may be repeated
    #[arg(long = "name", value_name = "HOST")]
    names: Vec<String>,

    /// The certificate and its chain, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// The key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// A file with the password in its first line; otherwise throng takes it from THRONG_SERVE_PASSWORD, or
    /// asks for it
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,

    /// The largest table that may be uploaded
    #[arg(long, value_name = "SIZE", default_value = "4GiB")]
    upload_limit: ByteSize,

    /// How many seconds a search may take; after that, the best release so far is used
    #[arg(long, value_name = "SECONDS", default_value_t = 3600.0)]
    time_limit: f64,

    /// Refuses runs whose values and distinct tuples take more memory than this, such as 2GiB
    #[arg(long, value_name = "SIZE")]
    memory_limit: Option<ByteSize>,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "NUMBER", value_parser = read_threads, allow_negative_numbers = true)]
    threads: Option<usize>,
}

/// Serves until somebody ends it.
pub(crate) fn run(args: ServeArgs, console: &Console) -> Result<Exit> {
    let is_own = args.listen.ip().is_loopback();
    let password = match (find_password(&args)?, is_own) {
        (None, false) => ask_password()?,
        (found, _) => found,
    };
    let password =
        password.map(|text| Password::new(&text).map_err(|error| EngineError::bad(error.to_string())));
    if !(args.time_limit.is_finite() && args.time_limit > 0.0) {
        return Err(EngineError::bad("--time-limit must be above 0 and finite"));
    }
    let options = ServeOptions {
        folder: args.folder.clone(),
        listen: args.listen,
        names: args.names,
        tls: args.tls_cert.zip(args.tls_key).map(|(certificates, key)| ServerTls { certificates, key }),
        password: password.transpose()?,
        budget: RunBudget {
            upload: args.upload_limit,
            memory: args.memory_limit,
            seconds: args.time_limit,
            threads: args.threads,
        },
        pseudonym_key: PseudonymKey::find(None)?,
        has_database: throng_web::is_database_named(),
    };
    runtime::run(args.threads, serve(options, args.open, is_own, console)).map(|()| Exit::Done)
}

async fn serve(options: ServeOptions, opens: bool, is_own: bool, console: &Console) -> Result<()> {
    let (folder, listen) = (options.folder.clone(), options.listen);
    let server = WebServer::bind(options).await.map_err(|cause| failed(&folder, listen, cause))?;
    let url = server.url();
    console.note(format_args!("serving {}; press Ctrl-C to stop", server.folder().display()));
    if !is_own {
        console.note(format_args!(
            "warning: others can reach {}; anyone with the address, its token and the password can see the \
                tables",
            server.address()
        ));
    }
    // The last line: whoever waits for it knows all.
    console.data(&url);
    if opens {
        open(&url, console);
    }
    server.run().await.map_err(|cause| failed(&folder, listen, cause))
}

fn failed(folder: &Path, listen: SocketAddr, cause: io::Error) -> EngineError {
    match cause.kind() {
        io::ErrorKind::InvalidInput => {
            EngineError::bad(format!("{cause} (--tls-cert, --tls-key, --password-file)"))
        }
        io::ErrorKind::AddrInUse | io::ErrorKind::AddrNotAvailable => EngineError::bad((
            format!("cannot listen on {listen}: {cause}"),
            "choose another port with --listen",
        )),
        _ => EngineError::Io { path: folder.to_owned(), action: "cannot serve", cause },
    }
}

/// The password that was set.
fn find_password(args: &ServeArgs) -> Result<Option<String>> {
    let Some(file) = &args.password_file else { return Ok(std::env::var(PASSWORD_VARIABLE).ok()) };
    let failed = |cause| EngineError::Io { path: file.clone(), action: "cannot read", cause };
    if std::fs::metadata(file).map_err(failed)?.len() > PASSWORD_FILE_BYTES {
        return Err(EngineError::bad("this password is too long").in_file(file));
    }
    let text = std::fs::read_to_string(file).map_err(failed)?;
    Ok(Some(text.lines().next().unwrap_or_default().to_owned()))
}

/// Asks for a password, if somebody sits at a terminal.
fn ask_password() -> Result<Option<String>> {
    #[cfg(feature = "postgres")]
    if io::stderr().is_terminal() && io::stdin().is_terminal() {
        let asked = rpassword::prompt_password("password for the page: ");
        return asked.map(Some).map_err(|cause| EngineError::Io {
            path: PathBuf::from("the terminal"),
            action: "cannot read",
            cause,
        });
    }
    Ok(None)
}

/// Opens the browser; the address stands on standard output in any case.
fn open(url: &str, console: &Console) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("rundll32", &["url.dll,FileProtocolHandler"]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    let started = command
        .args(before)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if started.is_err() {
        console.note(format_args!("cannot start {program}; open the address yourself"));
    }
}
