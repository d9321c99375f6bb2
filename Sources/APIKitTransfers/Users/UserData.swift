public import APIKit
import Foundation

/// Erases all stored data of a user in one call.
///
/// ```swift
/// let userData = UserData(
///   of: [Homes.shared, Accounts.shared], outboxes: [outbox], transferQueues: [transfers],
///   downloadFolders: [documents])
/// try await userData.forget()
/// ```
/// Make it at launch, before the first load: it then finishes a removal that an earlier launch has not finished. It erases
/// only the stores that are passed to it. Isolated to the main actor; only marks and the removal of files wait for the disk
/// there.
@MainActor public final class UserData {
  private let services: [any APIService]
  private let outboxes: [Outbox]
  private let transferQueues: [TransferQueue]
  private let actionLogs: [ActionLog]
  private let loginStores: [FileLoginStore]
  private let downloadFolders: [String]
  private let uploads: [TusOptions]
  private let stores: [any UserStore]
  /// There while it is not certain that each place has its own mark, or is erased.
  private let mark: ErasureMark

  /// Makes an object for all stores with data of a user.
  ///
  /// - Parameters:
  ///   - services: The services whose authenticators, cookies, stored responses and kept lists of hosts are erased.
  ///   - outboxes: The outboxes. None by default.
  ///   - transferQueues: The queues of transfers. None by default.
  ///   - actionLogs: The logs of actions. None by default.
  ///   - loginStores: The stores of logins. None by default.
  ///   - downloadFolders: The folders to which downloads go, whose partial files and journals are erased; complete
  ///     files stay. None by default.
  ///   - uploads: The options whose journals of uploads are erased. The default is the standard
  ///     folder.
  ///   - stores: Further stores, such as an `ExchangeStore` of APIKitReports. None by default.
  ///   - folder: The folder for the note that a removal has begun; nil, the default, is the program's own folder for
  ///     persistent data.
  public init(
    of services: [any APIService], outboxes: [Outbox] = [], transferQueues: [TransferQueue] = [],
    actionLogs: [ActionLog] = [], loginStores: [FileLoginStore] = [], downloadFolders: [String] = [],
    uploads: [TusOptions] = [TusOptions()], stores: [any UserStore] = [], folder: String? = nil
  ) {
    (self.services, self.outboxes, self.transferQueues) = (services, outboxes, transferQueues)
    (self.actionLogs, self.loginStores) = (actionLogs, loginStores)
    (self.downloadFolders, self.uploads, self.stores) = (downloadFolders, uploads, stores)
    mark = ErasureMark(path: "\(folder ?? StandardFolder.state.path)/forgetting")
    // What cannot be done now is done at the next launch.
    if mark.isSet {
      condemn(users, names)
    } else {
      // The user was signed out: who is signed in now is another one, or has come back.
      let left = StepPlace.allCases.filter { leftMark(of: $0).isSet }
      if !left.isEmpty { condemn([], [nil], in: left) }
      markLeftQueues()
    }
  }

  /// Signs the user out, erases all stored data of this user, and returns when it is gone from the disk.
  ///
  /// Stored responses, cookies, actions, partial files and kept hosts of all users are erased, because they do not name their
  /// user. Of outboxes, transfer queues and stores only the data of this user, or without a known user, is erased, also items
  /// that ``OutboxConfiguration/keepsItemsAtSignOut`` would keep. If the process ends meanwhile, the next launch finishes the
  /// removal. Complete downloads, and records that the application has written to a file, stay. Do not sign a user in before
  /// it has returned.
  ///
  /// - Parameter user: The user's name, as ``OutboxConfiguration/user`` gives it. The default, nil, is the signed-in user. If
  ///   another user is signed in, only data that names its user is erased: items, transfers, and the user's data in stores.
  /// - Throws: `APIError.Reason.storageFull` or `APIError.Reason.fileFailed` when something could not be erased yet,
  ///   e.g. because the disk is full; the detail names it. No load uses that data, and it is erased when its store is
  ///   opened next.
  public func forget(_ user: String? = nil) async throws(APIError) {
    var (users, names) = (users, names)
    if let user { (users, names) = (runners.map { ($0, [user]) }, [nil, user]) }
    guard user == nil || !isAnotherSignedIn(than: user) else {
      names.removeAll { $0 == nil }
      return try Self.check(mark(names) + (await dropItems(of: users)) + (await erase(names)))
    }
    // Where it cannot be noted, what follows is done all the same, unless the process ends in the next moment.
    // The mark would be none in a folder that is missing, and the data are in others.
    try? PrivateFile.makeFolder(PrivateFile.folder(of: mark.path))
    try? mark.set()
    var faults = condemn(users, names) + (await dropItems(of: users)) + (await erase(names))
    for log in actionLogs { do { try await log.erase() } catch { faults.append(error) } }
    for cache in caches {
      await cache.flush()
      if let folder = cache.unerasedFolder { faults.append(PrivateFile.Fault("the cache in \(folder)")) }
    }
    // What loads that were under way have written meanwhile.
    try Self.check(faults + removeFiles())
  }

