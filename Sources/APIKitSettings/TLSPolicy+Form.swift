public import APIKit
import Foundation

// Settings that open every host to forgery are not written: anyone who may change a file could set them.
extension TLSPolicy: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "TLSPolicy", start: { Self() },
    .tlsVersion("minimumVersion", \.minimumVersion), .plain("trust", \.trust), .plain("pinning", \.pinning),
    .mapped(
      "identity", \.identity, isSecret: { $0 != nil }, write: { $0.map(CodedIdentity.init) },
      read: { $0?.identity }),
    unwritable: [
      "allowsInvalidCertificates": \.allowsInvalidCertificates, "skipsHostValidation": \.skipsHostValidation,
    ])
}

extension VersionedForm.Member {
  /// A version of TLS, by its number.
  package static func tlsVersion(_ name: String, _ path: Path<TLSVersion>) -> Self {
    mapped(name, path, write: \.description) { text in
      try [TLSVersion.tls1_0, .tls1_1, .tls1_2, .tls1_3].first { $0.description == text }
        .readable("\(text.debugDescription) is no version of TLS")
    }
  }
}

extension TLSPolicy.Trust: CaseCodable {
  package static let cases = CaseTable<Self>(
    ["system": .system],
    .holding(
      "systemAnd", { if case .systemAnd(let others) = $0 { others } else { nil } }, make: Self.systemAnd),
    .holding("bundle", { if case .bundle(let path) = $0 { path } else { nil } }, make: Self.bundle(path:)),
    .holding(
      "certificates", { if case .certificates(let pem) = $0 { Base64.encode(pem) } else { nil } },
      make: { Base64.decode($0).map(Self.certificates(pem:)) }))
}

extension TLSPolicy.Pinning: CaseCodable {
  package static let cases = CaseTable<Self>(
    .plain("none", .none) { if case .none = $0 { true } else { false } },
    .holding("publicKey", { if case .publicKey(let pins) = $0 { pins } else { nil } }, make: Self.publicKey),
    .holding(
      "certificate", { if case .certificate(let pins) = $0 { pins } else { nil } }, make: Self.certificate))
}

extension PinSet: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "PinSet", start: { Self([]) },
    .plain("hosts", \.hosts), .plain("isReportOnly", \.isReportOnly),
    unwritable: ["onMismatch": { $0.onMismatch != nil }])
}

extension PinSet.Host: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "PinSet.Host", start: { Self("", pins: []) },
    .plain("name", \.name), .plain("includesSubdomains", \.includesSubdomains),
    .mapped("pins", \.pins, write: { $0.map(\.description) }, read: { try $0.map { try PinSet.Pin($0) } }),
    .mapped(
      "expires", \.expires, write: { $0?.timeIntervalSince1970 },
      read: { $0.map { Date(timeIntervalSince1970: $0) } }),
    .plain("replacesChain", \.replacesChain), required: ["name", "pins"])
}

extension ClientIdentity.Source: CaseCoded {
  package static let cases = CaseTable<Self>(
    .holding("path", { if case .file(let path) = $0 { path } else { nil } }, make: Self.file(path:)),
    .holding(
      "bytes", { if case .bytes(let bytes) = $0 { Base64.encode(bytes) } else { nil } },
      make: { Base64.decode($0).map(Self.bytes) }))
}

/// A client's certificate and key as they are sealed.
private struct CodedIdentity: Codable, Sendable {
  private var certificate: CodedCase<ClientIdentity.Source>?
  private var key: CodedCase<ClientIdentity.Source>?
  private var container: CodedCase<ClientIdentity.Source>?
  private var label: String?
  private let password: String

  init(_ identity: ClientIdentity) {
    password = identity.password
    switch identity.form {
    case .pem(let certificate, let key):
      (self.certificate, self.key) = (CodedCase(certificate), CodedCase(key))
    case .pkcs12(let source): container = CodedCase(source)
    case .keychain(let label): self.label = label
    }
  }

  var identity: ClientIdentity {
    if let certificate, let key {
      return .pem(certificate: certificate.value, key: key.value, password: password)
    }
    if let container { return .pkcs12(container.value, password: password) }
    return .keychain(label: label ?? "")
  }
}
