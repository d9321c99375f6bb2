/// The generation of a mobile network, as far as the system tells it.
public enum CellularGeneration: Int, Sendable, Hashable, Comparable, CustomStringConvertible {
  /// GPRS, EDGE, CDMA 1x: some ten to some hundred kilobits per second.
  case second = 2
  /// UMTS, HSPA, EV-DO: some megabits per second.
  case third = 3
  /// LTE.
  case fourth = 4
  /// NR, with an LTE anchor or without.
  case fifth = 5

  /// Older ones are smaller.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// `4G` and the like.
  public var description: String { "\(rawValue)G" }

  /// The generation of a radio technology by the name that CoreTelephony gives it; nil for one that is not known.
  /// - SeeAlso: <https://developer.apple.com/documentation/coretelephony/radio-access-technology-constants>
  init?(radioAccess name: String) {
    switch name.hasPrefix("CTRadioAccessTechnology") ? String(name.dropFirst(23)) : name {
    case "GPRS", "Edge", "CDMA1x": self = .second
    case "WCDMA", "HSDPA", "HSUPA", "CDMAEVDORev0", "CDMAEVDORevA", "CDMAEVDORevB", "eHRPD": self = .third
    case "LTE": self = .fourth
    case "NRNSA", "NR": self = .fifth
    default: return nil
    }
  }
}
