import APIKitSettings
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports
@testable import APIKitTransfers

/// Files as earlier versions of the framework wrote them, one for each kind and version: they are read for ever.
///
/// A new kind or version of ``Envelope/EnvelopeKind`` gets a file here, which `APIKIT_GOLDEN=1 swift test --filter GoldenFile`
/// prints. A file that is here is never changed.
final class GoldenFileTests: XCTestCase {
  /// The key of all of them.
  private static let key = [UInt8](0..<32)
  private static let place = Array("golden".utf8)

  private func storageKey() throws -> StorageKey { try XCTUnwrap(StorageKey(Self.key)) }

  private lazy var folder = temporaryPath()

  private let credential = Credential(
    accessToken: "at", refreshToken: "rt", expiresAt: 2_000_000_000, issuedAt: 1_999_996_400,
    scopes: ["read"],
    notes: ["id": "7"])
  private let cookies = [Cookie("sid", "hunter2", domain: "a.test", expires: 4_000_000_000)]
  private let login = HTTPLogin(user: "ann", password: "hunter2", scheme: .digest)
  private let space = ProtectionSpace(scheme: "https", host: "a.test", port: 443, realm: "homes")

  private let hosts = KeptHosts.List(day: 20_000, addresses: ["192.0.2.1", "2001:db8::1"])
  private func keptHosts() throws -> KeptHosts {
    try KeptHosts(folder: folder, key: SecretKey(bytes: Self.key))
  }
  private var download: DownloadState {
    var state = DownloadState(
      offset: 3, total: 9, etag: "\"a\"", lastModified: "Sat, 01 Jan 2000 00:00:00 GMT")
    state.digest = FileDigest(member: "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:")
    state.fileName = "plan.pdf"
    state.target = .folder("/files", overwrites: true)
    return state
  }
  private let upload = UploadState(
    location: "https://a.test/files/1", offset: 3, total: 9, hasSentAll: true)
  private var transfer: KeptTransfer {
    var kept = KeptTransfer(.download(to: .folder("/files", overwrites: true), sha256: "ab"))
    (kept.key, kept.service, kept.environment, kept.apiName) = ("k-2", "Homes", "release", "plan")
    kept.parameters = ["id": 7]
    kept.journal = "/files/.plan.journal"
    return kept
  }
  private var queued: QueuedCall {
    var call = QueuedCall()
    (call.key, call.service, call.environment, call.apiName) = ("k-1", "Homes", "release", "list")
    call.parameters = ["beds": 3, "tags": ["a"], "since": Date(timeIntervalSinceReferenceDate: 0.5)]
    call.headers = ["X-A": "1"]
    call.body = .bytes([1, 2])
    call.contentType = "text/plain"
    call.fills = [QueuedCall.Fill(parameter: "id", parent: 7, path: "a.id")]
    return call
  }

  private func unwrapped(_ golden: GoldenFile) throws -> [UInt8] {
    try golden.bytes.withUnsafeBytes { try Array(Envelope(kind: golden.kind).unwrap($0)) }
  }

