import Foundation

/// International domain names in the ASCII form that travels (RFC 3492, RFC 5891).
///
/// Labels are folded to lower case and to their compatible composed form first; the tables of RFC 5892, which
/// say what a registry may hand out, are not applied: the resolver says what exists.
enum Punycode {
  /// The name with each label in ASCII; nil when a label cannot be one.
  static func ascii(_ host: String) -> String? {
    let folded = host.precomposedStringWithCompatibilityMapping.lowercased()
    var labels: [String] = []
    // RFC 3490, 3.1: these stops separate labels too.
    for label in folded.split(omittingEmptySubsequences: false, whereSeparator: { ".。．｡".contains($0) }) {
      guard !label.utf8.allSatisfy({ $0 < 0x80 }) else {
        labels.append(String(label))
        continue
      }
      guard let encoded = encode(label), encoded.utf8.count <= 59 else { return nil }
      labels.append("xn--" + encoded)
    }
    return labels.joined(separator: ".")
  }

  /// One label, without its prefix; nil when the delta overflows.
  static func encode(_ label: some StringProtocol) -> String? {
    let scalars = label.unicodeScalars.map(\.value)
    var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
    let basicCount = output.count
    if basicCount > 0 { output.append(UInt8(ascii: "-")) }
    var (next, delta, bias, handled) = (UInt32(0x80), UInt32(0), UInt32(72), UInt32(basicCount))
    while handled < scalars.count {
      guard let smallest = scalars.filter({ $0 >= next }).min() else { return nil }
      let (step, overflow) = (smallest - next).multipliedReportingOverflow(by: handled + 1)
      let (sum, tooLarge) = delta.addingReportingOverflow(step)
      guard !overflow, !tooLarge else { return nil }
      (delta, next) = (sum, smallest)
      for scalar in scalars {
        if scalar < next { delta += 1 }
        guard scalar == next else { continue }
        append(delta, bias: bias, to: &output)
        bias = adapt(delta, points: handled + 1, isFirst: handled == basicCount)
        delta = 0
        handled += 1
      }
      delta += 1
      next += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// A number with digits whose weights depend on the bias (RFC 3492, 6.3).
  private static func append(_ delta: UInt32, bias: UInt32, to output: inout [UInt8]) {
    var rest = delta
    var weight: UInt32 = 36
    while true {
      let threshold = weight <= bias ? 1 : weight >= bias + 26 ? 26 : weight - bias
      guard rest >= threshold else { break }
      output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
      rest = (rest - threshold) / (36 - threshold)
      weight += 36
    }
    output.append(digit(rest))
  }

  private static func adapt(_ delta: UInt32, points: UInt32, isFirst: Bool) -> UInt32 {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / points
    var bias: UInt32 = 0
    while delta > 35 * 26 / 2 {
      delta /= 35
      bias += 36
    }
    return bias + 36 * delta / (delta + 38)
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    UInt8(value < 26 ? value + 0x61 : value - 26 + 0x30)
  }
}
