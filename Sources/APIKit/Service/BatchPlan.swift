/// How loads that ask for one thing each become one call for a list, whose answer is split back.
///
/// A service gives one for the APIs that have a list form (``APIService/batchPlan(for:)``). Loads with equal
/// ``key`` that are started within the ``window`` go together; each lands with its own part, fails and is
/// cancelled by itself, and the call ends when nobody waits for it. A load that stays alone makes its own
/// call. Only safe methods without a body of their own are put together, with the header fields of the
/// first.
///
/// ```swift
/// func batchPlan(for call: APICall) -> BatchPlan? {
///   call.apiName == "home" ? .byID("id", list: "homes", as: "ids", items: "items") : nil
/// }
/// ```
public struct BatchPlan: Sendable {
  /// Loads with equal keys go together, within one manager type; the default is the list's API name.
  public var key: String
  /// How long the first load waits for others; the default is 10 milliseconds.
  public var window: Duration = .milliseconds(10)
  /// With so many loads the call is made at once; the default is 50.
  public var maximumCount = 50
  /// The API of the list call.
  public var apiName: String
  /// Makes the parameters of the list call from those of the loads.
  public var merge: @Sendable ([Parameters]) -> Parameters
  /// Gives each load's part of the answer, in the order of the parameters; nil where there is none, which
  /// fails that load with ``APIError/Reason/missingFromBatch``.
  public var split: @Sendable (RawData, [Parameters]) -> [RawData?]

  /// Makes a plan.
  public init(
    apiName: String, merge: @escaping @Sendable ([Parameters]) -> Parameters,
    split: @escaping @Sendable (RawData, [Parameters]) -> [RawData?]
  ) {
    key = apiName
    self.apiName = apiName
    self.merge = merge
    self.split = split
  }

  /// The usual plan: one id in a parameter becomes an array of ids, and the items are told apart by theirs.
  ///
  /// - Parameters:
  ///   - parameter: The parameter with the id. The other parameters are part of the key and sent with the
  ///     list call, so that only loads that differ in nothing else go together.
  ///   - apiName: The API of the list call.
  ///   - listParameter: The parameter with the ids, each once.
  ///   - path: Where the items stand in the answer; empty for an answer that is the array itself.
  ///   - itemID: The key of an item's id; the default is the name of the parameter.
  public static func byID(
    _ parameter: String, list apiName: String, as listParameter: String, items path: String,
    itemID: String? = nil
  ) -> BatchPlan {
    let idKey = itemID ?? parameter
    @Sendable func text(_ value: ParameterValue?) -> String? {
      value?.string ?? value?.integer.map { String($0) }
    }
    return BatchPlan(apiName: apiName) { loads in
      var seen: Set<ParameterValue> = []
      let ids = loads.compactMap { $0[parameter] }.filter { seen.insert($0).inserted }
      var merged = loads.first?.removing([parameter]) ?? Parameters()
      merged[listParameter] = .array(ids)
      return merged
    } split: { raw, loads in
      let items = path.isEmpty ? raw : raw.at(path: path)
      var byID: [String: RawData] = [:]
      for item in items.elements { if let id = item[idKey].lenientString { byID[id] = item } }
      return loads.map { load in text(load[parameter]).flatMap { byID[$0] } }
    }
    .keyed(besides: parameter)
  }

  /// Which parameter does not belong to the key; nil when none does.
  private(set) var ownParameter: String?

  private func keyed(besides parameter: String) -> BatchPlan {
    var plan = self
    plan.ownParameter = parameter
    return plan
  }
}
