//! What a store answers, looked at before its XML is parsed.
//!
//! The parser behind `object_store` takes time that is quadratic in the attributes of a tag (RUSTSEC-2026-0194) and memory
//! for every namespace that one declares (RUSTSEC-2026-0195), and answers are held whole. A store that is not what it
//! claims to be could stop a run by either. Answers of S3 are short and have hardly an attribute, so others are refused
//! here; objects themselves pass untouched.

use std::future::Future;
use std::pin::Pin;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService, ReqwestConnector,
};
use thiserror::Error;

/// The longest answer in XML: a list of a thousand objects, with names of a thousand characters, is about 2 MiB.
const MAX_XML_BYTES: usize = 16 << 20;
/// The most attributes that one may have, all tags together.
const MAX_ATTRIBUTES: usize = 4_096;

/// Connects to stores whose answers are looked at.
#[derive(Debug)]
pub(super) struct Cautious;

impl HttpConnector for Cautious {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(LimitedClient { client }))
    }
}

/// A client that refuses answers which a parser should not see.
#[derive(Debug)]
struct LimitedClient {
    client: HttpClient,
}

impl HttpService for LimitedClient {
    fn call<'a, 'b>(
        &'a self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move {
            let is_object = asks_for_object(&request);
            let answer = self.client.execute(request).await?;
            if is_object && answer.status().is_success() {
                return Ok(answer);
            }
            let (head, body) = answer.into_parts();
            let text = gather(body).await?;
            refuse_many_attributes(&text).map_err(|reason| HttpError::new(HttpErrorKind::Decode, reason))?;
            Ok(HttpResponse::from_parts(head, HttpResponseBody::from(text)))
        })
    }
}

/// Whether a request is for the bytes of an object, which nobody parses as XML.
fn asks_for_object(request: &HttpRequest) -> bool {
    let is_list = request.uri().query().is_some_and(|query| query.contains("list-type"));
    matches!(request.method().as_str(), "GET" | "HEAD") && !is_list
}

/// A whole answer, if it is not too long.
async fn gather(body: HttpResponseBody) -> Result<Bytes, HttpError> {
    let mut stream = body.bytes_stream();
    let mut text = BytesMut::new();
    while let Some(piece) = stream.next().await {
        text.extend_from_slice(&piece?);
        if text.len() > MAX_XML_BYTES {
            return Err(HttpError::new(HttpErrorKind::Decode, RefusedAnswer::LongAnswer));
        }
    }
    Ok(text.freeze())
}

/// Refuses more attributes than any answer of a store has. Every one has an equals sign with a quote after it, wherever a
/// parser takes tags, comments and quotes to begin and to end; so counting these needs no parser to agree with.
fn refuse_many_attributes(text: &[u8]) -> Result<(), RefusedAnswer> {
    let is_attribute = |&equals: &usize| {
        let after = text[equals + 1..].trim_ascii_start();
        matches!(after.first(), Some(b'"' | b'\''))
    };
    match memchr::memchr_iter(b'=', text).filter(is_attribute).nth(MAX_ATTRIBUTES) {
        None => Ok(()),
        Some(_) => Err(RefusedAnswer::ManyAttributes),
    }
}

/// Why an answer was not parsed.
#[derive(Debug, Error)]
enum RefusedAnswer {
    #[error("the store's answer is longer than {MAX_XML_BYTES} bytes")]
    LongAnswer,
    #[error("the store's answer has more than {MAX_ATTRIBUTES} attributes")]
    ManyAttributes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_few_attributes_and_any_text() {
        let entry = "<Contents><Key>a=b/c=d.csv</Key><ETag>\"0123==\"</ETag></Contents>";
        let list =
            format!("<ListBucketResult xmlns=\"http://s3/\">{}</ListBucketResult>", entry.repeat(1000));
        refuse_many_attributes(list.as_bytes()).unwrap();
        refuse_many_attributes(b"no XML at all =").unwrap();
        let attributes: String = (0..=MAX_ATTRIBUTES).map(|i| format!(" a{i} = '>'")).collect();
        for hostile in [format!("<Key{attributes}>k</Key>"), format!("<![CDATA[\"]]><b{attributes}")] {
            assert!(matches!(refuse_many_attributes(hostile.as_bytes()), Err(RefusedAnswer::ManyAttributes)));
        }
    }
}
