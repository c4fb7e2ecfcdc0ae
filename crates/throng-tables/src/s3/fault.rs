//! What stores say when they refuse, in our words: theirs may repeat who asked.

use std::path::Path;

use object_store::Error;
use throng::wording::quoted;

use super::bucket::endpoint;
use crate::address::ObjectAddress;
use crate::error::EngineError;

/// What may be said of a failed request for what is at `path`.
pub(super) fn of_request(error: &Error, path: &Path) -> EngineError {
    let text = describe(error);
    let bucket = ObjectAddress::parse(path).map(|address| address.bucket).unwrap_or_default();
    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    if has(&["NoSuchBucket"]) {
        let problem = format!("there is no bucket {} at {}", quoted(&bucket), shown_endpoint());
        return EngineError::not_found(path, problem);
    }
    if matches!(error, Error::NotFound { .. }) {
        return EngineError::not_found(path, "there is no such object");
    }
    let why = if has(&["169.254.169.254", "credential"]) {
        "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment"
            .to_owned()
    } else if has(&["InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken"]) {
        "the store does not accept the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, \
         AWS_SESSION_TOKEN)"
            .to_owned()
    } else if matches!(error, Error::PermissionDenied { .. } | Error::Unauthenticated { .. }) {
        "the store denies access with the credentials of AWS_ACCESS_KEY_ID".to_owned()
    } else if has(&["redirect", "Redirect", "301 Moved"]) {
        "the bucket is in another region; set AWS_REGION".to_owned()
    } else if has(&["error sending request", "onnection refused", "dns error", "timed out", "imeout"]) {
        format!("{} does not answer; is AWS_ENDPOINT_URL right?", shown_endpoint())
    } else {
        match code(&text) {
            Some(code) => format!("the store failed: {code}"),
            None => format!("the store failed{}", status(&text)),
        }
    };
    EngineError::Data(format!("{}: {why}", path.display()).into())
}

/// What may be said of an environment that no store can be reached by.
pub(super) fn of_settings(error: &Error) -> EngineError {
    let text = describe(error);
    let known = ["AWS_REGION", "AWS_ENDPOINT_URL", "AWS_ALLOW_HTTP"];
    let about = known.iter().find(|name| text.to_uppercase().contains(&name["AWS_".len()..]));
    let about = about.map(|name| format!(" ({name}?)")).unwrap_or_default();
    EngineError::bad(format!("the AWS_… variables of the environment do not describe a usable store{about}"))
}

/// An error and what it comes from.
fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

/// The code that S3 gives an error.
fn code(text: &str) -> Option<&str> {
    let (code, _) = text.split_once("<Code>")?.1.split_once("</Code>")?;
    (code.len() < 64 && code.chars().all(|c| c.is_ascii_alphanumeric())).then_some(code)
}

/// The status of an answer, if there was one.
fn status(text: &str) -> String {
    let after =
        text.split("status code: ").nth(1).or_else(|| text.split("status ").nth(1)).unwrap_or_default();
    let digits: String = after.chars().take_while(char::is_ascii_digit).take(3).collect();
    if digits.is_empty() { ", for an unknown reason".to_owned() } else { format!(" with status {digits}") }
}

/// The host that was asked. What stands before an @ is nobody's business.
fn shown_endpoint() -> String {
    let Some(endpoint) = endpoint() else { return "S3".to_owned() };
    let host = endpoint.split_once("://").map_or(endpoint.as_str(), |(_, rest)| rest);
    let host = host.split(['/', '?']).next().unwrap_or(host);
    host.rsplit('@').next().unwrap_or(host).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic(text: &str) -> Error {
        Error::Generic { store: "S3", source: text.to_owned().into() }
    }

    #[test]
    fn what_is_said_names_nobody() {
        let path = Path::new("s3://clinic/people.csv");
        let of = |error: Error| of_request(&error, path).to_string();
        let denied =
            "<Error><Code>InvalidAccessKeyId</Code><AWSAccessKeyId>AKIASECRET</AWSAccessKeyId></Error>";
        assert!(of(generic(denied)).contains("does not accept") && !of(generic(denied)).contains("AKIA"));
        let odd = "<Error><Code>SlowDown</Code><Message>AKIASECRET</Message></Error>";
        assert!(of(generic(odd)).ends_with("SlowDown"), "{}", of(generic(odd)));
        let absent = Error::NotFound { path: "x".into(), source: "<Code>NoSuchBucket</Code>".into() };
        assert!(of(absent).contains("no bucket 'clinic'"));
    }
}
