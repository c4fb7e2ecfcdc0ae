//! A release on its way into a new table: one transaction from the first row to the last check.
//!
//! A thread has the connection and does what it is told. If it is told no more, the connection is closed, and the
//! server undoes all of it: until then nobody else has seen the table.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::Builder as ThreadBuilder;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, UInt32Type};
use bytes::{BufMut, Bytes};
use futures::{SinkExt, StreamExt};
use rayon::prelude::*;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, CopyInSink};

use super::connect::connect;
use super::target::{self, ExistingTable};
use super::types::{ColumnType, TypeUse, describe};
use super::{fault, no_thread, place, qualified, quote, session, values};
use crate::address::DatabaseAddress;
use crate::backend::{NewTable, RemoteSink, Unpublished};
use crate::error::{EngineError, Result};
use crate::tables::Tables;

/// Batches that may wait to be sent: enough that the server is busy until the next ones come.
const WAITING: usize = 32;
/// About as many bytes as a cell has with its length.
const CELL_BYTES: usize = 16;
/// Bytes that are read back at once.
const CHUNK_BYTES: usize = 256 << 10;
/// Bytes of the longest name that PostgreSQL keeps whole.
const NAME_BYTES: usize = 63;
/// What stands in the place of a row's number of cells after the last one.
const END: [u8; 2] = (-1_i16).to_be_bytes();
/// The signature of the binary format, flags and the length of an extension.
const HEADER: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

enum CopyCommand {
    Rows(Bytes),
    Finish(Sender<Result<()>>),
    ReadBack(File, Sender<Result<()>>),
    Publish(Sender<Result<()>>),
}

/// See [`crate::backend::Database::create`].
pub(super) fn create(address: &DatabaseAddress, path: &Path, table: NewTable) -> Result<Box<dyn RemoteSink>> {
    refuse_names(address, path, &table)?;
    let (commands, told) = sync_channel(WAITING);
    let (tell, started) = channel();
    let (fail, failed) = channel();
    let names = table.schema.fields().iter().map(|field| field.name().clone()).collect();
    let (address, of_thread) = (address.clone(), path.to_owned());
    let work = move || {
        if let Err(error) = work(&address, &of_thread, &table, &tell, &told) {
            let _ = fail.send(error);
        }
    };
    ThreadBuilder::new().name("database".to_owned()).spawn(work).map_err(no_thread)?;
    let hand = Hand { commands, failed };
    let kinds = started.recv().map_err(|_| hand.failure())?;
    hand.tell(CopyCommand::Rows(Bytes::from_static(HEADER)))?;
    let rows = RowEncoder { path: path.to_owned(), names, kinds };
    Ok(Box::new(TableSink { hand, rows, newlines: false }))
}

/// Names that are too long would be cut off.
fn refuse_names(address: &DatabaseAddress, path: &Path, table: &NewTable) -> Result<()> {
    let columns = table.schema.fields().iter().map(|field| field.name().as_str());
    match columns.chain([address.table()?.1]).find(|name| name.len() > NAME_BYTES) {
        Some(name) => {
            let name = throng::wording::quoted(name);
            Err(EngineError::bad(format!("the name {name} is longer than PostgreSQL's 63 bytes"))
                .in_file(path))
        }
        None => Ok(()),
    }
}

/// The thread that writes, seen from the others.
struct Hand {
    commands: SyncSender<CopyCommand>,
    failed: Receiver<EngineError>,
}

impl Hand {
    fn tell(&self, command: CopyCommand) -> Result<()> {
        self.commands.send(command).map_err(|_| self.failure())
    }

    /// Has something done, and waits for it.
    fn ask(&self, command: impl FnOnce(Sender<Result<()>>) -> CopyCommand) -> Result<()> {
        let (reply, done) = channel();
        self.tell(command(reply))?;
        done.recv().unwrap_or_else(|_| Err(self.failure()))
    }

    /// Why it has ended.
    fn failure(&self) -> EngineError {
        let unknown = |_| EngineError::Data("the database's thread stopped unexpectedly".into());
        self.failed.recv().unwrap_or_else(unknown)
    }
}