  private func read(_ golden: GoldenFile) throws {
    let bytes = golden.bytes
    let path = "\(folder)/\(golden.name)"
    try PrivateFile.replace(path, with: bytes)
    switch (golden.kind, golden.version) {
    case (.credential, 1):
      XCTAssertEqual(
        try FileCredentialStore(folder: folder, key: SecretKey(bytes: Self.key)).credential(of: "ann"),
        credential)
    case (.cookies, 1):
      let store = try CookieStore(path: path, key: SecretKey(bytes: Self.key))
      XCTAssertNil(store.fault)
      XCTAssertEqual(store.load(), cookies)
    case (.login, 1):
      XCTAssertEqual(
        try FileLoginStore(folder: folder, key: SecretKey(bytes: Self.key)).login(in: space), login)
    case (.cachedResponse, 1):
      let content = try CacheRecord.envelope.open(bytes, under: storageKey(), at: Self.place)
      let record = content.withUnsafeBytes { CacheRecord($0, process: 0, isExpired: false) }
      XCTAssertEqual(record?.entry.http.bytes, CacheFixture.body(1, 100))
      XCTAssertEqual(record?.entry.http.headers["ETag"], "\"1\"")
      XCTAssertEqual(record?.entry.tags, ["a"])
    case (.cachedBody, 1):
      let content = try CacheRecord.bodyEnvelope.open(bytes, under: storageKey(), at: Self.place)
      XCTAssertEqual(content, CacheFixture.body(2, 50))
    case (.queuedItem, 1...2):
      XCTAssertEqual(QueuedCall(try unwrapped(golden)), queued)
    case (.queuedLanding, 1...2):
      guard case .response(let response) = try XCTUnwrap(QueuedLanding(try unwrapped(golden))) else {
        return XCTFail("the landing was a response")
      }
      XCTAssertEqual(response.status, 201)
      XCTAssertEqual(response.headers, ["ETag": "\"1\""])
      XCTAssertEqual(response.bytes, [1, 2])
      XCTAssertEqual(response.url?.string, "https://a.test/x")
    case (.queuedTransfer, 1...2): XCTAssertEqual(KeptTransfer(enveloped: golden.bytes), transfer)
    case (.downloadJournal, 2):
      let journal = try TransferJournal<PartialFile.Journal>(path, .downloadJournal).read()
      XCTAssertEqual(journal?.identity, "7")
      XCTAssertEqual(journal?.state, download)
      XCTAssertEqual(journal?.boot, "b")
    case (.uploadJournal, 2):
      XCTAssertEqual(try TransferJournal<UploadState>(path, .uploadJournal).read(), upload)
    case (.hosts, 1):
      XCTAssertEqual(try keptHosts().list(of: "a.test"), hosts)
    case (.secrets, 1):
      let decoder = JSONDecoder()
      decoder.userInfo[.sealingKey] = SecretKey(bytes: Self.key)
      let form = #"{"version":1,"sealed":"\#(Base64.encode(bytes))"}"#
      XCTAssertEqual(
        try decoder.decode(WrittenParameters.self, from: Data(form.utf8)).parameters,
        ["token": "hunter2", "page": 2])
    case (.keptExchange, 1):
      let content = try Envelope(kind: .keptExchange).open(bytes, under: storageKey(), at: Self.place)
      let entry = try HTTPArchive.Entry(RawData(parsing: content), 0)
      XCTAssertEqual(entry.request.url, "https://a.test/list")
      XCTAssertEqual(entry.response?.body.bytes, Array("[]".utf8))
      XCTAssertEqual(entry.apiName, "list")
    default: XCTFail("\(golden.kind) in version \(golden.version) is read by no test")
    }
  }

  func testEveryKindInEveryVersionThatWasEverWrittenIsReadForEver() throws {
    for golden in GoldenFile.all { try read(golden) }
    XCTAssertEqual(
      Set(GoldenFile.all.map(\.kind)), Set(Envelope.EnvelopeKind.allCases),
      "each kind of the table has a golden file"
    )
    for kind in Envelope.EnvelopeKind.allCases {
      let versions = GoldenFile.all.filter { $0.kind == kind }.map(\.version)
      XCTAssertEqual(versions.sorted(), Array(kind.versions), "\(kind.name): each version that is read")
      XCTAssertTrue(kind.versions.contains(Envelope(kind: kind).version), kind.name)
    }
  }

  func testTheNumbersOfTheTableAreNeverChanged() {
    XCTAssertEqual(
      Envelope.EnvelopeKind.allCases.map { "\($0.rawValue) \($0)" },
      [
        "1 cookies", "2 credential", "3 cachedResponse", "4 cachedBody", "5 login", "6 queuedItem",
        "7 queuedLanding", "8 queuedTransfer", "9 downloadJournal", "10 uploadJournal", "16 hosts",
        "17 secrets", "18 keptExchange",
      ])
  }

