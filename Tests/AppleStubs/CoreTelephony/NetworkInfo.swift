// swift-format-ignore-file
// CoreTelephony/CTTelephonyNetworkInfo.h, https://developer.apple.com/documentation/coretelephony/cttelephonynetworkinfo
// On iOS and Mac Catalyst alone.
open class CTTelephonyNetworkInfo {
  public init() { fatalError() }
  @available(iOS 12, *) open var serviceCurrentRadioAccessTechnology: [String: String]? { fatalError() }
}
