/// Dates of ISO 8601 as services write them, without a formatter.
enum RawDate {
  /// Seconds since 1970 of `YYYY-MM-DD`, optionally followed by `T` or a space, `hh:mm`, `:ss`, a fraction,
  /// and `Z`, `±hh`, `±hhmm` or `±hh:mm`. Without an offset the time is UTC. Nil for anything else, and for
  /// days that the calendar does not have; a leap second counts as the second before it.
  static func secondsSince1970(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    var reader = Reader(text: text)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
      let day = reader.number(2), let days = days(year, month, day)
    else { return nil }
    let midnight = Double(days * 86_400)
    if reader.isAtEnd { return midnight }
    guard reader.take("T") || reader.take("t") || reader.take(" "), let hour = reader.number(2),
      reader.take(":"), let minute = reader.number(2), hour < 24, minute < 60
    else { return nil }
    var second = 0
    var fraction = 0.0
    if reader.take(":") {
      guard let value = reader.number(2), value <= 60 else { return nil }
      second = min(value, 59)
      if reader.take(".") || reader.take(",") {
        guard let value = reader.fraction() else { return nil }
        fraction = value
      }
    }
    guard let offset = reader.offset(), reader.isAtEnd else { return nil }
    return midnight + Double(hour * 3600 + minute * 60 + second - offset) + fraction
  }

  /// `2026-03-01T08:30:00Z`, with a fraction of milliseconds where there is one.
  static func text(secondsSince1970 seconds: Double) -> String? {
    let milliseconds = (seconds * 1000).rounded()
    // The years 0000 to 9999.
    guard milliseconds >= -62_167_219_200_000, milliseconds < 253_402_300_800_000 else { return nil }
    let total = Int(milliseconds)
    let day = Int((Double(total) / 86_400_000).rounded(.down))
    let rest = total - day * 86_400_000
    let (year, month, dayOfMonth) = date(day)
    func padded(_ value: Int, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let fraction = rest % 1000 == 0 ? "" : "." + padded(rest % 1000, 3)
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2) + "T"
      + padded(rest / 3_600_000, 2) + ":" + padded(rest / 60_000 % 60, 2) + ":"
      + padded(rest / 1000 % 60, 2) + fraction + "Z"
  }

  /// Days from 1970-01-01 in the proleptic Gregorian calendar, counted in eras of 400 years that begin in
  /// March. See <https://howardhinnant.github.io/date_algorithms.html>.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    guard (1...12).contains(month), day >= 1 else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    guard day <= length else { return nil }
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The inverse of `days`.
  private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
  }

  private struct Reader {
    let text: UnsafeBufferPointer<UInt8>
    var index = 0

    var isAtEnd: Bool { index == text.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    /// A number of exactly so many digits.
    mutating func number(_ digits: Int) -> Int? {
      guard index + digits <= text.count else { return nil }
      var value = 0
      for _ in 0..<digits {
        let digit = text[index] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        value = value * 10 + Int(digit)
        index += 1
      }
      return value
    }

    /// At least one digit; those beyond the fifteenth do not count.
    mutating func fraction() -> Double? {
      let start = index
      var value = 0
      var scale = 1
      while index < text.count, text[index] &- UInt8(ascii: "0") < 10 {
        if index - start < 15 {
          value = value * 10 + Int(text[index] &- UInt8(ascii: "0"))
          scale *= 10
        }
        index += 1
      }
      return index > start ? Double(value) / Double(scale) : nil
    }

    /// The offset from UTC in seconds; none is UTC.
    mutating func offset() -> Int? {
      if isAtEnd || take("Z") || take("z") { return 0 }
      let isNegative = take("-")
      guard isNegative || take("+"), let hours = number(2), hours < 24 else { return nil }
      var minutes = 0
      if take(":") || !isAtEnd {
        guard let value = number(2), value < 60 else { return nil }
        minutes = value
      }
      return (isNegative ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
  }
}
