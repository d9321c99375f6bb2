import Foundation

/// The cache key: a SHA-256 digest of the canonical form of a call.
///
/// The form holds the service, its environment and base URL, the API's name and version, the method, the
/// partition, the parameters without the volatile ones, and the body. Parameters are sorted by name, and
/// every value carries its length and type, so that the order does not matter and different calls never
/// have the same form.
public struct CacheKey: Hashable, Sendable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// Makes a key from the 32 bytes of a digest; nil for another count.
  init?(_ digest: [UInt8]) {
    guard digest.count == 32 else { return nil }
    func word(_ start: Int) -> UInt64 {
      digest[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }
    words = (word(0), word(8), word(16), word(24))
  }

  /// The first eight bytes, for the database's index; the record holds the whole key for comparison.
  var word: Int64 { Int64(bitPattern: words.0) }

  /// The 32 bytes of the digest.
  var bytes: [UInt8] {
    [words.0, words.1, words.2, words.3].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
    }
  }

  /// Compares the whole digests.
  public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  /// Uses one word: the bits of a digest are evenly distributed.
  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension CacheKey {
  /// The identity of one backend of a service.
  enum Origin {
    case name(String)
    case url(HTTPURL?)
  }

  /// The parts of a call that its key is made from.
  struct Parts {
    var service: String
    var environment: String
    /// Where the service's backend is: a name of its own, or its base URL.
    var origin: Origin
    var apiVersion: String
    var apiName: String
    var method: HTTPMethod
    var partition: String
    var parameters: Parameters
    /// The body that the manager states itself, if any.
    var body: [UInt8] = []
    /// Names of parameters that the manager leaves out.
    var volatile: Set<String> = []
  }

  /// The key of a call.
  init(_ parts: Parts) {
    var form = CanonicalForm()
    form.append(parts.service)
    form.append(parts.environment)
    form.append(parts.origin)
    form.append(parts.apiVersion)
    form.append(parts.apiName)
    form.append(parts.method.rawValue)
    form.append(parts.partition)
    form.append(parts.parameters, without: parts.volatile)
    form.append(parts.body)
    self = form.key
  }

  /// The digest of several texts; nil differs from an empty text.
  init(texts: [String?]) {
    var form = CanonicalForm()
    for text in texts {
      form.bytes.append(text == nil ? 0 : 1)
      form.append(text ?? "")
    }
    self = form.key
  }
}

extension HTTPURL {
  /// The URL in one form, whether or not it names its scheme's default port.
  var cacheText: String { origin + path + "?" + (query ?? "") }

  /// A fingerprint of the parts of ``cacheText``, the same in every process. A collision is harmless: both
  /// URLs become stale together.
  var fingerprint: UInt64 {
    Checksum.combined(
      Checksum.of(scheme), Checksum.of(host), UInt64(effectivePort ?? 0), Checksum.of(path),
      Checksum.of(query ?? ""))
  }
}

/// Builds bytes that represent values without ambiguity: each has its length, and a parameter also its
/// type, before it.
private struct CanonicalForm {
  var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(512) }

  var key: CacheKey {
    guard let key = CacheKey(Crypto.sha256(bytes)) else { preconditionFailure("SHA-256 has 32 bytes") }
    return key
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      append(number: UInt64(utf8.count))
      bytes.append(contentsOf: utf8)
    }
  }

  mutating func append(_ origin: CacheKey.Origin) {
    switch origin {
    case .name(let name):
      bytes.append(0)
      append(name)
    case .url(nil): bytes.append(1)
    case .url(let url?):
      bytes.append(2)
      append(url.scheme)
      append(url.host)
      append(number: UInt64(url.effectivePort ?? 0))
      append(url.path)
      append(url.query ?? "")
    }
  }

  mutating func append(_ data: [UInt8]) {
    append(number: UInt64(data.count))
    bytes.append(contentsOf: data)
  }

  mutating func append(_ parameters: Parameters, without volatile: Set<String> = []) {
    var pairs = parameters.pairs
    if !volatile.isEmpty { pairs.removeAll { volatile.containsExactly($0.name) } }
    if pairs.count > 1 { pairs.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
    append(number: UInt64(pairs.count))
    for (name, value) in pairs {
      append(name)
      append(value)
    }
  }

  private mutating func append(_ value: ParameterValue) {
    switch value {
    case .string(let text): tag(1) { $0.append(text) }
    case .integer(let number): tag(2) { $0.append(number: UInt64(bitPattern: Int64(number))) }
    case .double(let number): tag(3) { $0.append(number: number.bitPattern) }
    case .bool(let truth): tag(truth ? 4 : 5) { _ in }
    case .date(let date): tag(6) { $0.append(number: date.timeIntervalSinceReferenceDate.bitPattern) }
    case .data(let data): tag(7) { $0.append(data) }
    case .null: tag(8) { _ in }
    case .array(let values):
      tag(9) {
        $0.append(number: UInt64(values.count))
        for value in values { $0.append(value) }
      }
    case .object(let parameters): tag(10) { $0.append(parameters) }
    case .number(let text): tag(11) { $0.append(text) }
    }
  }

  private mutating func tag(_ tag: UInt8, _ content: (inout Self) -> Void) {
    bytes.append(tag)
    content(&self)
  }

  /// One byte below 255, as for nearly every length; otherwise the byte 255 and eight more.
  private mutating func append(number: UInt64) {
    guard number >= 0xFF else { return bytes.append(UInt8(number)) }
    bytes.append(0xFF)
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }
}
