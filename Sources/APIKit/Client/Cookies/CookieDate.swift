/// The date of a cookie's `Expires`, in the many forms that servers write.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc6265#section-5.1.1>
enum CookieDate {
  /// Seconds since 1970; nil when the text holds no whole date.
  static func parse(_ text: String) -> Int64? {
    var time: (hour: Int, minute: Int, second: Int)?
    var day: Int?
    var month: Int?
    var year: Int?
    for token in text.utf8.split(whereSeparator: isDelimiter) {
      if time == nil, let found = readTime(token) {
        time = found
      } else if day == nil, let found = number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = readMonth(token) {
        month = found
      } else if year == nil, let found = number(token, digits: 2...4) {
        year = found
      }
    }
    guard let time, let day, let month, var year else { return nil }
    if (70...99).contains(year) { year += 1900 }
    if (0...69).contains(year) { year += 2000 }
    guard (1...31).contains(day), year >= 1601, time.hour <= 23, time.minute <= 59, time.second <= 59 else {
      return nil
    }
    return days(year, month, day) * 86_400 + Int64(time.hour * 3600 + time.minute * 60 + time.second)
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// A number of so many digits; what follows the digits must not be a digit.
  private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
    let run = token.prefix { (0x30...0x39).contains($0) }
    guard digits.contains(run.count) else { return nil }
    return Int(String(run) ?? "")
  }

  private static func readTime(_ token: Substring.UTF8View) -> (Int, Int, Int)? {
    let fields = token.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard fields.count == 3, let hour = Int(String(fields[0]) ?? ""), fields[0].count <= 2,
      let minute = Int(String(fields[1]) ?? ""), fields[1].count <= 2,
      let second = number(fields[2], digits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }

  private static func readMonth(_ token: Substring.UTF8View) -> Int? {
    let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    guard let start = String(token.prefix(3)) else { return nil }
    return names.firstIndex(of: start.lowercased()).map { $0 + 1 }
  }

  /// Days since 1970 in the Gregorian calendar, by counting years from March so that a leap day comes last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return Int64(era * 146_097 + dayOfEra - 719_468)
  }
}
