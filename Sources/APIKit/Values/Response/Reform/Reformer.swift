/// A mapper: turns raw data into values for a view.
///
/// The object that shows the data chooses it: several reformers can serve one API, and one reformer can
/// give several APIs the same output, by checking the source. It runs on the caller's thread, so it is
/// `Sendable` and keeps no state. A reformer of long lists should check `Task.isCancelled` from time to
/// time. Ready-made reformers are in the Reformers product.
public protocol Reformer<Output>: Sendable {
  /// The type of the output: rows, points, a string, a view model.
  associatedtype Output: Sendable

  /// Makes the output from the data of one landing.
  ///
  /// - Parameters:
  ///   - raw: The data; read only the leaves you need.
  ///   - source: The API that the data came from.
  /// - Throws: Any error; reading with `require` throws an ``APIError`` that names the path.
  func reform(_ raw: RawData, from source: ReformSource) throws -> Output
}
