@testable import APIKit

extension HTTPDate {
  /// A time as an IMF-fixdate, rounded down to seconds; what servers send.
  static func text(secondsSince1970 seconds: Double) -> String {
    let second = Int(seconds.rounded(.down))
    let date = CivilDate(secondsSince1970: second)
    // 1 January of the year 0000 was a Saturday.
    let weekday = weekdays[((second + 62_167_219_200) / 86_400 + 6) % 7]
    func padded(_ number: Int, _ digits: Int = 2) -> String {
      let text = String(number)
      return String(repeating: "0", count: digits - text.count) + text
    }
    let day = "\(padded(date.day)) \(CivilDate.months[date.month - 1]) \(padded(date.year, 4))"
    return "\(weekday), \(day) \(padded(date.hour)):\(padded(date.minute)):\(padded(date.second)) GMT"
  }
}