struct TableSink {
    hand: Hand,
    rows: RowEncoder,
    newlines: bool,
}

impl RemoteSink for TableSink {
    fn write(&mut self, batches: &[RecordBatch]) -> Result<()> {
        let rows = &self.rows;
        let encoded: Vec<Result<CopyRows>> = batches.par_iter().map(|batch| rows.encode(batch)).collect();
        for encoded in encoded {
            let CopyRows { rows, newlines } = encoded?;
            self.newlines |= newlines;
            self.hand.tell(CopyCommand::Rows(rows.into()))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(Box<dyn Unpublished>, bool)> {
        self.hand.tell(CopyCommand::Rows(Bytes::from_static(&END)))?;
        self.hand.ask(CopyCommand::Finish)?;
        Ok((Box::new(Complete(self.hand)), self.newlines))
    }
}

/// Rows as COPY takes them, and whether a cell may have a line break.
struct CopyRows {
    rows: Vec<u8>,
    newlines: bool,
}

/// Encodes rows of any batch.
struct RowEncoder {
    path: PathBuf,
    names: Vec<String>,
    kinds: Vec<TypeUse>,
}

impl RowEncoder {
    fn encode(&self, batch: &RecordBatch) -> Result<CopyRows> {
        let columns: Vec<Cells> = batch.columns().iter().map(Cells::from_array).collect::<Result<_>>()?;
        let mut rows = Vec::with_capacity(batch.num_rows() * columns.len() * CELL_BYTES);
        for row in 0..batch.num_rows() {
            rows.put_i16(columns.len() as i16);
            for (at, cells) in columns.iter().enumerate() {
                match cells.text(row) {
                    None => rows.put_i32(-1),
                    Some(text) => put(self.kinds[at], text, &mut rows).map_err(|why| {
                        EngineError::bad(why).in_file(&self.path).in_column(&self.names[at])
                    })?,
                }
            }
        }
        Ok(CopyRows { rows, newlines: columns.iter().any(Cells::has_newlines) })
    }
}

fn put(kind: TypeUse, text: &str, buffer: &mut Vec<u8>) -> std::result::Result<(), &'static str> {
    if kind == TypeUse::Text && memchr::memchr(0, text.as_bytes()).is_some() {
        return Err("a value has a NUL character, which PostgreSQL cannot store");
    }
    values::put(kind, text, buffer).ok_or("a value does not have the type of its column in the database")
}

/// The cells of a column.
enum Cells {
    Text(StringArray),
    Labels(arrow::array::UInt32Array, StringArray),
}

impl Cells {
    fn from_array(array: &ArrayRef) -> Result<Cells> {
        if let Some(labels) = array.as_dictionary_opt::<UInt32Type>()
            && let Some(values) = labels.values().as_string_opt::<i32>()
        {
            return Ok(Cells::Labels(labels.keys().clone(), values.clone()));
        }
        let text = match array.as_string_opt::<i32>() {
            Some(text) => text.clone(),
            None => {
                let failed = |_| EngineError::Data("a value cannot be written as text".into());
                cast(array, &DataType::Utf8).map_err(failed)?.as_string::<i32>().clone()
            }
        };
        Ok(Cells::Text(text))
    }

    fn text(&self, row: usize) -> Option<&str> {
        match self {
            Cells::Text(text) => text.is_valid(row).then(|| text.value(row)),
            Cells::Labels(keys, labels) => {
                let place = keys.is_valid(row).then(|| keys.value(row) as usize)?;
                labels.is_valid(place).then(|| labels.value(place))
            }
        }
    }

    fn has_newlines(&self) -> bool {
        let (Cells::Text(text) | Cells::Labels(_, text)) = self;
        memchr::memchr2(b'\n', b'\r', text.value_data()).is_some()
    }
}

/// A table that waits for the end of its transaction.
struct Complete(Hand);

impl Unpublished for Complete {
    fn read_back(&self, into: File) -> Result<()> {
        self.0.ask(|reply| CopyCommand::ReadBack(into, reply))
    }

