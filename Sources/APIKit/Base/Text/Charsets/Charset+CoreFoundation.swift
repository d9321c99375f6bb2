// Apple platforms only; not compiled on Linux, where the project is tested.
#if canImport(Darwin)
  import Foundation

  /// Converts whole sequences of one charset with Foundation.
  final class CharsetConverter {
    private let encoding: String.Encoding

    /// Nil for a charset that the system does not know.
    init?(_ name: String) {
      let encoding = CFStringConvertIANACharSetNameToEncoding(Self.ianaName(name) as CFString)
      guard encoding != kCFStringEncodingInvalidId else { return nil }
      self.encoding = String.Encoding(rawValue: CFStringConvertEncodingToNSStringEncoding(encoding))
    }

    /// The text; nil where a sequence cannot be read: Foundation has no other text then, also without `isStrict`.
    func text(of bytes: some Collection<UInt8>, isStrict: Bool) -> [UInt8]? {
      String(data: Data(bytes), encoding: encoding).map { Array($0.utf8) }
    }

    /// The name in the registry of IANA.
    private static func ianaName(_ name: String) -> String {
      switch name {
      case "CP932": "windows-31j"
      case "CP949": "ks_c_5601-1987"
      case "EUC-JP-MS": "euc-jp"
      case "CP874": "windows-874"
      case "MAC-UK": "x-mac-cyrillic"
      case let page where page.hasPrefix("CP125"): "windows-" + page.dropFirst(2)
      default: name
      }
    }
  }
#endif
