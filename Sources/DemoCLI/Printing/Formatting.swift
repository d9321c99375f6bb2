/// Formats numbers for people, alike on every machine.
enum Formatting {
  /// `$215,000`
  static func price(_ dollars: Int) -> String { (dollars < 0 ? "-$" : "$") + grouped(dollars.magnitude) }

  /// `1,656 sq ft`
  static func area(_ squareFeet: Int) -> String { grouped(squareFeet.magnitude) + " sq ft" }

  /// `2.5`, and `2` for 2.0.
  static func count(_ number: Double) -> String {
    number == number.rounded() && number.magnitude < 1e9 ? String(Int(number)) : String(number)
  }

  /// `1,234,567`
  static func grouped(_ number: UInt) -> String {
    let digits = String(number)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }
}
