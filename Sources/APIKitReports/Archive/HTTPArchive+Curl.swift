import APIKit

extension HTTPArchive.Request {
  /// The request as a curl command, quoted for a POSIX shell; nil for a URL that cannot be read.
  ///
  /// Secrets are marks in it, as they are in the archive. Of a body that was cut it has the beginning, and of one that was not
  /// kept nothing.
  public var curlCommand: String? {
    guard let target = try? HTTPURL(url) else { return nil }
    var request = HTTPRequest(method: method, url: target, headers: headers)
    // curl makes them of the URL and of the body.
    for name in ["Host", "Content-Length"] { request.headers.remove(name) }
    if let bytes = body.bytes, !bytes.isEmpty { request.body = .bytes(bytes) }
    return request.curlCommand()
  }
}
