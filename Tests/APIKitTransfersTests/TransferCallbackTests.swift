import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// A delegate that acts from within every callback of a download or an upload.
@MainActor final class TransferCallbackTests: DownloadCase {
  private enum Action: CaseIterable {
    case nothing, cancel, pause, again, cancelAndAgain, release, signOut, throwing
  }

  @MainActor private final class Owner: DownloadManagerDelegate, UploadManagerDelegate {
    var act: (String) throws -> Void = { _ in }
    private(set) var events: [String] = []
    static let endings: Set = ["success", "failure", "paused", "cancelled"]
    var ends: [String] { events.filter(Self.endings.contains) }

    func at(_ what: String) {
      events.append(what)
      try? act(what)
    }
    func manager(_ manager: BaseDownloadManager, didSucceedWith file: DownloadedFile) { at("success") }
    func manager(_ manager: BaseDownloadManager, didFailWith error: APIError) { at("failure") }
    func manager(_ manager: BaseDownloadManager, didBeginAt offset: Int64, of total: Int64?) { at("began") }
    func manager(_ manager: BaseDownloadManager, didProgress progress: TransferProgress) { at("progress") }
    func manager(_ manager: BaseDownloadManager, didPauseAt offset: Int64, of total: Int64?) { at("paused") }
    func manager(
      _ manager: BaseDownloadManager, didCancel flight: FlightID, because reason: CancellationReason
    ) { at("cancelled") }
    func manager(_ manager: BaseUploadManager, didSucceedWith response: APIResponse) { at("success") }
    func manager(_ manager: BaseUploadManager, didFailWith error: APIError) { at("failure") }
    func manager(_ manager: BaseUploadManager, didProgress progress: TransferProgress) { at("progress") }
    func manager(_ manager: BaseUploadManager, didPauseAt sent: Int64) { at("paused") }
    func manager(
      _ manager: BaseUploadManager, didCancel flight: FlightID, because reason: CancellationReason
    ) { at("cancelled") }
  }

  final class Uploader: BaseUploadManager, UploadManager {
    var service: TestService
    let apiName = "files"
    init(_ service: TestService) { self.service = service }
  }
  final class Downloader: BaseDownloadManager, DownloadManager {
    var service: TestService
    let apiName = "files"
    var onDestination: () throws -> Void = {}
    init(_ service: TestService) { self.service = service }
    func destination(for response: HTTPResponse) throws -> DownloadTarget? {
      try onDestination()
      return nil
    }
  }

  func testEveryActionFromEveryCallbackOfADownload() async throws {
    let server = try fileServer(Array(content[..<300_000]))
    defer { server.stop() }
    // Never complete: what a busy machine tells late still finds the download under way.
    let held = try fileServer(Array(content[..<300_000]), breaksAfter: 299_999, waits: true)
    defer { held.stop() }
    let dead = try ScriptedServer.serving { _ in Array("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".utf8) }
    defer { dead.stop() }
    for fails in [false, true] {
      for action in Action.allCases {
        for point in ["destination", "began", "progress", "success", "failure", "paused", "cancelled"] {
          for ending in ["", "pause", "cancel"] {
            let isEarly = point == "destination" || point == "began"
            let ends = isEarly && (action == .cancel || action == .signOut)
            let file = ends ? held : server
            try await download(fails ? dead : file, action, at: point, ending, "fails \(fails)")
          }
        }
      }
    }
  }

