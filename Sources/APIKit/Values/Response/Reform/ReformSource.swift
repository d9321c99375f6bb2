/// The API that a response came from, so that one reformer can handle several.
public struct ReformSource: Sendable {
  /// The manager's type: `if source.managerType == RentListManager.self { … }`.
  public let managerType: any Any.Type
  /// The service's name.
  public let serviceName: String
  /// The API's name.
  public let apiName: String
  /// The parameters of the load, without the service's common ones.
  public let parameters: Parameters

  /// The flight that landed with it; nil for a source that was made by hand.
  public let flightID: FlightID?

  /// The options for decoding the response as a type: those of the manager, or else of its service. The default options
  /// for a source that was made by hand.
  public var decoding: RawData.DecodingOptions { boxedDecoding?.value ?? .default }
  /// The method of the load, for errors.
  package var method: HTTPMethod?
  var boxedDecoding: CopyOnWrite<RawData.DecodingOptions>?

  /// Makes a source, for tests of reformers.
  public init(
    managerType: any Any.Type, serviceName: String = "", apiName: String = "",
    parameters: Parameters = Parameters(), flightID: FlightID? = nil,
    decoding: RawData.DecodingOptions = .default
  ) {
    boxedDecoding = decoding.boxed
    self.flightID = flightID
    self.managerType = managerType
    self.serviceName = serviceName
    self.apiName = apiName
    self.parameters = parameters
  }

  /// Whether a reformer that does not ask for the flight makes the same of both.
  func isAlike(_ other: ReformSource) -> Bool {
    managerType == other.managerType && serviceName.equalsExactly(other.serviceName)
      && apiName.equalsExactly(other.apiName) && parameters == other.parameters
      && decoding.isAlike(other.decoding)
  }
}
