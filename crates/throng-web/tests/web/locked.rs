//! Servers that others can reach.

use throng_web::{Password, ServeOptions, WebServer};

use crate::client::serve;

#[tokio::test]
async fn others_need_a_certificate_and_a_password() {
    let dir = tempfile::tempdir().unwrap();
    let open = |password: Option<Password>| {
        let mut options = ServeOptions::new(dir.path());
        options.listen = "0.0.0.0:0".parse().unwrap();
        options.password = password;
        options
    };
    let refused = WebServer::bind(open(None)).await.unwrap_err().to_string();
    assert!(refused.contains("a certificate"), "{refused}");
    let refused =
        WebServer::bind(open(Some(Password::new("a long password").unwrap()))).await.unwrap_err().to_string();
    assert!(refused.contains("a certificate"), "{refused}");
    assert!(!dir.path().join(".throng").exists());
}

#[test]
fn a_password_is_asked_for_behind_the_token() {
    let served = serve(|options| options.password = Some(Password::new("a long password").unwrap()));
    let ask = |text: String| served.raw(text.as_bytes()).unwrap();
    let (address, token) = (served.address, &served.token);
    let page = ask(format!("GET /?token={token} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"));
    assert!(page.header("set-cookie").is_none() && page.body.contains("type=\"password\""), "{page:?}");
    let enter = |token: &str, password: &str| {
        let body = format!("token={token}&password={}", password.replace(' ', "+"));
        ask(format!(
            "POST /enter HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nConnection: close\r\nContent-Length: {}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n{body}",
            body.len()
        ))
    };
    assert_eq!(enter("wrong", "a long password").status, 401);
    assert_eq!(enter(token, "a wrong password").status, 401);
    std::thread::sleep(std::time::Duration::from_secs(1));
    let entered = enter(token, "a long password");
    assert!(entered.status == 303 && entered.header("set-cookie").is_some(), "{entered:?}");
}
