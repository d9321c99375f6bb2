import APIKitTesting
import Foundation
import XCTest

@testable import APIKit
@testable import APIKitSigning

/// Verifies the requests that `Scripts/oracles/messagesignatures` has had signed by an independent implementation, and
/// signs them for it to verify.
final class MessageSignatureOracleTests: XCTestCase {
  func testBothImplementationsSignAndVerifyAlike() throws {
    let environment = ProcessInfo.processInfo.environment
    guard let path = environment["APIKIT_MESSAGE_SIGNATURE_CASES"],
      let target = environment["APIKIT_MESSAGE_SIGNATURES_SIGNED"]
    else { throw XCTSkip("run by Scripts/oracles/messagesignatures") }
    let all = try RawData(parsing: [UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
    var keys: [String: (signing: SignatureKey, verifying: SignatureKey)] = [:]
    for (name, key) in all["keys"].members { keys[name] = try Self.keys(name, key) }
    XCTAssertGreaterThan(all.cases.elements.count, 0)
    var (signed, differences): ([[String: String]], [String]) = ([], [])
    for one in all.cases.elements {
      let pair = try XCTUnwrap(keys[try one.algorithm.require()])
      let request = try Self.request(one)
      let created: Int = try one.created.require()
      var theirs = request
      theirs.headers["Signature-Input"] = one.input.string
      theirs.headers["Signature"] = one.signature.string
      theirs.headers["Content-Digest"] = one.digest.string.flatMap { $0.isEmpty ? nil : $0 }
      do {
        try MessageVerifier(keys: [pair.verifying], required: []).verify(theirs, now: created)
      } catch {
        differences.append("\(error): \(one)")
      }
      var mine = request
      try Self.signer(one, pair.signing).sign(
        &mine, .make(secondsSince1970: created, nonce: one.nonce.string ?? ""))
      if mine.headers["Signature-Input"] != one.input.string {
        differences.append("\(mine.headers["Signature-Input"] ?? "") for \(one)")
      }
      let isDeterministic = ["hmac-sha256", "ed25519", "rsa-v1_5-sha256"].contains(one.algorithm.string)
      if isDeterministic, mine.headers["Signature"] != one.signature.string {
        differences.append("bytes of \(one)")
      }
      signed.append(
        ["Signature-Input", "Signature", "Content-Digest"].reduce(into: [:]) { $0[$1] = mine.headers[$1] })
    }
    try Data(RawData(plain: signed).jsonBytes()).write(to: URL(fileURLWithPath: target))
    XCTAssertTrue(
      differences.isEmpty, "\(differences.count): \(differences.prefix(3).joined(separator: "\n"))")
    print("\(signed.count) requests verified and signed as by the other implementation")
  }

  private static func keys(
    _ name: String, _ key: RawData
  ) throws -> (signing: SignatureKey, verifying: SignatureKey) {
    let id = "key \(name)"
    if let secret = key.secret.string {
      let shared = try SignatureKey(id: id, secret: XCTUnwrap(SecretKey(base64: secret)))
      return (shared, shared)
    }
    let algorithm = try XCTUnwrap(SignatureKey.Algorithm(rawValue: name))
    return (
      try SignatureKey(
        id: id, algorithm: algorithm, privateKey: SecretKey(key["private"].require(String.self))),
      try SignatureKey(
        id: id, algorithm: algorithm, publicKey: Array(key["public"].require(String.self).utf8))
    )
  }

  private static func request(_ one: RawData) throws -> HTTPRequest {
    var request = HTTPRequest(
      method: HTTPMethod(rawValue: try one.method.require()),
      url: try HTTPURL(one["url"].require(String.self)))
    for field in one.headers.elements { request.headers.add(try field[0].require(), try field[1].require()) }
    if let body = one.body.string { request.body = .bytes(Array(body.utf8)) }
    return request
  }

  private static func signer(_ one: RawData, _ key: SignatureKey) throws -> MessageSigner {
    let covered = try one.covered.elements.map { text -> SignatureComponent in
      let item = try XCTUnwrap(StructuredFields.item(text.string ?? ""))
      guard case .string(let name) = item.value else { throw SignatureFault.unreadable("covered") }
      return SignatureComponent(name, item.parameters)
    }
    var signature = MessageSigner.Signature(
      label: try one.label.require(), key: key, components: covered,
      whereStated: one.body.string == nil ? [] : [.contentDigest], lifetime: one["lifetime"].int,
      tag: one.tag.string)
    signature.statesAlgorithm = one.statesAlgorithm.bool == true
    signature.hasNonce = one.nonce.string != nil
    return MessageSigner([signature])
  }
}
