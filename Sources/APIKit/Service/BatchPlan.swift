/// How loads that each request one item become one call for a list, whose response is split into their
/// parts.
///
/// A service returns a plan for APIs that have a list form (``APIService/batchPlan(for:)``). Loads of one manager type,
/// environment and user with equal ``key``, header fields, timeouts and expected responses (but for their shape, which is that
/// of each part) are combined when they start within the ``window``. Each lands with its own part, and fails or is cancelled
/// separately; the call is cancelled when all of its loads are. A single load makes its own call. Only safe methods without a
/// body of their own are combined, unless ``includesUnsafeMethods`` is true, and only flights that do not report progress.
///
/// ```swift
/// func batchPlan(for call: APICall) -> BatchPlan? {
///   call.apiName == "home" ? .byID("id", list: "homes", as: "ids", items: "items") : nil
/// }
/// ```
public struct BatchPlan: Sendable {
  /// Only loads with equal keys are combined. The default is the name of the list API.
  public var key: String
  /// How long the first load waits for others; the default is 10 milliseconds.
  public var window: Duration = .milliseconds(10)
  /// Whether loads that come during a call for the same ``key`` wait for its end and are then sent as one; the default is
  /// false. The ``window`` counts for the first load after a quiet time only.
  ///
  /// So there is one call at a time, and the slower the server the larger the calls. A batch that is full does not wait.
  public var gathersWhileFlying = false
  /// Whether loads with methods that are not safe (POST, PUT, PATCH, DELETE) are combined too; the default is false.
  ///
  /// State it if the server takes a list of changes and returns a result for each. The call has the loads' method, which
  /// also decides whether a failed call is retried.
  public var includesUnsafeMethods = false
  /// The number of loads at which the call is made without further waiting; the default is 50.
  public var maximumCount = 50
  /// The API of the list call.
  public var apiName: String
  /// Makes the parameters of the list call from those of the loads.
  public var merge: @Sendable ([Parameters]) -> Parameters
  /// Returns each load's part of the response, in the order of the parameters. A nil fails that load with
  /// ``APIError/Reason/missingFromBatch``.
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

  /// The usual plan: the ids of the loads become one array of ids, and the items of the response are
  /// assigned by their id.
  ///
  /// - Parameters:
  ///   - parameter: The parameter with the id. The other parameters are part of the key and sent with the
  ///     list call, so only loads that differ in nothing else are combined.
  ///   - apiName: The API of the list call.
  ///   - listParameter: The parameter with the ids, each once.
  ///   - path: The path of the items in the response; empty when the response is the array itself.
  ///   - itemID: The key of an item's id; the default is the name of the parameter.
  public static func byID(
    _ parameter: String, list apiName: String, as listParameter: String, items path: String,
    itemID: String? = nil
  ) -> BatchPlan {
    let idKey = itemID ?? parameter
    @Sendable func text(_ value: ParameterValue?) -> String? {
      value?.string ?? value?.integer.map { String($0) }
    }
    var plan = BatchPlan(apiName: apiName) { loads in
      var seen: Set<ParameterValue> = []
      let ids = loads.compactMap { $0[parameter] }.filter { seen.insert($0).inserted }
      var merged = loads.first?.removing([parameter]) ?? Parameters()
      merged[listParameter] = .array(ids)
      return merged
    } split: { raw, loads in
      let items = path.isEmpty ? raw : raw.at(path: path)
      var byID: [ExactText: RawData] = [:]
      for item in items.elements { if let id = item[idKey].lenientString { byID[ExactText(id)] = item } }
      return loads.map { load in text(load[parameter]).flatMap { byID[ExactText($0)] } }
    }
    plan.ownParameter = parameter
    return plan
  }

  /// The parameter that is not part of the key; nil when there is none.
  private(set) var ownParameter: String?
}
