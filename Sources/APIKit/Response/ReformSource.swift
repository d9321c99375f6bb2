/// Which API a landing came from, so that one reformer can standardise several.
public struct ReformSource: Sendable {
  /// The manager's type: `if source.managerType == RentListManager.self { … }`.
  public let managerType: any Any.Type
  /// The service's name.
  public let serviceName: String
  /// The API's name.
  public let apiName: String
  /// The parameters that were sent for it.
  public let parameters: Parameters

  /// The flight that brought it; nil for a source that was made by hand.
  public let flightID: FlightID?

  /// Makes a source; useful in tests of reformers.
  public init(
    managerType: any Any.Type, serviceName: String = "", apiName: String = "",
    parameters: Parameters = Parameters(), flightID: FlightID? = nil
  ) {
    self.flightID = flightID
    self.managerType = managerType
    self.serviceName = serviceName
    self.apiName = apiName
    self.parameters = parameters
  }
}
