import APIKit
import APIKitTransfers
import Foundation
import Observation

/// The user's favourites: those that the server has, and the changes that it does not have yet.
@MainActor @Observable final class Favourites: APIManagerDelegate {
  /// A change that the server does not have yet.
  struct Change: Equatable {
    let isFavourite: Bool
    /// Where the outbox has it; nil until it is on the disk.
    var item: OutboxItemID?
    /// Whether the server has refused it. It is then not sent until the user says so.
    var isRefused = false
  }

  /// The changes by the ids of their homes, the latest of each.
  private(set) var changes: [Home.ID: Change] = [:]
  /// Why something was not loaded or kept.
  private(set) var problem: String?

  private var saved: Set<Home.ID> = []
  private let list: FavouriteListManager
  private let manager: FavouriteManager
  private let outbox: Outbox
  /// Grows with each change, so that what was read of the outbox before it is not shown after it.
  @ObservationIgnored private var revision = 0
  private static let kind = "favourite"

  init(_ service: HomesService, _ outbox: Outbox) {
    (list, manager, self.outbox) = (FavouriteListManager(service), FavouriteManager(service), outbox)
    outbox.register(FavouriteManager.self, as: Self.kind) { FavouriteManager(service) }
    manager.delegate = self
    outbox.attach(manager)
  }

  func isFavourite(_ home: Home) -> Bool { changes[home.id]?.isFavourite ?? saved.contains(home.id) }

  /// Shows the change at once; it is sent when it can be. Does nothing while one is refused: ``retry(_:)`` or ``discard(_:)``
  /// comes first.
  func toggle(_ home: Home) {
    guard changes[home.id]?.isRefused != true else { return }
    let change = Change(isFavourite: !isFavourite(home))
    revision += 1
    problem = nil
    changes[home.id] = change
    manager.load(["id": home.id, "is_favourite": change.isFavourite])
  }

  /// Sends a refused change again.
  func retry(_ home: Home) async {
    await decide(about: home) { (item) throws(APIError) in try await self.outbox.retry(item) }
  }

  /// Gives a change up.
  func discard(_ home: Home) async {
    await decide(about: home) { (item) throws(APIError) in try await self.outbox.drop(item) }
  }

  /// Loads the favourites of a user; with nil, forgets those of the user before.
  func load(of user: String?) async {
    (saved, problem) = ([], nil)
    await readOutbox()
    guard user != nil else { return }
    do throws(APIError) {
      saved = try await list.value().data.items
    } catch {
      if !error.isCancellation { problem = error.localizedDescription }
    }
  }

  private func decide(
    about home: Home, _ decision: (OutboxItemID) async throws(APIError) -> Void
  ) async {
    guard let item = changes[home.id]?.item else { return }
    problem = nil
    do throws(APIError) { try await decision(item) } catch { problem = error.localizedDescription }
    await readOutbox()
  }

  /// The outbox says what is on the disk: of this launch and of those before.
  private func readOutbox() async {
    revision += 1
    let begun = revision
    do throws(APIError) {
      let items = try await outbox.items()
      guard begun == revision else { return }
      changes = [:]
      for item in items where item.manager == Self.kind {
        guard let id = item.parameters["id"]?.string else { continue }
        changes[id] = Change(item)
      }
    } catch {
      problem = error.localizedDescription
    }
  }

  // MARK: APIManagerDelegate

  func manager(_ manager: BaseAPIManager, didQueue item: OutboxItemID, of flight: FlightID) {
    Task { await readOutbox() }
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    let change = response.raw["data"]
    if let id = change.home_id.string {
      if change.is_favourite.bool == true { saved.insert(id) } else { saved.remove(id) }
    }
    Task { await readOutbox() }
  }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    problem = error.localizedDescription
    Task { await readOutbox() }
  }

  func manager(_ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason) {
    Task { await readOutbox() }
  }
}

extension Favourites.Change {
  fileprivate init(_ item: OutboxItem) {
    isFavourite = item.parameters["is_favourite"]?.bool == true
    self.item = item.id
    switch item.state {
    case .waiting, .sending: isRefused = false
    case .parked, .damaged: isRefused = true
    }
  }
}
