import APIKit
import APIKitReports
import Foundation

/// The pseudonyms of a tape: while it is recorded, every secret gets one, and keeps it.
final class Pseudonyms: Sendable {
  private struct PseudonymsState {
    /// By the secret.
    var names: [ExactText: String] = [:]
    var count = 0
  }
  private let state: Mutex<PseudonymsState>

  /// - Parameter tape: What is on it already, so that no pseudonym is given twice.
  init(_ tape: Tape) {
    // Anybody may have written the tape; no recording counts that far.
    let highest =
      tape.archive.entries.flatMap(\.texts).flatMap(Self.numbers).filter { $0 < 1 << 32 }.max() ?? 0
    state = Mutex(PseudonymsState(count: highest))
  }

  /// The mask of the recording.
  func mask(_ rules: TapeRules) -> SecretMask {
    SecretMask(plainNames: rules.plainNames) { [self] secret, isNumber in name(of: secret, isNumber) }
  }

  /// A text with the secrets that are known by now replaced, wherever they stand: a token of a sign-in may be used under
  /// any name. Short ones would be found in everything.
  func scrub(_ text: String) -> String {
    let names = state.withLock { $0.names }
    var text = text
    // The longest first: one secret may be part of another.
    for (secret, name) in names.map({ ($0.key.text, $0.value) })
      .sorted(by: { $0.0.utf8.count > $1.0.utf8.count })
    where secret.utf8.count >= 8 {
      // By bytes: a mark behind it makes another character of its last one.
      for form in Self.forms(of: secret) where text.utf8.contains(form.utf8) {
        text = text.utf8.split(separator: form.utf8, omittingEmptySubsequences: false)
          .map { String(Substring($0)) }.joined(separator: name)
      }
    }
    return text
  }

  /// How a secret may stand in a text: as it is, percent-encoded in a query or a form, escaped in JSON, with a slash or without.
  private static func forms(of secret: String) -> [String] {
    var forms = [secret]
    let encoded = PercentEncoding.component.encode(secret)
    if encoded != secret { forms.append(encoded) }
    guard secret.utf8.contains(where: { $0 < 0x20 || "/\"\\".utf8.contains($0) }) else { return forms }
    var escaped: [UInt8] = []
    RawWriter.append(string: secret.utf8, to: &escaped)
    let inner = String(decoding: escaped.dropFirst().dropLast(), as: UTF8.self)
    return forms + [
      inner, inner.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "\\/"),
    ]
  }

  private func name(of secret: String, _ isNumber: Bool) -> String {
    if Self.isPseudonym(secret, isNumber) { return secret }
    return state.withLock { state in
      if let name = state.names[ExactText(secret)] { return name }
      state.count += 1
      let name = isNumber ? String(Self.firstNumber + state.count) : Self.prefix + String(state.count)
      state.names[ExactText(secret)] = name
      return name
    }
  }

  // MARK: Their form

  static let prefix = "apikit-secret-"
  /// Numbers stay numbers.
  private static let firstNumber = 9_000_000_000

  static func isPseudonym(_ text: String, _ isNumber: Bool) -> Bool {
    isNumber
      ? Int(text).map { $0 > firstNumber && $0 < firstNumber + 1_000_000_000 } ?? false
      : text.hasPrefix(prefix) && Int(text.dropFirst(prefix.count)) != nil
  }

  /// Whether there is one in a text. Most texts of a tape are long and have none, so they are searched for the rarest letter
  /// of the prefix.
  static func occur(in text: String) -> Bool {
    let (rare, before) = (Int32(UInt8(ascii: "k")), "api".utf8.count)
    var text = text
    return text.withUTF8 { bytes in
      guard let base = bytes.baseAddress else { return false }
      var rest = bytes[...]
      while let found = memchr(base + rest.startIndex, rare, rest.count) {
        let index = base.distance(to: found.assumingMemoryBound(to: UInt8.self))
        if index >= before, bytes[(index - before)...].starts(with: prefix.utf8) { return true }
        rest = bytes[(index + 1)...]
      }
      return false
    }
  }

  /// The numbers of the pseudonyms in a text.
  static func numbers(in text: String) -> [Int] {
    var numbers: [Int] = []
    _ = replacing(in: text) { digits in
      if let number = Int(digits) { numbers.append(number) }
      return digits
    }
    return numbers
  }

  /// The text with other digits behind each prefix. By bytes: a mark behind a digit makes another character of it.
  static func replacing(in text: String, _ change: (String) -> String) -> String {
    guard occur(in: text) else { return text }
    let parts = text.utf8.split(separator: prefix.utf8, omittingEmptySubsequences: false)
    var output = String(Substring(parts[0]))
    for part in parts.dropFirst() {
      let digits = part.prefix { (0x30...0x39).contains($0) }
      output += prefix + change(String(Substring(digits))) + String(Substring(part[digits.endIndex...]))
    }
    return output
  }
}

extension HTTPArchive.Entry {
  /// Everything in it that may hold a pseudonym.
  var texts: [String] { requestTexts + responseTexts }

  var requestTexts: [String] {
    [request.url] + request.headers.map(\.value)
      + [request.body.bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""]
  }

  var responseTexts: [String] {
    guard let response else { return [] }
    return response.headers.map(\.value) + [
      response.body.bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    ]
  }

  /// With a change in every text, bodies that are text included.
  func mappingTexts(_ change: (String) -> String) -> HTTPArchive.Entry {
    func map(_ headers: HTTPHeaders) -> HTTPHeaders {
      HTTPHeaders(headers.map { HTTPHeaders.Field($0.name, change($0.value)) })
    }
    func map(_ body: HTTPArchive.Content) -> HTTPArchive.Content {
      guard let bytes = body.bytes, let text = HTTPArchive.Content.text(bytes) else { return body }
      var body = body
      body.bytes = Array(change(text).utf8)
      body.size = body.bytes.map { Int64($0.count) }
      return body
    }
    var entry = self
    entry.request.url = change(request.url)
    entry.request.headers = map(request.headers)
    entry.request.body = map(request.body)
    if var response {
      response.headers = map(response.headers)
      response.body = map(response.body)
      entry.response = response
    }
    return entry
  }
}
