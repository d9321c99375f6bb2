/// Reads the date of a cookie's `Expires`, in the many forms that servers send.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc6265#section-5.1.1>
enum CookieDate {
  /// Seconds since 1970; nil when the text has no complete date.
  static func parse(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { bytes in
      var (time, day, month, year): ([Int]?, Int?, Int?, Int?)
      for token in bytes.split(whereSeparator: isDelimiter) {
        var scanner = DateScanner(UnsafeBufferPointer(rebasing: token))
        let digits = scanner.digits
        if time == nil, let found = readTime(scanner) {
          time = found
        } else if day == nil, (1...2).contains(digits) {
          day = scanner.number(digits)
        } else if month == nil, let found = scanner.take(oneOf: CivilDate.months) {
          month = found + 1
        } else if year == nil, (2...4).contains(digits) {
          year = scanner.number(digits)
        }
      }
      guard let time, let day, let month, var year else { return nil }
      if year < 100 { year += year < 70 ? 2000 : 1900 }
      guard year >= 1601, time[2] < 60 else { return nil }
      let date = CivilDate(
        year: year, month: month, day: day, hour: time[0], minute: time[1], second: time[2])
      return date.secondsSince1970.map { Int64($0) }
    }
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// Hour, minute and second of one or two digits each; nil when the token has more or fewer fields.
  private static func readTime(_ token: DateScanner) -> [Int]? {
    var token = token
    var fields: [Int] = []
    repeat {
      guard (1...2).contains(token.digits), let field = token.number(token.digits) else { return nil }
      fields.append(field)
    } while token.take(":")
    return fields.count == 3 ? fields : nil
  }
}
