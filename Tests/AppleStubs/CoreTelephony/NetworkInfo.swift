// swift-format-ignore-file
/// https://developer.apple.com/documentation/coretelephony/cttelephonynetworkinfo
/// On iOS alone.
open class CTTelephonyNetworkInfo {
  public init() { fatalError() }
  open var serviceCurrentRadioAccessTechnology: [String: String]? { fatalError() }
}
