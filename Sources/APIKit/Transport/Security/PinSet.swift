public import Foundation

/// The accepted keys or certificates of each host, as SHA-256 digests.
///
/// A pin matches any certificate of the verified chain. Where the pins replace the chain (``Host/replacesChain``),
/// only the server's own certificate is compared, because no authority vouches for the others. Give every host a backup
/// pin of a key that is not in use yet: otherwise all installed applications are locked out when the key is lost.
/// A host without an entry is not pinned.
public struct PinSet: Sendable {
  /// The pinned hosts. An exact name takes precedence over one that includes subdomains, a longer name over
  /// a shorter one; of several entries of one name the first counts that has not expired.
  public var hosts: [Host]
  /// Whether a mismatch is only reported and not enforced, to try out pins. The default is false.
  public var isReportOnly: Bool
  /// Called for every mismatch, enforced or not, on a thread of the transport; must not block.
  public var onMismatch: (@Sendable (PinMismatch) -> Void)?

  /// Makes a set of pins.
  public init(
    _ hosts: [Host], isReportOnly: Bool = false, onMismatch: (@Sendable (PinMismatch) -> Void)? = nil
  ) {
    self.hosts = hosts
    self.isReportOnly = isReportOnly
    self.onMismatch = onMismatch
  }

  /// One host and its pins.
  public struct Host: Sendable, Hashable {
    /// The host's name or address, in the canonical form of ``HTTPURL/host`` and without a trailing dot.
    public var name: String { didSet { name = URLHost.name(name) } }
    /// Whether its subdomains are pinned too (`api.example.com` for `example.com`); the default is false.
    public var includesSubdomains: Bool
    /// The pins; one match is enough. Include a backup.
    public var pins: [Pin]
    /// The time at which the pins expire. The host is then trusted without them, so that an application
    /// without updates is not locked out. The default, nil, means never.
    public var expires: Date?
    /// Whether the pins take the place of the chain; the default is false.
    ///
    /// The host may then show a certificate that is expired, signed by itself or by no trusted authority, as long
    /// as it is one of the pins itself and names the host. All other hosts are verified as usual, and after
    /// ``expires`` this host too.
    public var replacesChain: Bool

    /// Makes an entry.
    public init(
      _ name: String, includesSubdomains: Bool = false, pins: [Pin], expires: Date? = nil,
      replacesChain: Bool = false
    ) {
      self.name = URLHost.name(name)
      self.includesSubdomains = includesSubdomains
      self.pins = pins
      self.expires = expires
      self.replacesChain = replacesChain
    }

    func matches(_ host: String) -> Bool {
      host == name || (includesSubdomains && host.hasSuffix("." + name))
    }
  }

  /// The SHA-256 digest of a public key or of a certificate.
  public struct Pin: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes.
    public let digest: [UInt8]

    /// Makes a pin from 32 bytes. Throws ``APIError/Reason/misconfigured`` for another length.
    public init(digest: [UInt8]) throws(APIError) {
      guard digest.count == 32 else {
        throw TLSPolicy.misconfigured("a SHA-256 pin has 32 bytes, this one \(digest.count)")
      }
      self.digest = digest
    }

    /// Parses `sha256/BASE64`, `sha256//BASE64`, bare Base64, or 64 hexadecimal digits with or without
    /// colons.
    ///
    /// The last form is what `openssl x509 -fingerprint -sha256` prints after the equals sign. Throws
    /// ``APIError/Reason/misconfigured`` for anything else.
    public init(_ text: String) throws(APIError) {
      var body = text[...]
      for prefix in ["sha256//", "sha256/"] where body.hasPrefix(prefix) {
        body = body.dropFirst(prefix.count)
        break
      }
      let digits = body.filter { $0 != ":" }
      if digits.utf8.count == 64, let bytes = Hex.decode(digits) {
        digest = bytes
        return
      }
      guard let data = Data(base64Encoded: String(body)), data.count == 32 else {
        throw TLSPolicy.misconfigured(
          "\(text.debugDescription) is not a pin; write sha256/ and 44 characters of Base64, or 64 hex digits"
        )
      }
      digest = [UInt8](data)
    }

    /// `sha256/` and the digest in Base64.
    public var description: String { "sha256/" + Base64.encode(digest) }
  }

  /// The entry that applies to a host at a time; nil when the host is not pinned or its pins have expired.
  ///
  /// A trailing dot of the host does not count, because it is the same server's.
  func entry(for host: String, at now: Date) -> Host? {
    let host = URLHost.name(host)
    // Of several entries of one name, one that has expired does not hide the next.
    func rank(_ entry: Host) -> (Int, Int, Int) {
      (entry.includesSubdomains ? 0 : 1, entry.name.utf8.count, entry.isInForce(at: now) ? 1 : 0)
    }
    var best: Host?
    for entry in hosts where entry.matches(host) {
      if best.map({ rank(entry) > rank($0) }) ?? true { best = entry }
    }
    return best.flatMap { $0.isInForce(at: now) ? $0 : nil }
  }

  func validate() throws(APIError) {
    guard !hosts.isEmpty else { throw TLSPolicy.misconfigured("pinning is on, but no host has pins") }
    for host in hosts {
      guard !host.name.isEmpty else { throw TLSPolicy.misconfigured("a pinned host has no name") }
      guard URLHost.isServer(host.name) else {
        throw TLSPolicy.misconfigured(
          "the pinned host \(host.name.debugDescription) is not a host; includesSubdomains pins the subdomains of one"
        )
      }
      guard !host.pins.isEmpty else { throw TLSPolicy.misconfigured("the host \(host.name) has no pins") }
      guard !host.replacesChain || !isReportOnly else {
        throw TLSPolicy.misconfigured(
          "the pins of \(host.name) replace the chain, so they cannot be reported only: nothing would be checked"
        )
      }
    }
  }
}

extension PinSet.Host {
  fileprivate func isInForce(at now: Date) -> Bool { expires.map { now < $0 } ?? true }
}

/// Reports a server that presented none of its pins.
public struct PinMismatch: Sendable, Hashable {
  /// The host of the request.
  public var host: String
  /// The digests of the presented certificates, its own first.
  public var shown: [PinSet.Pin]
  /// The pins it should have matched.
  public var expected: [PinSet.Pin]
  /// Whether the request was refused.
  public var isEnforced: Bool

  /// Makes a report.
  public init(host: String, shown: [PinSet.Pin], expected: [PinSet.Pin], isEnforced: Bool) {
    self.host = host
    self.shown = shown
    self.expected = expected
    self.isEnforced = isEnforced
  }
}
