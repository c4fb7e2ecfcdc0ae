//! The page in the browser: a server on this machine, on top of the engine's jobs and summaries.
//!
//! Whatever the page does is a job, which it writes to the folder; the command that it shows does the same
//! with that job.
//!
//! Dependencies point one way: `folder`, `session`, `queue` and `engine` know nothing about pages, and `app`
//! holds them; `store`, `draft` and `run` change what is on disk; `pages` shows it, with the texts of
//! `words`; `guard`, `upload` and `handle` answer requests with pages; `routes` says which address leads
//! where.

mod app;
mod assets;
mod database;
mod draft;
mod engine;
mod failure;
mod folder;
mod guard;
mod handle;
mod jobs;
mod pages;
mod queue;
mod routes;
mod rows;
mod run;
mod server;
mod session;
mod store;
mod task;
mod upload;
mod words;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use throng_engine::pseudonym::PseudonymKey;
use tokio::net::TcpListener;

pub use app::RunBudget;
pub use database::is_named as is_database_named;
pub use server::ServerTls;
pub use session::Password;

use app::App;

/// What is served, where, and to whom.
#[derive(Debug)]
pub struct ServeOptions {
    /// The folder with the tables.
    pub folder: PathBuf,
    /// Where the server listens; port 0 is one that is free.
    pub listen: SocketAddr,
    /// Further names that clients use for the server.
    pub names: Vec<String>,
    /// A certificate, which every address but this machine's own needs.
    pub tls: Option<ServerTls>,
    /// A password, which it needs, too.
    pub password: Option<Password>,
    /// What runs may take.
    pub budget: RunBudget,
    /// What makes pseudonyms; jobs that ask for some fail without.
    pub pseudonym_key: Option<PseudonymKey>,
    /// Whether tables may be used of the database that libpq's variables name.
    pub has_database: bool,
}

impl ServeOptions {
    /// A folder on this machine alone, at a free port.
    pub fn new(folder: impl Into<PathBuf>) -> ServeOptions {
        ServeOptions {
            folder: folder.into(),
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            names: Vec::new(),
            tls: None,
            password: None,
            budget: RunBudget::default(),
            pseudonym_key: None,
            has_database: false,
        }
    }
}

/// A server that listens, and answers once it is run.
pub struct WebServer {
    listener: TcpListener,
    tls: Option<tokio_rustls::TlsAcceptor>,
    app: Arc<App>,
    address: SocketAddr,
}

impl std::fmt::Debug for WebServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The token is nobody's business.
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl WebServer {
    /// Opens the folder and listens; must be called in a Tokio runtime.
    ///
    /// # Errors
    /// If the folder cannot be opened, the address is taken, or others could reach it without a certificate and a password.
    pub async fn bind(options: ServeOptions) -> io::Result<WebServer> {
        refuse_open(&options)?;
        let tls = options.tls.as_ref().map(server::acceptor).transpose()?;
        let folder = folder::Folder::open(&options.folder)?;
        let listener = TcpListener::bind(options.listen).await?;
        let address = listener.local_addr()?;
        let (queue, waiting) = queue::Queue::new();
        let app = Arc::new(App {
            folder,
            sessions: session::Sessions::new(options.password)?,
            hosts: server::hosts(address, &options.names),
            port: address.port(),
            is_secure: tls.is_some(),
            budget: options.budget,
            engine: Arc::new(engine::Engine::start(options.budget.threads)?),
            queue,
            counts: draft::Counts::default(),
            key: options.pseudonym_key,
            has_database: options.has_database,
            changes: Arc::default(),
            busy: std::sync::Mutex::default(),
        });
        run::mark_interrupted(&app);
        upload::sweep(&app);
        let worker = Arc::clone(&app);
        std::thread::Builder::new().name("runs".to_owned()).spawn(move || run::work(&worker, &waiting))?;
        Ok(WebServer { listener, tls, app, address })
    }

    /// The address that lets somebody in.
    pub fn url(&self) -> String {
        let host = &self.app.hosts[0];
        format!("{}{host}/?token={}", self.app.scheme(), self.app.sessions.token())
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The folder, by its real path.
    pub fn folder(&self) -> &Path {
        self.app.folder.root()
    }

    /// Answers until the process ends.
    ///
    /// # Errors
    /// If no connection can be taken any more.
    pub async fn run(self) -> io::Result<()> {
        let router = routes::router(Arc::clone(&self.app));
        server::answer(self.listener, self.tls, router).await
    }
}

/// Refuses to be reached by others without a certificate and a password.
fn refuse_open(options: &ServeOptions) -> io::Result<()> {
    let is_own = options.listen.ip().is_loopback();
    let lacks = match (&options.tls, &options.password) {
        (None, _) => "a certificate",
        (_, None) => "a password",
        _ => return Ok(()),
    };
    if is_own {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("others can reach {}, so it needs {lacks}", options.listen),
    ))
}
