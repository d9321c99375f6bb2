import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// What the framework keeps of a user goes in one call, wherever it is.
@MainActor final class UserDataTests: XCTestCase {
  private lazy var folder = temporaryFolder().path

  func testForgettingAUserErasesAllThatIsKeptOfTheUserAndNothingOfAnother() async throws {
    let world = try UserDataWorld(folder)
    try await world.fill()
    let before = try UserDataWorld.traces(in: folder)
    for place in [
      "/actions/", "/cache/bodies/", "/cache/responses", "/credentials/", "/downloads/", "/exchanges/",
      "/hosts/",
      "/logins/",
      "/outbox/queue.sqlite", "/outbox/spool/", "/transfers/queue.sqlite", "/transfers/spool/", "/uploads/",
    ] {
      XCTAssertTrue(before.contains { $0.hasPrefix(place) }, "nothing in \(place): \(before)")
    }

    try await world.userData.forget()
    XCTAssertEqual(try UserDataWorld.traces(in: folder), [])
    XCTAssertNil(world.authenticator.credential)
    XCTAssertEqual(world.jar.cookies, [])
    XCTAssertEqual(world.cache.statistics.memory.count, 0)
    let left = try await world.outbox.items()
    XCTAssertEqual(left.map(\.parameters), [["text": "bert's note"]])
    let kept = try await world.keptPaths()
    XCTAssertEqual(kept, ["/api/of-bert"])
    let marks = try UserDataWorld.files(in: folder).map(\.lastPathComponent).filter {
      $0.contains("leaving-") || $0.hasPrefix("removing-") || $0 == "erasing" || $0 == "forgetting"
    }
    XCTAssertEqual(marks, [])
    // The next user begins as usual.
    try await world.fill()
    XCTAssertFalse(try UserDataWorld.traces(in: folder).isEmpty)
    try await world.userData.forget()
    XCTAssertEqual(try UserDataWorld.traces(in: folder), [])
  }

  func testWhoHasSignedOutBeforeCanBeForgottenByName() async throws {
    let world = try UserDataWorld(folder)
    try await world.fill()
    try world.authenticator.signOut()
    try await world.userData.forget("anna")
    XCTAssertEqual(try UserDataWorld.traces(in: folder), [])
    let left = try await world.outbox.items()
    XCTAssertEqual(left.count, 1)
    let kept = try await world.keptPaths()
    XCTAssertEqual(kept, ["/api/of-bert"])
  }

  func testUsersWhoseNamesDifferByTheirBytesAloneAreBothForgotten() async throws {
    let names = ["Ren\u{E9}", "Rene\u{301}"]
    let services = try names.map { name in
      var service = TestService(StubTransport())
      service.authenticator = Authenticator(store: MemoryCredentialStore())
      try service.authenticator?.signIn(with: Credential(accessToken: name, notes: ["user": name]))
      return service
    }
    var kept = OutboxConfiguration(folder: "\(folder)/outbox")
    (kept.network, kept.storageKey) = (NetworkMonitor(watchesSystem: false), nil)
    let (outbox, store) = (Outbox(kept), NotingStore())
    let userData = UserData(of: services, outboxes: [outbox], uploads: [], stores: [store], folder: folder)
    let users = userData.users.flatMap(\.users).map { Array($0.utf8) }
    try await userData.forget()
    for name in names {
      XCTAssertTrue(users.contains(Array(name.utf8)), name)
      XCTAssertTrue(store.marked.withLock { $0.contains(Array(name.utf8)) }, name)
      XCTAssertTrue(store.erased.withLock { $0.contains(Array(name.utf8)) }, name)
    }
  }

