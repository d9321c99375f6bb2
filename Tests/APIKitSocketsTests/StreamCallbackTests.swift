#if os(Linux)
  import APIKitTesting
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitSockets

  /// What a callback does to its stream counts: each open has one end, and nothing follows it.
  @MainActor final class StreamCallbackTests: StreamCase {
    private enum Place: String, CaseIterable { case open, item, lost, close, ends }
    private enum Deed: String, CaseIterable {
      case nothing, cancel, open, cancelAndOpen, openTwice, openAndCancel, release, dropDelegate, newSequence
      case signOut, switchUser, cancelLoop
    }

    func testTheStartOfAConnectionThatWasGivenUpIsNotThatOfALaterOne() async throws {
      let (service, server) = try service([[.readRequest, .waitForClose]])
      let events = GatedEvents(service)
      events.open()
      // Blocks the main actor, so that the start is told behind what follows.
      XCTAssertTrue(server.waitForConnections(1))
      events.cancel()
      service.network.force(.offline)
      events.networkGate = .wait(upTo: .seconds(60))
      events.open()
      XCTAssertEqual(events.state, .waiting)
      await landingsWorkedOff()
      XCTAssertEqual(events.state, .waiting)
      XCTAssertEqual(server.connectionCount, 1)
      events.cancel()
    }

    private final class GatedEvents: BaseEventStreamManager, EventStreamManager {
      let service: SocketService
      let apiName = "events"
      var networkGate = NetworkGate.fly
      init(_ service: SocketService) { self.service = service }
    }

    func testEveryDeedInEveryCallback() async throws {
      for place in Place.allCases { for deed in Deed.allCases { try await check(deed, in: place) } }
    }

    private func check(_ deed: Deed, in place: Place) async throws {
      let name = "\(deed) in \(place)"
      let once: [ScriptedServer.Step] = [.readRequest, .text(Self.head() + "data: a\n\n"), .close]
      let last: [ScriptedServer.Step] = [
        .readRequest, .text(Self.head() + "data: b\n\ndata: [DONE]\n\n"), .waitForClose,
      ]
      var (service, _) = try service([once, last])
      let authenticator = Authenticator(store: MemoryCredentialStore())
      service.authenticator = authenticator
      func signIn(_ user: String) throws {
        try authenticator.signIn(with: Credential(accessToken: user, notes: ["user": user]))
      }
      try signIn("ann")
      var events: Events? = Events(service)
      weak let weakly = events
      let log = CountingLog()
      events?.delegate = log
      events?.reconnection.backoff = .constant(.milliseconds(10))
      var opens = 1
      var isDone = false
      var tasks: [Task<Int, Never>] = []
      let loop = { (sequence: StreamItems<ServerEvent>?) in
        Task { @MainActor in
          var count = 0
          guard var iterator = sequence?.makeAsyncIterator() else { return 0 }
          do { while try await iterator.next() != nil { count += 1 } } catch {}
          return count
        }
      }
      let act = {
        guard !isDone else { return }
        isDone = true
        switch deed {
        case .nothing: break
        case .cancel: events?.cancel()
        case .open:
          opens += 1
          events?.open()
        case .cancelAndOpen:
          events?.cancel()
          opens += 1
          events?.open()
        case .openTwice:
          opens += 2
          events?.open()
          events?.open()
        case .openAndCancel:
          opens += 1
          events?.open()
          events?.cancel()
        case .release: events = nil
        case .dropDelegate: events?.delegate = nil
        case .newSequence: tasks.append(loop(events?.events()))
        case .signOut: try? authenticator.signOut()
        case .switchUser:
          try? authenticator.signOut()
          try? signIn("bob")
        case .cancelLoop: tasks.first?.cancel()
        }
      }
      log.onCall = { if $0 == place { act() } }
      events?.onEnds = { _ in if place == .ends { act() } }
      tasks.append(loop(events?.events()))
      events?.open()
      let isHeard = deed != .release && deed != .dropDelegate
      await waitUntil(name) {
        isDone && (isHeard ? log.closes >= opens : weakly?.state.isActive ?? false == false)
      }
      try await Task.sleep(for: .milliseconds(40))
      if isHeard {
        XCTAssertEqual(log.closes, opens, name)
        XCTAssertEqual(log.isInOrder, true, name)
      } else {
        XCTAssertLessThanOrEqual(log.closes, 1, name)
      }
      let ended = Record<Int>()
      for task in tasks { Task { ended.add(await task.value) } }
      // A sequence that was taken after the end waits for another open, or for the release.
      events = nil
      await waitUntil("\(name): loops") { ended.all.count == tasks.count }
      await waitUntil("\(name): released") { weakly == nil }
    }

    private func waitUntil(_ what: String, _ isSo: () -> Bool) async {
      let start = ContinuousClock.now
      while !isSo() {
        guard ContinuousClock.now - start < .seconds(6) else { return XCTFail(what) }
        try? await Task.sleep(for: .milliseconds(1))
      }
    }

    @MainActor private final class CountingLog: EventStreamDelegate {
      var closes = 0
      var isInOrder = true
      private var isOpen = false
      var onCall: (Place) -> Void = { _ in }

      func events(_ manager: BaseEventStreamManager, didOpenWith response: HTTPResponse, number: Int) {
        isInOrder = isInOrder && !isOpen && manager.state == .open
        isOpen = true
        onCall(.open)
      }
      func events(_ manager: BaseEventStreamManager, didReceive event: ServerEvent) {
        isInOrder = isInOrder && isOpen
        onCall(.item)
      }
      func events(
        _ manager: BaseEventStreamManager, didDisconnectWith closing: StreamClosing, retryAfter wait: Duration
      ) {
        isInOrder = isInOrder && isOpen
        isOpen = false
        onCall(.lost)
      }
      func events(_ manager: BaseEventStreamManager, didCloseWith closing: StreamClosing) {
        closes += 1
        isOpen = false
        onCall(.close)
      }
    }
  }
#endif
