/// Points in time as text in the form `2026-11-21T09:58:00Z`: UTC, years 0000 to 9999.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc3339#section-5.6>
enum ISO8601 {
  /// The text of a time in seconds since 1970, rounded down to the unit; nil beyond the years of four digits.
  static func text(secondsSince1970 seconds: Double, milliseconds: Bool = false) -> String? {
    guard seconds.isFinite, seconds >= -62_167_219_200, seconds < 253_402_300_800 else { return nil }
    // Milliseconds are rounded to a thousandth of their own first: 0.07 seconds is 70 of them, not 69.
    let total =
      milliseconds ? Int((seconds * 1000 + 0.001).rounded(.down)) : Int(seconds.rounded(.down)) * 1000
    let second = floorDivide(total, 1000)
    let day = floorDivide(second, 86_400)
    let time = second - day * 86_400
    let (year, month, date) = civil(day: day)
    return String(unsafeUninitializedCapacity: 24) { target in
      var out = 0
      func put(_ value: Int, digits: Int) {
        var rest = value
        for place in stride(from: digits - 1, through: 0, by: -1) {
          target[out + place] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        }
        out += digits
      }
      func put(_ mark: Unicode.Scalar) {
        target[out] = UInt8(ascii: mark)
        out += 1
      }
      put(year, digits: 4)
      put("-")
      put(month, digits: 2)
      put("-")
      put(date, digits: 2)
      put("T")
      put(time / 3600, digits: 2)
      put(":")
      put(time / 60 % 60, digits: 2)
      put(":")
      put(time % 60, digits: 2)
      if milliseconds {
        put(".")
        put(total - second * 1000, digits: 3)
      }
      put("Z")
      return out
    }
  }

  private static func floorDivide(_ value: Int, _ by: Int) -> Int {
    value >= 0 ? value / by : -((-value + by - 1) / by)
  }

  /// The Gregorian date of a day counted from 1 January 1970, reckoned in eras of 400 years from 1 March 0000.
  private static func civil(day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }
}