  // MARK: Insides

  private func isAnotherSignedIn(than user: String?) -> Bool {
    authenticators.contains { authenticator in
      authenticator.credential.map { !authenticator.rules.user($0).equalsExactly(user) } ?? false
    }
  }

  /// Marks what stores have of users, and says what could not be done.
  private func mark(_ names: [String?]) -> [any Error] {
    stores.compactMap { store in
      do { try Self.mark(names, in: store) } catch { return error }
      return nil
    }
  }

  private static func mark(_ names: [String?], in store: any UserStore) throws {
    for names in Self.sets(of: names) { try store.markErasure(of: names) }
  }

  /// The names in as few sets as hold all of them: a set has one of two names that are canonically equal.
  private static func sets(of names: [String?]) -> [Set<String?>] {
    names.reduce(into: []) { sets, name in
      if let index = sets.firstIndex(where: { !$0.contains(name) }) {
        sets[index].insert(name)
      } else {
        sets.append([name])
      }
    }
  }

  /// Erases what stores have of users, and says what could not be done.
  private func erase(_ names: [String?]) async -> [any Error] {
    var faults: [any Error] = []
    for store in stores {
      for names in Self.sets(of: names) {
        do { try await store.erase(of: names) } catch { faults.append(error) }
      }
    }
    return faults
  }

  /// Drops the items of users, and says what could not be done.
  private func dropItems(of users: Users) async -> [any Error] {
    var faults: [any Error] = []
    for (runner, users) in users {
      for user in users {
        do throws(DurableQueue.Fault) { try await runner.forget(user) } catch {
          faults.append(APIError(error, of: runner.configuration))
        }
      }
    }
    return faults
  }

  private static func check(_ faults: [any Error]) throws(APIError) {
    guard let first = faults.first else { return }
    throw APIError(
      .takeoff, faults.contains { ($0 as? APIError)?.reason == .storageFull } ? .storageFull : .fileFailed,
      "not everything of the user could be erased yet: "
        + faults.map { ($0 as? APIError)?.detail ?? "\($0)" }.joined(separator: "; "), underlying: first)
  }

  private var runners: [QueueRunner] { outboxes.map(\.runner) + transferQueues.map(\.runner) }

  private var caches: [ResponseCache] { Self.distinct(services.compactMap(\.cache.store)) }

  private var authenticators: [Authenticator] { Self.distinct(services.compactMap(\.identity.authenticator)) }