  func testForgettingAUserWhileAnotherIsSignedInLeavesTheOther() async throws {
    let world = try UserDataWorld(folder)
    try await world.fill()
    try await world.userData.forget("bert")
    let left = try await world.outbox.items()
    XCTAssertEqual(left.map(\.user), ["anna", "anna"])
    let kept = try await world.keptPaths()
    XCTAssertEqual(kept.count, 2)
    XCTAssertTrue(kept.allSatisfy { $0.contains(UserDataWorld.canary) }, "\(kept)")
    XCTAssertNotNil(world.authenticator.credential)
    XCTAssertEqual(world.jar.cookies.count, 1)
    XCTAssertGreaterThan(world.cache.statistics.disk.count, 0)
    let actions = await world.log.counts()
    XCTAssertEqual(actions.waiting, 1)
  }

  func testWhoSignsInAfterAForgettingThatCouldNotDoAllStaysSignedIn() async throws {
    let world = try UserDataWorld(folder)
    try await world.fill()
    // No file, so that it cannot be removed as one.
    let obstacle = "\(folder)/downloads/a.apikit-part"
    try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
    let error = await failure { try await world.userData.forget() }
    XCTAssertEqual(error?.reason, .fileFailed)
    XCTAssertNil(world.authenticator.credential)
    try world.signIn("bert")
    for _ in 0..<2 {
      let next = try UserDataWorld(folder)
      XCTAssertEqual(next.authenticator.credential?.notes["user"], "bert")
      let left = try await next.outbox.items()
      XCTAssertEqual(left.map(\.user), ["bert"])
      next.jar.store(
        ["Set-Cookie": "of=bert; Max-Age=1000"], from: try XCTUnwrap(HTTPURL("https://homes.test")))
      try next.jar.flush()
    }
    // What could not be removed goes as soon as it can.
    try FileManager.default.removeItem(atPath: obstacle)
    try Data(UserDataWorld.canary.utf8).write(to: URL(fileURLWithPath: obstacle))
    let last = try UserDataWorld(folder)
    XCTAssertFalse(PrivateFile.exists(obstacle))
    XCTAssertEqual(last.jar.cookies.count, 1)
    XCTAssertEqual(PrivateFile.names(in: folder).filter { $0.hasPrefix("forgetting") }, [])
  }

  func testItemsOfAQueueThatCouldNotEvenBeMarkedAreErasedByTheNextLaunch() async throws {
    let world = try UserDataWorld(folder)
    try await world.fill()
    // A volume that is not there.
    let (outbox, away) = ("\(folder)/outbox", "\(folder)/away")
    try FileManager.default.moveItem(atPath: outbox, toPath: away)
    try PrivateFile.replace(outbox, with: [])
    let error = await failure { try await world.userData.forget() }
    XCTAssertEqual(error?.reason, .fileFailed)
    try FileManager.default.removeItem(atPath: outbox)
    try FileManager.default.moveItem(atPath: away, toPath: outbox)
    let next = try UserDataWorld(folder)
    let left = try await next.outbox.items()
    XCTAssertEqual(left.map(\.user), ["bert"])
    XCTAssertEqual(PrivateFile.names(in: folder).filter { $0.hasPrefix("forgetting") }, [])
  }

  func testAForgettingIsNotedWhereTheFolderForThatIsNotThereYet() async throws {
    // Killed in the first store.
    let notes = "\(folder)/notes/of-this"
    let store = NotingStore { XCTAssertTrue(PrivateFile.exists("\(notes)/forgetting"), "no note") }
    let userData = UserData(of: [], uploads: [], stores: [store], folder: notes)
    try await userData.forget()
    XCTAssertEqual(PrivateFile.names(in: notes), [])
    XCTAssertEqual(store.marked.withLock(\.count), 1)
  }

