/// Points in time as they stand in header fields: `Sat, 21 Nov 2026 10:20:00 GMT`.
///
/// Reads all three forms that a recipient must accept, and writes the one that a sender must use.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7>
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  /// The seconds since 1970 of a date in any of the three forms; nil for what is none.
  ///
  /// - Parameter now: The present, in seconds since 1970. The obsolete form has years of two digits: one
  ///   that would lie more than 50 years ahead is the past one (RFC 9110, 5.6.7).
  static func secondsSince1970(_ text: String, now: Double = WallClock.now) -> Double? {
    var parts = text.utf8.split { " ,-".utf8.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
    guard parts.count >= 5, weekdays.contains(where: { parts[0].hasPrefix($0) }) else { return nil }
    parts.removeFirst()
    let isAsctime = months.contains(parts[0])
    guard let month = months.firstIndex(of: parts[isAsctime ? 0 : 1]),
      let day = number(parts[isAsctime ? 1 : 0], digits: 1...2), (1...31).contains(day)
    else { return nil }
    let time = parts[isAsctime ? 2 : 3].split(separator: ":").map { number(String($0), digits: 2...2) }
    guard time.count == 3, let hour = time[0], let minute = time[1], let second = time[2],
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let yearText = parts[isAsctime ? 3 : 2]
    guard var year = number(yearText, digits: 2...4), yearText.utf8.count != 3 else { return nil }
    if yearText.utf8.count == 2 { year = fullYear(year, now: now) }
    guard isAsctime ? parts.count == 4 : parts.count == 5 && parts[4] == "GMT" else { return nil }
    let days = daysSince1970(year: year, month: month + 1, day: day)
    return Double(days * 86_400 + hour * 3600 + minute * 60 + second)
  }

  /// A time as an IMF-fixdate, rounded down to seconds.
  static func text(secondsSince1970 seconds: Double) -> String {
    let second = Int(seconds.rounded(.down))
    // The ISO form has the calendar's arithmetic already: `2026-11-21T10:20:00Z`.
    guard let iso = ISO8601.text(secondsSince1970: seconds) else { return "Thu, 01 Jan 1970 00:00:00 GMT" }
    let digits = Array(iso.utf8)
    func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
    let day = second >= 0 ? second / 86_400 : -((-second + 86_399) / 86_400)
    let weekday = weekdays[((day + 4) % 7 + 7) % 7]
    let month = months[(number(part(5..<7), digits: 2...2) ?? 1) - 1]
    return "\(weekday), \(part(8..<10)) \(month) \(part(0..<4)) \(part(11..<19)) GMT"
  }

  private static func number(_ text: String, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(text)
  }

  private static func fullYear(_ year: Int, now: Double) -> Int {
    let present = 1970 + Int(now / 31_556_952)
    let candidate = present - present % 100 + year
    return candidate > present + 50 ? candidate - 100 : candidate
  }

  /// Days from 1 January 1970, reckoned in eras of 400 years from 1 March 0000.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