  func testNoChangedByteOfASealedFileIsReadAsSomethingElse() throws {
    let key = try storageKey()
    var random = SeededGenerator(seed: 3)
    let inputs = ProcessInfo.processInfo.environment["SEALED_FUZZ_INPUTS"].flatMap(Int.init) ?? 5000
    for round in 0..<inputs {
      let golden = GoldenFile.all[round % GoldenFile.all.count]
      var bytes = golden.bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        case 1: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
        default:
          bytes.insert(
            UInt8.random(in: 0...255, using: &random), at: Int.random(in: 0...bytes.count, using: &random))
        }
      }
      guard bytes != golden.bytes else { continue }
      let envelope = Envelope(kind: golden.kind)
      let place = golden.kind == .cachedResponse || golden.kind == .cachedBody ? Self.place : golden.place
      XCTAssertThrowsError(try envelope.open(bytes, under: key, at: place))
      // What is not sealed may be read as something else, if its own form allows it.
      guard let content = bytes.withUnsafeBytes({ try? Array(envelope.unwrap($0)) }) else { continue }
      switch golden.kind {
      case .queuedItem: _ = QueuedCall(content)
      case .queuedLanding: _ = QueuedLanding(content)
      case .queuedTransfer: _ = KeptTransfer(enveloped: bytes)
      default: XCTFail("a sealed file of \(golden.kind) was read as an open one")
      }
    }
  }

  /// Writes what the table above is made of.
  func testWritesTheFilesForTheTable() throws {
    guard ProcessInfo.processInfo.environment["APIKIT_GOLDEN"] != nil else {
      throw XCTSkip("APIKIT_GOLDEN is not set")
    }
    try FileCredentialStore(folder: folder, key: SecretKey(bytes: Self.key)).store(credential, of: "ann")
    try FileLoginStore(folder: folder, key: SecretKey(bytes: Self.key)).store(login, in: space)
    _ = try CookieStore(path: folder + "/cookies", key: SecretKey(bytes: Self.key)).update { _ in cookies }
    let record = CacheRecord.encode(
      CacheFixture.entry(1, tags: ["a"]), process: 7, bodyInFile: nil)
    let key = try storageKey()
    try PrivateFile.replace(
      folder + "/cachedResponse",
      with: XCTUnwrap(CacheRecord.envelope.seal(record, under: key, at: Self.place)))
    try PrivateFile.replace(
      folder + "/cachedBody",
      with: XCTUnwrap(CacheRecord.bodyEnvelope.seal(CacheFixture.body(2, 50), under: key, at: Self.place)))
    try PrivateFile.replace(folder + "/queuedItem", with: QueuedCall.envelope.wrap(queued.encode()))
    let landing = HTTPResponse(
      status: 201, headers: ["ETag": "\"1\"", "Set-Cookie": "sid=1"], body: .bytes([1, 2]),
      url: "https://a.test/x")
    try PrivateFile.replace(
      folder + "/queuedLanding", with: QueuedLanding.envelope.wrap(QueuedLanding.response(landing).encode()))
    try PrivateFile.replace(folder + "/queuedTransfer", with: transfer.encode())
    try TransferJournal(folder + "/downloadJournal", .downloadJournal)
      .write(PartialFile.Journal(identity: "7", state: download, boot: "b"))
    try TransferJournal(folder + "/uploadJournal", .uploadJournal).write(upload)
    try keptHosts().keep(hosts, of: "a.test")
    let encoder = JSONEncoder()
    encoder.userInfo[.sealingKey] = SecretKey(bytes: Self.key)
    let form = try encoder.encode(WrittenParameters(["token": "hunter2", "page": 2]))
    try PrivateFile.replace(
      folder + "/secrets",
      with: XCTUnwrap(Base64.decode(RawData(parsing: [UInt8](form)).sealed.require(String.self))))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
      print("GOLDEN \(name) \(bytes.base64EncodedString())")
    }
  }
}
