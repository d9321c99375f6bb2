extension SecretMask {
  /// A body that is not written in ASCII and more bytes, masked as UTF-8 would be; nil for one that is, and where nothing
  /// in it is secret.
  ///
  /// UTF-16 and UTF-32 stay what they are, so that what reads the body afterwards reads it by the same content type. Other
  /// charsets become UTF-8.
  func inOtherCharset(_ bytes: [UInt8], _ contentType: String?) -> [UInt8]? {
    let mark = Charset.mark(of: bytes)
    var charset = mark?.charset ?? Charset.wide(bytes)
    if charset == nil, let label = Charset.label(in: contentType) ?? Charset.declared(in: bytes) {
      // What is labelled so and is UTF-8 all the same is frequent.
      guard String(wellFormed: bytes, as: UTF8.self) == nil else { return nil }
      charset = Charset(label: label)
    }
    let start = mark?.length ?? 0
    guard let charset, charset != .utf8, let text = charset.text(of: bytes[start...], isStrict: false)
    else { return nil }
    let masked = marked(text, contentType)
    guard masked != text else { return nil }
    return charset.bytes(of: masked).map { bytes[..<start] + $0 } ?? masked
  }
}

extension Charset {
  /// Text that is given in UTF-8, in UTF-16 or UTF-32; nil for other charsets.
  fileprivate func bytes(of text: [UInt8]) -> [UInt8]? {
    let text = String(decoding: text, as: UTF8.self)
    func places(_ width: Int, _ isBigEndian: Bool) -> [Int] {
      (0..<width).map { 8 * (isBigEndian ? width - 1 - $0 : $0) }
    }
    switch self {
    case .utf8: return Array(text.utf8)
    case .utf16(let isBigEndian):
      return text.utf16.flatMap { unit in
        places(2, isBigEndian).map { UInt8(truncatingIfNeeded: unit >> $0) }
      }
    case .utf32(let isBigEndian):
      return text.unicodeScalars.flatMap { scalar in
        places(4, isBigEndian).map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
      }
    case .other: return nil
    }
  }
}
