import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Delegates of a queue of transfers that act on it from within their callbacks.
@MainActor final class TransferQueueCallbackTests: TransferQueueCase {
  enum Callback: String, CaseIterable { case queueProgress, queueEnd, managerEnd }
  enum Deed: String, CaseIterable {
    case nothing, dropSelf, dropOther, dropAll, stop, stopAndStart, signOut, switchUser, attachOther,
      releaseDelegate, retry, enqueue, finish, release, offline
  }

  func testEveryDeedFromEveryCallbackLeavesTheQueueAtRest() async throws {
    for callback in Callback.allCases {
      for deed in Deed.allCases {
        for keeps in [false, true] { try await run(callback, deed, keeps) }
      }
    }
  }

  /// A service with a network and a user who is signed in.
  private func signedIn(_ server: ScriptedServer) throws -> (TestService, Authenticator) {
    let authenticator = Authenticator()
    try authenticator.signIn(with: Credential(accessToken: "ann", notes: ["user": "ann"]))
    var service = try service(server)
    service.authenticator = authenticator
    network.force(.wifi)
    return (service, authenticator)
  }

  private func run(_ callback: Callback, _ deed: Deed, _ keeps: Bool) async throws {
    let name = "\(deed) in \(callback), keeps \(keeps)"
    let content = [UInt8](repeating: 7, count: 200_000)
    let tokens = Record<String>()
    let server = try ScriptedServer.serving { request in
      tokens.add(request.headers["Authorization"] ?? "nobody")
      return Array("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n".utf8) + content
    }
    defer { server.stop() }
    let (service, authenticator) = try signedIn(server)
    let subfolder = "q-\(UUID().uuidString)"
    var queue: TransferQueue? = self.queue(service) {
      $0.keepsItemsAtSignOut = keeps
      $0.folder = self.path(subfolder)
    }
    queues = []
    weak let released = queue
    let manager = KeptDownloads(service)
    let other = KeptDownloads(service)
    let watcher = ActingDelegate(callback)
    let otherWatcher = ActingDelegate(.queueEnd)
    manager.delegate = watcher
    other.delegate = otherWatcher
    queue?.delegate = watcher
    queue?.attach(manager)
    var ids: [TransferID] = []
    for number in 0..<3 {
      let id = try await queue!.enqueue(manager, ["id": number], to: .file(path("\(subfolder)-\(number)")))
      ids.append(id)
    }
    let tasks = Record<Task<Void, Never>>()
    watcher.act = { [weak queue] id in
      guard let queue else { return }
      switch deed {
      case .nothing: break
      case .dropSelf: tasks.add(Task { try? await queue.drop(id ?? ids[0]) })
      case .dropOther: tasks.add(Task { try? await queue.drop(ids[2]) })
      case .dropAll: for id in ids { tasks.add(Task { try? await queue.drop(id) }) }
      case .stop: tasks.add(Task { await queue.stop() })
      case .stopAndStart:
        tasks.add(
          Task {
            await queue.stop()
            queue.start()
          })
      case .signOut: try? authenticator.signOut()
      case .switchUser:
        try? authenticator.signIn(with: Credential(accessToken: "bob", notes: ["user": "bob"]))
      case .attachOther: queue.attach(other)
      case .releaseDelegate:
        queue.delegate = nil
        manager.delegate = nil
      case .retry: tasks.add(Task { try? await queue.retry(id ?? ids[0]) })
      case .enqueue:
        tasks.add(
          Task { _ = try? await queue.enqueue(manager, ["id": 9], to: .file(self.path("\(subfolder)-9"))) })
      case .finish: tasks.add(Task { await queue.finish() })
      case .release: break
      case .offline: self.network.force(.offline)
      }
    }
    queue?.start()
    if deed == .release {
      watcher.act = { _ in queue = nil }
    }
    let end = ContinuousClock.now + .seconds(6)
    var left: [QueuedTransfer] = []
    while ContinuousClock.now < end {
      time.advance(by: .seconds(1))
      try await Task.sleep(for: .milliseconds(2))
      if deed == .release {
        if watcher.hasActed, released == nil { break }
      } else {
        left = try await queue!.transfers()
        if left.isEmpty { break }
        if watcher.hasActed, [.stop, .switchUser, .offline].contains(deed) || deed == .signOut && keeps {
          try await Task.sleep(for: .milliseconds(100))
          left = try await queue!.transfers()
          break
        }
      }
    }
    XCTAssertLessThan(ContinuousClock.now, end, "\(name): \(left.map(\.state)) \(watcher.story)")
    for task in tasks.all {
      _ = await Task.leavable { await task.value }
    }
    if deed == .release { XCTAssertNil(released, name) }
    if deed == .dropAll {
      let ended = watcher.story.count
      try await Task.sleep(for: .milliseconds(50))
      XCTAssertEqual(watcher.story.count, ended, name)
    }
    if tokens.all.contains("Bearer bob") { XCTFail("\(name): sent as another user") }
    // Each is told once at most.
    for id in ids {
      let count = watcher.story.filter { $0.hasPrefix("\(id) ") }.count
      XCTAssertLessThanOrEqual(count, 1, "\(name): \(watcher.story)")
    }
    network.force(.wifi)
    if let queue { await queue.stop() }
  }
}

