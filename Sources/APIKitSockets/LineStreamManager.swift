public import APIKit

/// The statements of a subclass of ``BaseLineStreamManager`` about its stream of values (NDJSON).
///
/// Only `service` and `apiName` are required; the comment of every other member names its default.
///
/// ```swift
/// final class PriceLineManager: BaseLineStreamManager, LineStreamManager {
///   let service = Homes.shared
///   let apiName = "lines"
/// }
/// ```
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc7464>
@MainActor public protocol LineStreamManager: BaseLineStreamManager, StreamManager {
  /// Whether a stream that is lost is opened again, from its beginning. The default is ``ReconnectPolicy/never``. The
  /// orderly end of a response is the end.
  var reconnection: ReconnectPolicy { get }
  /// How the values are separated. The default is ``LineFormat/lines``.
  var format: LineFormat { get }
  /// Whether a line that cannot be read is delivered with its number and its fault; the default, false, ends the stream
  /// with that error.
  var deliversBadLines: Bool { get }
  /// The most bytes of a line. The default is 16 MiB.
  var maximumLineBytes: Int { get }
}

extension LineStreamManager {
  /// Never.
  public var reconnection: ReconnectPolicy { .never }
  /// A value in each line.
  public var format: LineFormat { .lines }
  /// A bad line ends the stream.
  public var deliversBadLines: Bool { false }
  /// 16 MiB.
  public var maximumLineBytes: Int { 16 << 20 }

  /// Opens the stream; the delegate gets the events. A stream that is open is ended first. Of several
  /// calls meanwhile only the last one opens a stream, and each of the others gets its
  /// `didCloseWith`.
  /// - Parameter parameters: Sent in the URL, or with POST in the body. None by default.
  public func open(_ parameters: Parameters = Parameters()) {
    begin(parameters, reconnection, for: presentUser)
  }

  func checkStatements() throws(APIError) {
    try checkStatements(
      streamStatements + [
        StatedMember("format", format), StatedMember("deliversBadLines", deliversBadLines),
        StatedMember("maximumLineBytes", maximumLineBytes),
      ], of: "LineStreamManager", below: BaseLineStreamManager.self)
  }
}

/// The delegate of a stream of values: receives its lines on the main actor, in order.
///
/// For each `open`: at most one `didOpenWith` for a connection, one `didDisconnectWith` for each lost connection that
/// another one follows, and exactly one `didCloseWith`, last.
@MainActor public protocol LineStreamDelegate: AnyObject {
  /// The stream is open: the first time (`number` 1), or again. The default does nothing.
  func lines(_ manager: BaseLineStreamManager, didOpenWith response: HTTPResponse, number: Int)
  /// A value was received, or a line that cannot be read.
  func lines(_ manager: BaseLineStreamManager, didReceive line: StreamLine)
  /// A connection was lost, and another one follows in a while. The default does nothing.
  func lines(
    _ manager: BaseLineStreamManager, didDisconnectWith closing: StreamClosing, retryAfter wait: Duration)
  /// The stream has ended, or could not be opened.
  func lines(_ manager: BaseLineStreamManager, didCloseWith closing: StreamClosing)
}

extension LineStreamDelegate {
  /// Does nothing.
  public func lines(_ manager: BaseLineStreamManager, didOpenWith response: HTTPResponse, number: Int) {}
  /// Does nothing.
  public func lines(
    _ manager: BaseLineStreamManager, didDisconnectWith closing: StreamClosing, retryAfter wait: Duration
  ) {}
}
