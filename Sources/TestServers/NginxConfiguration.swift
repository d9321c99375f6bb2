import Foundation

/// The configuration and the files of a ``NginxServer``.
///
/// | path | response |
/// |---|---|
/// | `/echo` | JSON: method, URI, query, and the request header fields that the tests check |
/// | `/status/N` | status N with the JSON body `{"status": N}` (no body where N forbids one) |
/// | `/redirect/N` | status N (301, 302, 303, 307, 308) to `/echo` |
/// | `/redirect/loop` | 302 to itself |
/// | `/redirect/plain` | 302 to `/echo` of the plain site: another origin, seen from a TLS site |
/// | `/files/listing.json` | 20 rows, about 4 KB, gzip on request, `ETag` and `Last-Modified` |
/// | `/files/megabyte.bin` | 1 MiB, byte n is n modulo 251, ranges |
/// | `/slow/megabyte.bin` | the same at 64 KiB/s |
/// | `/put/NAME` | PUT and DELETE of a file |
/// | `/small` | a request body above 1 KiB is refused with 413 |
/// | `/basic` | asks for Basic credentials, `flight` and `landing` |
/// | `/cookie` | sets `gate=7` and `crew=ours; HttpOnly` |
/// | `/cache/fresh` | `max-age=60` |
/// | `/cache/none` | `no-store` |
/// | `/empty` | 200 with no bytes |
/// | `/not-json` | HTML declared as JSON |
/// | `/cut` | closes the connection without a response |
struct NginxConfiguration {
  let folder: URL
  let certificates: CertificateMatrix
  let ports: [NginxServer.Site: UInt16]
  let locations: String

  /// Writes `nginx.conf`, the served files and the password file into the folder.
  func write() throws {
    let files = folder.appendingPathComponent("files")
    for name in ["files/put", "temporary"] {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    let rows = (1...20).map { row in
      #"{"id": \#(row), "name": "Home number \#(row)", "city": "Sacramento", "price": \#(row * 12_500), "beds": \#(row % 5), "remark": "\#(String(repeating: "quiet ", count: 16))"}"#
    }
    let listing = #"{"total": 20, "items": [\#(rows.joined(separator: ", "))]}"#
    try listing.write(to: files.appendingPathComponent("listing.json"), atomically: false, encoding: .utf8)
    let megabyte = Data((0..<1_048_576).map { UInt8($0 % 251) })
    try megabyte.write(to: files.appendingPathComponent("megabyte.bin"))
    try "flight:{PLAIN}landing\n".write(
      to: folder.appendingPathComponent("passwords"), atomically: false, encoding: .utf8)
    try text.write(to: folder.appendingPathComponent("nginx.conf"), atomically: false, encoding: .utf8)
  }

  private var text: String {
    """
    # One process: nothing is left when it is killed, and no user has to be switched to.
    daemon off;
    master_process off;
    pid nginx.pid;
    error_log stderr warn;
    events { worker_connections 1024; }
    http {
      access_log off;
      types { application/json json; application/octet-stream bin; }
      default_type application/json;
      client_body_temp_path temporary/body;
      proxy_temp_path temporary/proxy;
      fastcgi_temp_path temporary/fastcgi;
      uwsgi_temp_path temporary/uwsgi;
      scgi_temp_path temporary/scgi;
      client_max_body_size 64m;
      keepalive_requests 1000000;
      gzip on;
      gzip_types application/json;
      gzip_min_length 200;
      absolute_redirect off;
      root .;
      add_header X-Connection $connection always;
      add_header X-Connection-Request $connection_requests always;
      add_header X-Protocol $server_protocol always;
    \(NginxServer.Site.allCases.map(server).joined(separator: "\n"))
    }

    """
  }

  private func server(_ site: NginxServer.Site) -> String {
    let listen = "127.0.0.1:\(ports[site] ?? 0)"
    let certificate: CertificateMatrix.Server = if case .tls(let shown) = site { shown } else { .good }
    let settings =
      switch site {
      case .plain: "listen \(listen);"
      case .plainHTTP2: "listen \(listen) http2;"
      case .http2: "listen \(listen) ssl http2;"
      default: "listen \(listen) ssl;"
      }
    let tls =
      switch site {
      case .plain, .plainHTTP2: ""
      // OpenSSL 3 accepts TLS 1.1 only at its lowest security level.
      case .onlyTLS11: "ssl_protocols TLSv1.1; ssl_ciphers DEFAULT:@SECLEVEL=0;"
      case .onlyTLS12: "ssl_protocols TLSv1.2;"
      case .onlyTLS13: "ssl_protocols TLSv1.3;"
      case .clientCertificate:
        "ssl_protocols TLSv1.2 TLSv1.3; ssl_client_certificate \(certificates.clientRoot.path); ssl_verify_client on;"
      default: "ssl_protocols TLSv1.2 TLSv1.3;"
      }
    let pair = """
      ssl_certificate \(certificates.certificate(certificate).path);
      ssl_certificate_key \(certificates.key(certificate).path);
      """
    return """
      server {
        \(settings)
        server_name _;
        \(site.isTLS ? pair : "")
        \(tls)
        \(served)
        \(locations)
      }
      """
  }

  private var served: String {
    let statuses = [
      200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 406, 409, 410, 415, 418, 422, 429, 500, 501, 502, 503,
      504,
    ].map { status in
      let body = status == 204 || status == 304 ? "" : " '{\"status\": \(status)}'"
      return "location = /status/\(status) { return \(status)\(body); }"
    }
    let redirects = [301, 302, 303, 307, 308].map { "location = /redirect/\($0) { return \($0) /echo; }" }
    let plain = ports[.plain] ?? 0
    let client = ports[.clientCertificate] ?? 0
    return """
      location = /echo {
        return 200 '{"method": "$request_method", "uri": "$request_uri", "query": "$args", "host": "$http_host", \
      "accept": "$http_accept", "userAgent": "$http_user_agent", "contentType": "$content_type", \
      "contentLength": "$content_length", "authorization": "$http_authorization", "cookie": "$http_cookie", \
      "client": "$ssl_client_s_dn", "sni": "$ssl_server_name"}';
      }
      \((statuses + redirects).joined(separator: "\n  "))
      location = /redirect/loop { return 302 /redirect/loop; }
      location = /redirect/plain { return 302 http://127.0.0.1:\(plain)/echo; }
      location = /redirect/client { return 302 https://localhost:\(client)/echo; }
      location /files/ { }
      location /slow/ { alias files/; limit_rate 64k; }
      location /put/ { alias files/put/; dav_methods PUT DELETE; }
      location = /small { client_max_body_size 1k; proxy_pass http://127.0.0.1:\(plain)/echo; }
      location = /basic {
        auth_basic "the tests"; auth_basic_user_file passwords; try_files /files/listing.json =404;
      }
      location = /cookie {
        add_header Set-Cookie "gate=7"; add_header Set-Cookie "crew=ours; HttpOnly"; return 200 '{"cookies": 2}';
      }
      location = /cache/fresh { add_header Cache-Control max-age=60; return 200 '{"cache": "fresh"}'; }
      location = /cache/none { add_header Cache-Control no-store; return 200 '{"cache": "none"}'; }
      location = /empty { return 200; }
      location = /not-json { return 200 '<html>no</html>'; }
      location = /cut { return 444; }
      """
  }
}
