extension String {
  /// The text of the code units; nil where they are not well-formed.
  ///
  /// It is the standard library's `init(validating:as:)`, which Apple's systems have from iOS 18 on.
  package init?<Encoding: Unicode.Encoding>(
    wellFormed units: some Sequence<Encoding.CodeUnit>, as encoding: Encoding.Type
  ) {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      self.init(validating: units, as: encoding)
    } else {
      self.init(transcoding: units, from: encoding)
    }
  }

  /// The same for older systems.
  init?<Encoding: Unicode.Encoding>(
    transcoding units: some Sequence<Encoding.CodeUnit>, from encoding: Encoding.Type
  ) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(units.underestimatedCount)
    let isMalformed = transcode(
      units.makeIterator(), from: encoding, to: UTF8.self, stoppingOnError: true, into: { bytes.append($0) })
    guard !isMalformed else { return nil }
    self.init(decoding: bytes, as: UTF8.self)
  }
}
