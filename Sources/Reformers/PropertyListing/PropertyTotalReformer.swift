public import APIKit

/// Reads how many homes there are in all, over all pages; nil when the service does not state it.
public struct PropertyTotalReformer: Reformer {
  /// Makes the reformer.
  public init() {}

  /// The number.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> Int? {
    try raw.at(try Self.paths.value(for: source, what: "path of the total")).optional(Int.self)
  }

  private static let paths = SourceTable<RawPath>([
    .service(PropertyService.sacramento): "data.total",
    .service(PropertyService.ames): "result.count",
    .service(PropertyService.newHomes): "xf_total",
  ])
}