  func testADownloadUnderWayLeavesNothingBehind() async throws {
    let path = "\(folder)/begun"
    let file = try PartialFile(for: path, identity: "one")
    var state = DownloadState()
    (state.offset, state.etag) = (10, "\"\(UserDataWorld.canary)\"")
    try UserDataWorld.long.withUnsafeBytes { try file.write($0, at: 0) }
    try file.checkpoint(state)
    let journal = try UploadJournal("\(folder)/one.upload")
    try journal.write(UploadState(location: UserDataWorld.canary))
    try PartialFile.removeAll(in: folder)
    var options = TusOptions()
    options.journalFolder = folder
    try UploadJournal.removeAll(options)
    // They go on, until they see that their user has left.
    try file.checkpoint(state)
    try journal.write(UploadState(location: UserDataWorld.canary))
    XCTAssertThrowsError(try file.commit(as: path, state: DownloadState(offset: 10), overwrites: true))
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), [])
  }

  #if os(Linux)
    func testAForgettingThatIsKilledAtAnyStepIsFinishedByTheNextLaunch() async throws {
      var step = 0
      while true {
        let place = "\(folder)/\(step)"
        try PrivateFile.makeFolder(place)
        let child = try Self.start(["APIKIT_USER_DATA_STEP": "\(step)", "APIKIT_USER_DATA_FOLDER": place])
        try await Self.wait(for: child)
        guard child.terminationReason == .uncaughtSignal else {
          XCTAssertEqual(child.terminationStatus, 0)
          break
        }
        XCTAssertFalse(try UserDataWorld.traces(in: place).isEmpty, "step \(step) ends before all is gone")
        let world = try UserDataWorld(place)
        XCTAssertNil(world.authenticator.credential, "step \(step)")
        try await world.openAll()
        XCTAssertEqual(try UserDataWorld.traces(in: place), [], "step \(step)")
        XCTAssertEqual(world.jar.cookies, [], "step \(step)")
        let left = try await world.outbox.items()
        XCTAssertEqual(left.map(\.parameters), [["text": "bert's note"]], "step \(step)")
        let kept = try await world.keptPaths()
        XCTAssertEqual(kept, ["/api/of-bert"], "step \(step)")
        step += 1
      }
      XCTAssertGreaterThanOrEqual(step, 8)
    }

    func testOnAFullDiskAllOfAUserIsErasedToo() async throws {
      guard geteuid() == 0 else { throw XCTSkip("needs root, to mount a disk of 8 MiB") }
      for step in ["full", "full queue"] {
        let child = try Self.start(
          ["APIKIT_USER_DATA_STEP": step, "APIKIT_USER_DATA_FOLDER": folder], onDiskAt: folder)
        try await Self.wait(for: child)
        XCTAssertEqual(child.terminationStatus, 0, "\(step) \(child.terminationReason)")
      }
    }

    func testRemovingAllOnAFullDiskLasts() async throws {
      do {
        let world = try UserDataWorld(folder)
        try await world.fill()
        let limit = FileSizeLimit(0)
        defer { limit.remove() }
        world.jar.removeAll()
        world.cache.removeAll()
        await world.cache.flush()
        XCTAssertEqual(try UserDataWorld.traces(in: folder).filter { $0.hasPrefix("/cache") }, [])
        // What another process finds now.
        let next = try UserDataWorld(folder)
        XCTAssertEqual(next.jar.cookies, [])
        XCTAssertEqual(next.cache.statistics.disk.count, 0)
      }
    }

    /// This test program again, with ``UserDataChildTests`` alone; on a disk of its own, where a folder is given for it.
    private static func start(_ environment: [String: String], onDiskAt folder: String? = nil) throws
      -> Process
    {
      let child = Process()
      let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      let test = "\(String(reflecting: UserDataChildTests.self))/testBeTheOtherProcess"
      if let folder {
        child.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        child.arguments = [
          "--mount", "--propagation", "unchanged", "/bin/sh", "-c",
          // A root that is no mount point, as that of chroot, has no propagation of its own.
          #"mount --make-rprivate / 2>&-; mount -t tmpfs -o size=8m,mode=0700 tmpfs "$0" && exec "$1" "$2""#,
          folder, program.path, test,
        ]
      } else {
        child.executableURL = program
        child.arguments = [test]
      }
      child.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      child.standardOutput = FileHandle.nullDevice
      child.standardError = FileHandle.nullDevice
      try child.run()
      return child
    }

    private static func wait(for child: Process) async throws {
      for _ in 0..<12_000 where child.isRunning { try await Task.sleep(for: .milliseconds(5)) }
      XCTAssertFalse(child.isRunning, "the other process does not end")
      if child.isRunning { kill(child.processIdentifier, SIGKILL) }
    }
  #endif
}