  private func download(
    _ server: ScriptedServer, _ action: Action, at point: String, _ ending: String, _ prefix: String
  ) async throws {
    let name = "\(prefix) \(action) at \(point) \(ending)"
    var service = TestService(
      HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try server.url("/api")))
    let authenticator = Authenticator()
    try authenticator.signIn(with: Credential(accessToken: "anna"))
    service.authenticator = authenticator
    let owner = Owner()
    var strong: Downloader? = Downloader(service)
    weak let manager = strong
    strong?.delegate = owner
    strong?.onDestination = { [weak owner] in try owner?.act("destination") }
    var begun = 0
    var hasActed = false
    func begin() {
      if manager?.download(to: .file(self.path("a"), overwrites: true)).flightID != nil { begun += 1 }
    }
    owner.act = { here in
      guard here == point, !hasActed else { return }
      hasActed = true
      switch action {
      case .nothing: break
      case .cancel: manager?.cancel()
      case .pause: manager?.pause()
      case .again: begin()
      case .cancelAndAgain:
        manager?.cancel()
        begin()
      case .release: strong = nil
      case .signOut: try authenticator.signOut()
      case .throwing: throw ValidationError("thrown")
      }
    }
    begin()
    if ending == "pause" { manager?.pause() }
    if ending == "cancel" { manager?.cancel() }
    let end = ContinuousClock.now + .seconds(10)
    while manager?.isDownloading == true {
      if ContinuousClock.now > end { return XCTFail("\(name): does not end: \(owner.events)") }
      try? await Task.sleep(for: .microseconds(200))
    }
    await landingsWorkedOff()
    if action != .release, owner.ends.count != begun { XCTFail("\(name): \(begun) begun, \(owner.events)") }
    if let last = owner.events.last, !Owner.endings.contains(last), action != .release {
      XCTFail("\(name): \(owner.events)")
    }
    if hasActed, point == "destination" || point == "began" {
      if action == .cancel, owner.ends != ["cancelled"] { XCTFail("\(name): \(owner.events)") }
      if action == .signOut, ending == "", owner.ends != ["failure"] { XCTFail("\(name): \(owner.events)") }
    }
    strong = nil
    owner.act = { _ in }
    for _ in 0..<1000 where manager != nil { try? await Task.sleep(for: .milliseconds(1)) }
    if manager != nil { XCTFail("\(name): kept") }
    for _ in 0..<1000 where action == .release && names.contains(where: { $0.contains("journal.") }) {
      try? await Task.sleep(for: .milliseconds(1))
    }
    try? await Task.sleep(for: .milliseconds(action == .release ? 30 : 0))
    for file in names { try? FileManager.default.removeItem(atPath: path(file)) }
  }

  func testEveryActionFromEveryCallbackOfAnUpload() async throws {
    let server = try ScriptedServer.serving { _ in
      Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8)
    }
    defer { server.stop() }
    let dead = try ScriptedServer.serving { _ in Array("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".utf8) }
    defer { dead.stop() }
    for fails in [false, true] {
      for action in Action.allCases {
        for point in ["progress", "success", "failure", "paused", "cancelled"] {
          for ending in ["", "pause", "cancel"] {
            try await upload(fails ? dead : server, action, at: point, ending, "fails \(fails)")
          }
        }
      }
    }
  }

  private func upload(
    _ server: ScriptedServer, _ action: Action, at point: String, _ ending: String, _ prefix: String
  ) async throws {
    let name = "upload \(prefix) \(action) at \(point) \(ending)"
    var service = TestService(
      HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try server.url("/api")))
    let authenticator = Authenticator()
    try authenticator.signIn(with: Credential(accessToken: "anna"))
    service.authenticator = authenticator
    let owner = Owner()
    var strong: Uploader? = Uploader(service)
    weak let manager = strong
    strong?.delegate = owner
    var begun = 0
    var hasActed = false
    func begin() {
      if manager?.upload(.bytes(Array(content[..<200_000])), [:]).flightID != nil { begun += 1 }
    }
    owner.act = { here in
      guard here == point, !hasActed else { return }
      hasActed = true
      switch action {
      case .nothing, .throwing: break
      case .cancel: manager?.cancel()
      case .pause: manager?.pause()
      case .again: begin()
      case .cancelAndAgain:
        manager?.cancel()
        begin()
      case .release: strong = nil
      case .signOut: try authenticator.signOut()
      }
    }
    begin()
    if ending == "pause" { manager?.pause() }
    if ending == "cancel" { manager?.cancel() }
    let end = ContinuousClock.now + .seconds(10)
    while manager?.isUploading == true {
      if ContinuousClock.now > end { return XCTFail("\(name): does not end: \(owner.events)") }
      try? await Task.sleep(for: .microseconds(200))
    }
    await landingsWorkedOff()
    if action != .release, owner.ends.count != begun { XCTFail("\(name): \(begun) begun, \(owner.events)") }
    if let last = owner.events.last, !Owner.endings.contains(last), action != .release {
      XCTFail("\(name): \(owner.events)")
    }
    strong = nil
    owner.act = { _ in }
    for _ in 0..<1000 where manager != nil { try? await Task.sleep(for: .milliseconds(1)) }
    if manager != nil { XCTFail("\(name): kept") }
  }
}