  private static func distinct<Object: AnyObject>(_ objects: [Object]) -> [Object] {
    var seen: Set<ObjectIdentifier> = []
    return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// By bytes: two names that are canonically equal are of two users.
  private static func distinct(_ names: [String]) -> [String] {
    names.reduce(into: []) { if !$0.containsExactly($1) { $0.append($1) } }
  }

  /// Users, in the words of each queue.
  typealias Users = [(runner: QueueRunner, users: [String])]

  /// Who is signed in.
  var users: Users {
    let credentials = authenticators.compactMap(\.credential)
    return runners.map { runner in
      (runner, Self.distinct(credentials.compactMap(runner.configuration.user).filter { !$0.isEmpty }))
    }
  }

  /// Who is signed in, for stores; nil stands for what names nobody.
  var names: [String?] {
    [nil] + Self.distinct(authenticators.compactMap { $0.credential.flatMap($0.rules.user) })
  }

  /// What a step erases or marks.
  enum StepPlace: String, CaseIterable {
    case queues, actions, stores, caches, cookies, credentials, files
  }

  /// There while a place could not be erased, although the user is signed out.
  private func leftMark(of place: StepPlace) -> ErasureMark {
    ErasureMark(path: "\(mark.path)-\(place.rawValue)")
  }

  /// Notes beside the other marks that a user has left whom the queue has no mark of.
  private func leaveNote(of user: String, in queue: DurableQueue) throws(PrivateFile.Fault) {
    let digest = Crypto.digest(of: [user])
    guard !DurableQueue.leaveMark(ofDigest: digest, in: queue.folder).isSet else { return }
    try ErasureMark(path: "\(notes(for: queue))\(digest)").set()
  }

  /// The beginning of the paths of a queue's notes. The folder that its own is in may be elsewhere at the next launch.
  private func notes(for queue: DurableQueue) -> String {
    let name = (queue.folder as NSString).lastPathComponent
    return "\(leftMark(of: .queues).path)-\(Crypto.digest(of: [name]))-"
  }

  /// Marks in the queues who has left when that was not possible there. Who has come back keeps the items.
  private func markLeftQueues() {
    let names = PrivateFile.names(in: PrivateFile.folder(of: mark.path))
    for (runner, users) in users {
      let notes = notes(for: runner.queue)
      let beginning = (notes as NSString).lastPathComponent
      for name in names where name.hasPrefix(beginning) {
        let digest = String(name.dropFirst(beginning.count))
        if !users.contains(where: { Crypto.digest(of: [$0]) == digest }) {
          let mark = DurableQueue.leaveMark(ofDigest: digest, in: runner.queue.folder)
          guard (try? mark.set()) != nil else { continue }
        }
        ErasureMark(path: notes + digest).clear()
      }
    }
  }

  /// Marks what must be erased by its place, and erases the rest; from then on each place has its own mark, or is erased.
  ///
  /// - Returns: What could not be done, because of which the next launch does it.
  @discardableResult private func condemn(
    _ users: Users, _ names: [String?], in places: [StepPlace] = StepPlace.allCases
  ) -> [any Error] {
    var (faults, left): ([any Error], Set<StepPlace>) = ([], [])
    for (place, work) in steps(users, names) where places.contains(place) {
      do { try work() } catch {
        faults.append(error)
        left.insert(place)
      }
    }
    // While the user may still be signed in, the next launch begins again.
    guard !left.contains(.credentials) else { return faults }
    do throws(PrivateFile.Fault) {
      // A queue has data of other users, too.
      if left.remove(.queues) != nil {
        for (runner, users) in users { for user in users { try leaveNote(of: user, in: runner.queue) } }
      }
      for place in left { try leftMark(of: place).set() }
    } catch {
      return faults + [error]
    }
    for place in places where !left.contains(place) { leftMark(of: place).clear() }
    mark.clear()
    return faults
  }

  /// What condemning takes, in its order. Each step needs no room on the disk, may be done again, and waits for nothing but
  /// the disk.
  func steps(
    _ users: Users, _ names: [String?]
  ) -> [(place: StepPlace, work: @MainActor () throws -> Void)] {
    var steps: [(place: StepPlace, work: @MainActor () throws -> Void)] = []
    for (runner, users) in users {
      for user in users {
        steps.append((.queues, { try runner.queue.leaveMark(of: user).set() }))
      }
    }
    for log in actionLogs { steps.append((.actions, { try log.markErasure() })) }
    for store in stores { steps.append((.stores, { try Self.mark(names, in: store) })) }
    for cache in caches { steps.append((.caches, { cache.removeAll() })) }
    for jar in services.compactMap(\.wire.client.cookies) {
      steps.append((.cookies, { try jar.forgetAll() }))
    }
    // The credential goes when everything knows whose data it was.
    for authenticator in authenticators { steps.append((.credentials, { try authenticator.signOut() })) }
    steps.append((.files, { if let fault = self.removeFiles().first { throw fault } }))
    return steps
  }

  /// Removes the files that need no database to be opened.
  private func removeFiles() -> [any Error] {
    var faults: [any Error] = []
    func take(_ work: () throws -> Void) { do { try work() } catch { faults.append(error) } }
    for folder in downloadFolders { take { try PartialFile.removeAll(in: folder) } }
    for options in uploads { take { try UploadJournal.removeAll(options) } }
    for pool in services.compactMap(\.admission.hosts) { take { try pool.forgetKept() } }
    for store in loginStores { take { try store.removeAll() } }
    return faults
  }
}