#if os(Linux)
  /// Not a test of its own: what the other process of ``UserDataTests`` does.
  @MainActor final class UserDataChildTests: XCTestCase {
    func testBeTheOtherProcess() async throws {
      let environment = ProcessInfo.processInfo.environment
      guard let step = environment["APIKIT_USER_DATA_STEP"],
        let folder = environment["APIKIT_USER_DATA_FOLDER"]
      else { throw XCTSkip("runs as the child of UserDataTests") }
      if step == "full queue" { return try await dropOnFullDisk(folder) }
      let world = try UserDataWorld(folder)
      try await world.fill()
      guard let number = Int(step) else { return try await forgetOnFullDisk(world) }
      let mark = ErasureMark(path: "\(folder)/forgetting")
      try mark.set()
      // No place can write that something is removed before the process ends.
      let locks = try [
        "cache/responses.sqlite", "exchanges/exchanges.sqlite", "outbox/queue.sqlite",
        "transfers/queue.sqlite",
      ].map { try SQLiteDatabase(path: "\(folder)/\($0)", patience: 1000) }
      for lock in locks { try lock.execute("BEGIN IMMEDIATE") }
      let steps = world.userData.steps(world.userData.users, world.userData.names)
      guard number <= steps.count else { return }
      for step in steps.prefix(number) { try step.work() }
      if number == steps.count { mark.clear() }
      kill(getpid(), SIGKILL)
    }

    /// Many items of one user among those of another, in a database without an empty page.
    private func dropOnFullDisk(_ folder: String) async throws {
      let queue = DurableQueue(folder: "\(folder)/queue")
      let entries = (0..<600).map { number in
        var entry = QueueStore.QueueEntry()
        entry.user = number % 2 == 0 ? "anna" : "bert"
        entry.payload = Array(
          String(repeating: number % 2 == 0 ? UserDataWorld.canary : "bert", count: 200).utf8)
        return entry
      }
      _ = try await queue.enqueue(entries)
      try await queue.emptyLog()
      let filling = try fill(folder)
      defer { fclose(filling) }
      let dropped = try await queue.drop(user: "anna")
      XCTAssertEqual(dropped.count, 300)
      XCTAssertEqual(try UserDataWorld.traces(in: folder), [])
      let left = try await queue.rows().map(\.user)
      XCTAssertEqual(left, [String](repeating: "bert", count: 300))
    }

    private func fill(_ folder: String) throws -> UnsafeMutablePointer<FILE> {
      let filling = try XCTUnwrap(fopen("\(folder)/filling", "w"))
      setvbuf(filling, nil, _IONBF, 0)
      var length = 1 << 16
      while length > 0 {
        let block = [UInt8](repeating: 1, count: length)
        if fwrite(block, 1, length, filling) != length { length /= 2 }
      }
      XCTAssertEqual(errno, ENOSPC)
      return filling
    }

    private func forgetOnFullDisk(_ world: UserDataWorld) async throws {
      let filling = try fill(world.folder)
      defer { fclose(filling) }
      try await world.userData.forget()
      XCTAssertEqual(try UserDataWorld.traces(in: world.folder), [])
      let left = try await world.outbox.items()
      XCTAssertEqual(left.map(\.parameters), [["text": "bert's note"]])
    }
  }
#endif

/// Notes the bytes of the names that are to be erased.
private final class NotingStore: UserStore {
  let marked = Mutex<[[UInt8]]>([])
  let erased = Mutex<[[UInt8]]>([])
  private let look: @Sendable () -> Void
  init(_ look: @escaping @Sendable () -> Void = {}) { self.look = look }
  func markErasure(of users: Set<String?>) {
    look()
    marked.withLock { $0 += users.map { Array(($0 ?? "").utf8) } }
  }
  func erase(of users: Set<String?>) async { erased.withLock { $0 += users.map { Array(($0 ?? "").utf8) } } }
}
