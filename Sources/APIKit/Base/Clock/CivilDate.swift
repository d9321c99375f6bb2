/// A date and a time of day in UTC, in the proleptic Gregorian calendar, years 0000 to 9999.
///
/// The one calendar for all text forms: header fields (``HTTPDate``), cookies (``CookieDate``) and
/// ``ISO8601``.
/// - SeeAlso: <https://howardhinnant.github.io/date_algorithms.html>
struct CivilDate {
  var year: Int
  var month: Int
  var day: Int
  var hour = 0
  var minute = 0
  var second = 0

  /// The seconds since 1970 that fall into the years 0000 to 9999.
  static let range = -62_167_219_200..<253_402_300_800
  /// Days are counted from 1 March of the year -400: leap days come last in their year, and no number is
  /// negative.
  private static let daysBefore1970 = 719_468 + 146_097

  static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// The seconds since 1970; nil for a day or time that does not exist. A leap second counts as the second
  /// before it.
  var secondsSince1970: Int? {
    guard (0...9999).contains(year), (1...12).contains(month), day >= 1, hour < 24, minute < 60, second <= 60
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let length = month == 2 ? (isLeap ? 29 : 28) : 30 + (month + month / 8) % 2
    guard day <= length else { return nil }
    let years = year + 400 - (month <= 2 ? 1 : 0)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let days = years * 365 + years / 4 - years / 100 + years / 400 + dayOfYear - Self.daysBefore1970
    return days * 86_400 + hour * 3600 + minute * 60 + min(second, 59)
  }
}

extension CivilDate {
  /// The date of a time in ``range``.
  init(secondsSince1970 seconds: Int) {
    let total = seconds + Self.daysBefore1970 * 86_400
    let (days, time) = (total / 86_400, total % 86_400)
    // Every era of 400 years has the same number of days.
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * dayOfYear + 2) / 153
    month = (fromMarch + 2) % 12 + 1
    year = days / 146_097 * 400 + yearOfEra - 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * fromMarch + 2) / 5 + 1
    (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60)
  }
}

/// Reads the text of a date from left to right.
struct DateScanner {
  private let text: UnsafeBufferPointer<UInt8>
  private var index = 0

  init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  var isAtEnd: Bool { index == text.count }

  /// The number of digits that follow.
  var digits: Int { text[index...].prefix { $0 &- UInt8(ascii: "0") < 10 }.count }

  /// Reads one character; false when another follows.
  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard index < text.count, text[index] == UInt8(ascii: mark) else { return false }
    index += 1
    return true
  }

  /// Reads one of several texts, in any case, and returns its index; nil when none follows.
  mutating func take(oneOf names: [String]) -> Int? {
    let place = names.firstIndex { name in
      text.count - index >= name.utf8.count
        && zip(name.utf8, text[index...]).allSatisfy { name, byte in
          name == byte || ((0x61...0x7A).contains(byte | 0x20) && name | 0x20 == byte | 0x20)
        }
    }
    if let place { index += names[place].utf8.count }
    return place
  }

  /// Reads a number of exactly this many digits.
  mutating func number(_ count: Int) -> Int? {
    guard text.count - index >= count else { return nil }
    var number = 0
    for offset in index..<index + count {
      let digit = text[offset] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      number = number * 10 + Int(digit)
    }
    index += count
    return number
  }

  /// Reads a time of day, such as `08:49:37`.
  mutating func time(into date: inout CivilDate) -> Bool {
    guard let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2) else {
      return false
    }
    (date.hour, date.minute, date.second) = (hour, minute, second)
    return true
  }
}
