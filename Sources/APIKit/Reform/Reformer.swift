/// Turns raw data into what a view can use at once.
///
/// Chosen by whoever shows the data: several reformers can show one API, and one reformer can standardise
/// several APIs by looking at the source. Runs wherever it is called from, so it is `Sendable` and keeps no
/// state; a reformer of long lists should look at `Task.isCancelled` now and then. Ready-made ones are in
/// the Reformers product.
public protocol Reformer<Output>: Sendable {
  /// What the view uses: rows, points, a string, a view model.
  associatedtype Output: Sendable

  /// Makes the output of the data of one landing.
  ///
  /// - Parameters:
  ///   - raw: The data; read only the leaves you need.
  ///   - source: Which API it came from.
  /// - Throws: Anything; reading with `require` throws an ``APIError`` that names the path.
  func reform(_ raw: RawData, from source: ReformSource) throws -> Output
}
