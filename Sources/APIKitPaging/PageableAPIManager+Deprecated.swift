// Names of version 0.1, which go with version 0.3.
public import APIKit

extension PageableAPIManager {
  /// Renamed.
  @available(*, deprecated, renamed: "pages(_:loadsAhead:)")
  public func pages(for parameters: Parameters, loadsAhead: Bool = false) -> PageSequence {
    pages(parameters, loadsAhead: loadsAhead)
  }
}
