/// Dates as text in the form `2026-11-21T09:58:00Z`: years 0000 to 9999, written in UTC.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc3339#section-5.6>
package enum ISO8601 {
  /// Whether milliseconds are written.
  package enum Milliseconds {
    case never, always
    /// Only when they are not zero.
    case asNeeded
  }

  /// The text of a time in seconds since 1970, rounded down to the unit; nil outside the years 0000 to
  /// 9999.
  ///
  /// - Parameter isBasic: Whether it is `20261121T095800Z`.
  package static func text(
    secondsSince1970 seconds: Double, milliseconds: Milliseconds = .never, isBasic: Bool = false
  ) -> String? {
    let total =
      milliseconds == .never
      ? Int(exactly: seconds.rounded(.down) * 1000) : Self.milliseconds(secondsSince1970: seconds)
    guard let total else { return nil }
    let fraction = (total % 1000 + 1000) % 1000
    // Divided first: behind the lowest `Int`, which some programs write for no time, nothing can be taken away.
    let second = total / 1000 - (total % 1000 < 0 ? 1 : 0)
    guard CivilDate.range.contains(second) else { return nil }
    let date = CivilDate(secondsSince1970: second)
    let isExact = milliseconds == .always || fraction > 0
    return String(unsafeUninitializedCapacity: 24) { text in
      var end = 0
      func put(_ number: Int, digits: Int, _ mark: Unicode.Scalar?) {
        var rest = number
        for place in stride(from: end + digits - 1, through: end, by: -1) {
          text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        }
        end += digits
        guard let mark else { return }
        text[end] = UInt8(ascii: mark)
        end += 1
      }
      put(date.year, digits: 4, isBasic ? nil : "-")
      put(date.month, digits: 2, isBasic ? nil : "-")
      put(date.day, digits: 2, "T")
      put(date.hour, digits: 2, isBasic ? nil : ":")
      put(date.minute, digits: 2, isBasic ? nil : ":")
      put(date.second, digits: 2, isExact ? "." : "Z")
      if isExact { put(fraction, digits: 3, "Z") }
      return end
    }
  }

  /// The whole milliseconds since 1970, rounded down; nil for what no `Int` holds.
  package static func milliseconds(secondsSince1970 seconds: Double) -> Int? {
    // A `Date` stores binary fractions counted from 2001, so a whole millisecond may come out slightly too small: 0.07 seconds
    // must give 70 and not 69. A thousandth of one corrects that; centuries from 1970, where times are less exact, four units
    // in the last place do.
    let correction = min(max(0.001, seconds.ulp * 4000), 0.5)
    return Int(exactly: (seconds * 1000 + correction).rounded(.down))
  }

  /// The seconds since 1970 of `YYYY-MM-DD`, optionally followed by `T` or a space, `hh:mm`, `:ss`, a
  /// fraction, and `Z`, `±hh`, `±hhmm` or `±hh:mm`. Without an offset the time is UTC. Nil for other texts
  /// and for days that do not exist; a leap second counts as the second before it.
  package static func secondsSince1970(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    var text = DateScanner(text)
    guard let year = text.number(4), text.take("-"), let month = text.number(2), text.take("-"),
      let day = text.number(2)
    else { return nil }
    var date = CivilDate(year: year, month: month, day: day)
    var fraction = 0.0
    var offset = 0
    if !text.isAtEnd {
      guard text.take("T") || text.take("t") || text.take(" "), let hour = text.number(2), text.take(":"),
        let minute = text.number(2)
      else { return nil }
      (date.hour, date.minute) = (hour, minute)
      if text.take(":") {
        guard let second = text.number(2) else { return nil }
        date.second = second
        if text.take(".") || text.take(",") {
          guard let value = Self.fraction(&text) else { return nil }
          fraction = value
        }
      }
      guard let value = Self.offset(&text), text.isAtEnd else { return nil }
      offset = value
    }
    return date.secondsSince1970.map { Double($0 - offset) + fraction }
  }

  /// At least one digit; digits after the fifteenth are ignored.
  private static func fraction(_ text: inout DateScanner) -> Double? {
    let digits = min(text.digits, 15)
    guard digits > 0, let value = text.number(digits) else { return nil }
    while text.number(1) != nil {}
    return Double(value) / (0..<digits).reduce(1) { scale, _ in scale * 10 }
  }

  /// The offset from UTC in seconds; 0 when there is none.
  private static func offset(_ text: inout DateScanner) -> Int? {
    if text.isAtEnd || text.take("Z") || text.take("z") { return 0 }
    let isNegative = text.take("-")
    guard isNegative || text.take("+"), let hours = text.number(2), hours < 24 else { return nil }
    let minutes = text.take(":") || !text.isAtEnd ? text.number(2) : 0
    guard let minutes, minutes < 60 else { return nil }
    return (isNegative ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}