    fn publish(self: Box<Self>) -> Result<()> {
        self.0.ask(CopyCommand::Publish)
    }
}

/// Makes the table, and does what it is told from then on.
fn work(
    address: &DatabaseAddress,
    path: &Path,
    table: &NewTable,
    tell: &Sender<Vec<TypeUse>>,
    told: &Receiver<CopyCommand>,
) -> Result<()> {
    // The connection has a thread of its own, so that it goes on while this one waits.
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(no_thread)?;
    let new = runtime.block_on(NewInServer::begin(address, path, table))?;
    let _ = tell.send(new.types.iter().map(|of| of.load).collect());
    let Some(reply) = new.take_rows(&runtime, told)? else { return Ok(()) };
    let _ = reply.send(runtime.block_on(new.finish()));
    while let Ok(command) = told.recv() {
        let (reply, done) = match command {
            CopyCommand::ReadBack(into, reply) => (reply, runtime.block_on(new.read_back(into))),
            CopyCommand::Publish(reply) => (reply, runtime.block_on(new.publish())),
            CopyCommand::Rows(_) | CopyCommand::Finish(_) => unreachable!("the table is finished"),
        };
        let _ = reply.send(done);
    }
    Ok(())
}

/// The new table, in its transaction.
struct NewInServer<'a> {
    client: Client,
    path: &'a Path,
    comment: &'a str,
    columns: Vec<&'a str>,
    types: Vec<Loaded>,
    schema: String,
    /// What it is called until it takes the place of another one.
    name: String,
    replaces: Option<ExistingTable>,
    /// Those of the run, none of which is replaced.
    tables: &'a Tables,
}

/// The type of a column, and as what it is loaded.
struct Loaded {
    of: ColumnType,
    load: TypeUse,
}

