import APIKit

extension HTTPURL {
  /// A URL as people type it: `:8080/path` is on this machine; without a scheme it is `https`, and `http` on this machine.
  ///
  /// - Parameter isSocket: Whether `ws` and `wss` are meant by `http` and `https`.
  init(typed text: String, isSocket: Bool = false) throws(UsageError) {
    var full = text
    let head = text.prefix { !"/?#".contains($0) }
    if head.count < 2 || !head.hasSuffix(":") || !text.dropFirst(head.count).hasPrefix("//") {
      let host = text.hasPrefix(":") ? "localhost" : String(head)
      let isHere = host == "localhost" || ["localhost:", "127.", "[::1]"].contains { host.hasPrefix($0) }
      // `:/path` has no port.
      let rest = text.hasPrefix(":/") || text == ":" ? text.dropFirst() : text[...]
      full = (isHere ? "http://" : "https://") + (text.hasPrefix(":") ? "localhost" : "") + rest
    }
    let schemes = isSocket ? ["ws", "wss", "http", "https"] : ["http", "https"]
    do throws(APIError) {
      let url = try HTTPURL(full)
      guard schemes.contains(url.scheme) else {
        throw APIError(
          .assembly, .invalidURL,
          "the URL begins with \(url.scheme), and not with \(schemes.joined(separator: ", "))")
      }
      self = url.scheme.hasPrefix("ws") ? try HTTPURL("http" + url.string.dropFirst(2)) : url
    } catch {
      throw UsageError(error.detail)
    }
  }
}
