/// Dates in header fields: `Sat, 21 Nov 2026 10:20:00 GMT`.
///
/// It reads exactly the three forms that a recipient must accept, with names in either case, as RFC 9111,
/// 4.2, advises.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7>
package enum HTTPDate {
  static let weekdays = CivilDate.weekdays.map { String($0.prefix(3)) }

  /// The seconds since 1970 of a date in one of the three forms; nil for other texts.
  ///
  /// - Parameter now: The present, in seconds since 1970. The obsolete form has years of two digits: a year
  ///   more than 50 years ahead is taken as the past one with the same digits (RFC 9110, 5.6.7).
  package static func secondsSince1970(_ text: String, now: Double = WallClock.now) -> Double? {
    var text = text
    return text.withUTF8 { bytes in
      var scanner = DateScanner(bytes)
      guard let date = read(&scanner, now: now), scanner.isAtEnd else { return nil }
      return date.secondsSince1970.map { Double($0) }
    }
  }

  private static func read(_ text: inout DateScanner, now: Double) -> CivilDate? {
    var date = CivilDate(year: 0, month: 0, day: 0)
    let isLong = text.take(oneOf: CivilDate.weekdays) != nil
    guard isLong || text.take(oneOf: weekdays) != nil else { return nil }
    if text.take(","), text.take(" ") {
      // `06 Nov 1994 08:49:37 GMT` or `06-Nov-94 08:49:37 GMT`
      let mark: Unicode.Scalar = isLong ? "-" : " "
      guard let day = text.number(2), text.take(mark), let month = text.take(oneOf: CivilDate.months),
        text.take(mark), let year = text.number(isLong ? 2 : 4), text.take(" "), text.time(into: &date),
        text.take(oneOf: [" GMT"]) != nil
      else { return nil }
      (date.year, date.month, date.day) = (isLong ? fullYear(year, now: now) : year, month + 1, day)
    } else {
      // `Nov  6 08:49:37 1994`
      guard !isLong, text.take(" "), let month = text.take(oneOf: CivilDate.months), text.take(" "),
        let day = text.take(" ") ? text.number(1) : text.number(2), text.take(" "), text.time(into: &date),
        text.take(" "), let year = text.number(4)
      else { return nil }
      (date.year, date.month, date.day) = (year, month + 1, day)
    }
    return date
  }

  private static func fullYear(_ year: Int, now: Double) -> Int {
    let present = 1970 + Int(now / 31_556_952)
    let candidate = present - present % 100 + year
    return candidate > present + 50 ? candidate - 100 : candidate
  }
}