impl<'a> NewInServer<'a> {
    async fn begin(
        address: &'a DatabaseAddress,
        path: &'a Path,
        table: &'a NewTable,
    ) -> Result<NewInServer<'a>> {
        let client = connect(&address.server).await?;
        let begin = format!("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {}", session::settings());
        client.batch_execute(&begin).await.map_err(|error| fault::of_statement(path, &error))?;
        let found = target::find(&client, address, path).await?;
        let replaces = found.filter(|_| table.replace);
        let (schema, name) = match &replaces {
            Some(found) => {
                let now = jiff::Timestamp::now().as_nanosecond();
                (found.schema.clone(), format!("throng_{:x}_{now:x}", std::process::id()))
            }
            None => (target::schema_of(&client, address, path).await?, address.table()?.1.to_owned()),
        };
        let columns = table.schema.fields().iter().map(|field| field.name().as_str()).collect();
        let types = find_types(&client, path, table).await?;
        let (comment, tables) = (&table.comment, &table.tables);
        let new = NewInServer { client, path, comment, columns, types, schema, name, replaces, tables };
        let declared: Vec<String> = new.columns.iter().zip(&new.types).map(declare).collect();
        new.execute(&format!("CREATE TABLE {} ({})", new.relation(), declared.join(", "))).await?;
        Ok(new)
    }

    fn relation(&self) -> String {
        qualified(Some(&self.schema), &self.name)
    }

    /// Runs one statement that looks at no row: names, types and comments come from elsewhere, and more than one
    /// statement is none.
    async fn execute(&self, statement: &str) -> Result<()> {
        let done = self.client.execute(statement, &[]).await;
        done.map(drop).map_err(|error| fault::of_statement(self.path, &error))
    }

    /// Loads rows until there are no more; nothing if nobody wants the table any longer.
    fn take_rows(
        &self,
        runtime: &Runtime,
        told: &Receiver<CopyCommand>,
    ) -> Result<Option<Sender<Result<()>>>> {
        let failed = |error| fault::of_rows(self.path, &error);
        let copy = format!("COPY {} FROM STDIN (FORMAT binary)", self.relation());
        let copy: CopyInSink<Bytes> = runtime.block_on(self.client.copy_in(&copy)).map_err(failed)?;
        let mut copy: Pin<Box<CopyInSink<Bytes>>> = Box::pin(copy);
        loop {
            match told.recv() {
                Ok(CopyCommand::Rows(rows)) => runtime.block_on(copy.send(rows)).map_err(failed)?,
                Ok(CopyCommand::Finish(reply)) => {
                    runtime.block_on(copy.as_mut().finish()).map_err(failed)?;
                    return Ok(Some(reply));
                }
                Ok(CopyCommand::ReadBack(..) | CopyCommand::Publish(_)) | Err(_) => return Ok(None),
            }
        }
    }

    /// Gives columns the types that they could not be loaded as.
    async fn finish(&self) -> Result<()> {
        let typed: Vec<String> = self.columns.iter().zip(&self.types).filter_map(retype).collect();
        if typed.is_empty() {
            return Ok(());
        }
        let alter = format!("ALTER TABLE {} {}", self.relation(), typed.join(", "));
        self.client.execute(&alter, &[]).await.map(drop).map_err(|error| fault::of_rows(self.path, &error))
    }

    /// Writes all that can be read now into a file.
    async fn read_back(&self, mut into: File) -> Result<()> {
        let failed = |error| fault::of_rows(self.path, &error);
        let copy = format!("COPY {} TO STDOUT (FORMAT csv, HEADER)", self.relation());
        let rows = self.client.copy_out(&copy).await.map_err(failed)?;
        futures::pin_mut!(rows);
        let mut held = Vec::with_capacity(2 * CHUNK_BYTES);
        let unwritten = |cause| EngineError::Io {
            path: std::env::temp_dir(),
            action: "cannot write what was read back",
            cause,
        };
        while let Some(bytes) = rows.next().await {
            held.extend_from_slice(&bytes.map_err(failed)?);
            if held.len() >= CHUNK_BYTES {
                into.write_all(&held).map_err(unwritten)?;
                held.clear();
            }
        }
        into.write_all(&held).map_err(unwritten)
    }

    /// Lets everybody see it, in the place of the table before, if there is one.
    async fn publish(&self) -> Result<()> {
        let mut relation = self.relation();
        if let Some(before) = &self.replaces {
            place::take(&self.client, self.path, before, &relation, &self.columns, self.tables).await?;
            relation = before.relation();
        }
        let comment = self.comment.replace('\'', "''");
        self.execute(&format!("COMMENT ON TABLE {relation} IS '{comment}'")).await?;
        self.execute("COMMIT").await
    }
}

fn declare((column, of): (&&str, &Loaded)) -> String {
    let declared = if of.load == of.of.kind { of.of.declared.as_str() } else { "text" };
    format!("{} {declared}", quote(column))
}

fn retype((column, of): (&&str, &Loaded)) -> Option<String> {
    let (column, declared) = (quote(column), &of.of.declared);
    (of.load != of.of.kind)
        .then(|| format!("ALTER COLUMN {column} TYPE {declared} USING {column}::{declared}"))
}

/// The types of the columns, as far as the database has them.
async fn find_types(client: &Client, path: &Path, table: &NewTable) -> Result<Vec<Loaded>> {
    let mut types = Vec::with_capacity(table.types.len());
    for (field, asked) in table.schema.fields().iter().zip(&table.types) {
        let of = match asked {
            None => ColumnType::of_arrow(field.data_type()),
            Some(asked) => {
                let row = client.query_one("SELECT to_regtype($1)::oid", &[asked]).await;
                let oid: Option<u32> = row.map_err(|error| fault::of_statement(path, &error))?.get(0);
                match oid {
                    None => ColumnType::text(),
                    Some(oid) => {
                        let mut found = describe(client, path, &[oid], &[-1]).await?.remove(0);
                        found.declared.clone_from(asked);
                        found
                    }
                }
            }
        };
        let load = if of.kind == TypeUse::Other { TypeUse::Text } else { of.kind };
        types.push(Loaded { of, load });
    }
    Ok(types)
}
