// Apple platforms only; not compiled on Linux, where the project is tested.
#if canImport(Darwin)
  import Foundation

  extension Charset {
    /// Converts with Foundation; nil when it does not know the charset, or when a sequence cannot be read: there is no
    /// other text then, also without `isStrict`, except that such text is read as windows-1252.
    static func convert(_ bytes: ArraySlice<UInt8>, from name: String, isStrict: Bool) -> [UInt8]? {
      let encoding = CFStringConvertIANACharSetNameToEncoding(ianaName(name) as CFString)
      guard encoding != kCFStringEncodingInvalidId else { return nil }
      let raw = CFStringConvertEncodingToNSStringEncoding(encoding)
      if let text = String(data: Data(bytes), encoding: String.Encoding(rawValue: raw)) {
        return Array(text.utf8)
      }
      guard !isStrict else { return nil }
      return String(data: Data(bytes), encoding: .windowsCP1252).map { Array($0.utf8) }
    }

    /// The name in the registry of IANA.
    private static func ianaName(_ name: String) -> String {
      switch name {
      case "CP932": "windows-31j"
      case "CP949": "ks_c_5601-1987"
      case "EUC-JP-MS": "euc-jp"
      case "CP874": "windows-874"
      case let page where page.hasPrefix("CP125"): "windows-" + page.dropFirst(2)
      default: name
      }
    }
  }
#endif
