import Foundation

// What opens every host to forgery is not written: whoever may change a file could set it.
extension TLSPolicy: Written {
  static let form = WrittenForm<Self>(
    name: "TLSPolicy", start: { Self() },
    members: [
      .mapped(
        "minimumVersion", \.minimumVersion, \.description,
        { text in
          guard let version = versions.first(where: { $0.description == text }) else {
            throw APIError(.assembly, .unreadableForm, "\(text.debugDescription) is no version of TLS")
          }
          return version
        }), .plain("trust", \.trust), .plain("pinning", \.pinning),
      .mapped(
        "identity", \.identity, isSecret: { $0 != nil }, { $0.map(WrittenIdentity.init) }, { $0?.identity }),
    ],
    unwritable: {
      $0.allowsInvalidCertificates
        ? "allowsInvalidCertificates" : $0.skipsHostValidation ? "skipsHostValidation" : nil
    })

  private static let versions: [TLSVersion] = [.tls1_0, .tls1_1, .tls1_2, .tls1_3]
}

extension TLSPolicy.Trust: WrittenCases {
  var written: WrittenCase {
    switch self {
    case .system: WrittenCase("system")
    case .systemAnd(let others): WrittenCase("systemAnd", others)
    case .bundle(let path): WrittenCase("bundle", path)
    case .certificates(let pem): WrittenCase("certificates", Base64.encode(pem))
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "system": .system
    case "systemAnd": .systemAnd(try one.value())
    case "bundle": .bundle(path: try one.value())
    case "certificates": Base64.decode(try one.value(String.self)).map { .certificates(pem: $0) }
    default: nil
    }
  }
}

extension TLSPolicy.Pinning: WrittenCases {
  var written: WrittenCase {
    switch self {
    case .none: WrittenCase("none")
    case .publicKey(let pins): WrittenCase("publicKey", pins)
    case .certificate(let pins): WrittenCase("certificate", pins)
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "none": Self.none
    case "publicKey": .publicKey(try one.value())
    case "certificate": .certificate(try one.value())
    default: nil
    }
  }
}

extension PinSet: Written {
  static let form = WrittenForm<Self>(
    name: "PinSet", start: { Self([]) },
    members: [.plain("hosts", \.hosts), .plain("isReportOnly", \.isReportOnly)],
    unwritable: { $0.onMismatch != nil ? "onMismatch" : nil })
}

extension PinSet.Host: Written {
  static let form = WrittenForm<Self>(
    name: "PinSet.Host", start: { Self("", pins: []) },
    members: [
      .plain("name", \.name), .plain("includesSubdomains", \.includesSubdomains),
      .mapped("pins", \.pins, { $0.map(\.description) }, { try $0.map { try PinSet.Pin($0) } }),
      .mapped(
        "expires", \.expires, { $0?.timeIntervalSince1970 }, { $0.map { Date(timeIntervalSince1970: $0) } }),
      .plain("replacesChain", \.replacesChain),
    ], required: ["name", "pins"])
}

/// A client's certificate and key as they are sealed.
private struct WrittenIdentity: Codable, Sendable {
  private let certificate: Source?
  private let key: Source?
  private let container: Source?
  private let label: String?
  private let password: String

  private struct Source: Codable, Sendable {
    private let path: String?
    private let bytes: String?

    init(_ source: ClientIdentity.Source) {
      switch source {
      case .file(let path): (self.path, bytes) = (path, nil)
      case .bytes(let bytes): (path, self.bytes) = (nil, Base64.encode(bytes))
      }
    }

    var source: ClientIdentity.Source {
      path.map { .file(path: $0) } ?? .bytes(bytes.flatMap { Base64.decode($0) } ?? [])
    }
  }

  init(_ identity: ClientIdentity) {
    password = identity.password
    switch identity.form {
    case .pem(let certificate, let key):
      (self.certificate, self.key) = (Source(certificate), Source(key))
      (container, label) = (nil, nil)
    case .pkcs12(let source):
      (certificate, key, container, label) = (nil, nil, Source(source), nil)
    case .keychain(let label):
      (certificate, key, container, self.label) = (nil, nil, nil, label)
    }
  }

  var identity: ClientIdentity {
    if let certificate, let key {
      return .pem(certificate: certificate.source, key: key.source, password: password)
    }
    if let container { return .pkcs12(container.source, password: password) }
    return .keychain(label: label ?? "")
  }
}