extension TransferQueueCallbackTests {
  func testTheQueueTellsNoProgressToWhomTheManagersDelegateHasSignedOut() async throws {
    let content = [UInt8](repeating: 7, count: 200_000)
    let server = try ScriptedServer.serving { _ in
      Array("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n".utf8) + content
    }
    defer { server.stop() }
    let (service, authenticator) = try signedIn(server)
    let (queue, manager) = (queue(service), KeptDownloads(service))
    let (listener, watcher) = (ProgressListener(), ActingDelegate(.queueProgress))
    manager.delegate = listener
    queue.delegate = watcher
    queue.attach(manager)
    listener.onProgress = { try? authenticator.signOut() }
    try await queue.enqueue(manager, to: .file(path("file")))
    queue.start()
    try await turn { listener.hasHeard }
    try await turn { try await queue.transfers().isEmpty }
    XCTAssertFalse(watcher.hasActed)
  }
}

@MainActor private final class ProgressListener: DownloadManagerDelegate {
  var onProgress: () -> Void = {}
  private(set) var hasHeard = false

  func manager(_ manager: BaseDownloadManager, didSucceedWith file: DownloadedFile) {}
  func manager(_ manager: BaseDownloadManager, didFailWith error: APIError) {}
  func manager(_ manager: BaseDownloadManager, didProgress progress: TransferProgress) {
    hasHeard = true
    onProgress()
  }
}

@MainActor private final class ActingDelegate: DownloadManagerDelegate, TransferQueueDelegate {
  var story: [String] = []
  var act: (TransferID?) -> Void = { _ in }
  private(set) var hasActed = false
  private let callback: TransferQueueCallbackTests.Callback

  init(_ callback: TransferQueueCallbackTests.Callback) { self.callback = callback }

  private func act(_ here: TransferQueueCallbackTests.Callback, _ id: TransferID?) {
    guard here == callback, !hasActed else { return }
    hasActed = true
    act(id)
  }
  func manager(_ manager: BaseDownloadManager, didSucceedWith file: DownloadedFile) {
    story.append("m finished")
    act(.managerEnd, nil)
  }
  func manager(_ manager: BaseDownloadManager, didFailWith error: APIError) {
    story.append("m failed \(error.reason)")
    act(.managerEnd, nil)
  }
  func transferQueue(
    _ queue: TransferQueue, didProgress progress: TransferProgress, of transfer: TransferID
  ) { act(.queueProgress, transfer) }
  func transferQueue(
    _ queue: TransferQueue, didEnd transfer: TransferID, _ result: Result<TransferEnd, APIError>
  ) {
    switch result {
    case .success: story.append("\(transfer) done")
    case .failure(let error): story.append("\(transfer) failed \(error.reason)")
    }
    act(.queueEnd, transfer)
  }
}
