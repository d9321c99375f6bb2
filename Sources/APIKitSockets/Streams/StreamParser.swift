package import APIKit

/// Makes items of a stream of bytes, in pieces of any size. Neither reads nor waits.
package protocol StreamParser<Item>: Sendable {
  associatedtype Item: Sendable
  /// Takes the next bytes and appends what is complete with them.
  mutating func take(_ bytes: UnsafeRawBufferPointer, into items: inout [Item]) throws(APIError)
  /// The stream has ended in order.
  mutating func finish(into items: inout [Item]) throws(APIError)
  /// How many bytes an item keeps.
  func size(of item: Item) -> Int
  /// The shortest wait before the stream is opened again; nil where the server has named none.
  var retry: Duration? { get }
  /// The id behind which the next connection resumes; nil where there is none.
  var resumesAt: String? { get }
}

extension StreamParser {
  package var retry: Duration? { nil }
  package var resumesAt: String? { nil }

  static func tooLarge(_ what: String, _ limit: Int) -> APIError {
    APIError(.response, .responseTooLarge, "\(what) is larger than \(limit) bytes")
  }
}
