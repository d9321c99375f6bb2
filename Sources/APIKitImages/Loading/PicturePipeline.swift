import APIKit

/// The way from an address to a picture: memory, load, decoding off the main actor, memory.
///
/// Generic over the picture, so that it runs where no part of the system decodes images. All who want one picture at the
/// same time share its decoding, and all who want one image, in whatever size, share its load. What nobody waits for any
/// longer is cancelled.
@MainActor final class PicturePipeline<Picture: Sendable> {
  /// How bytes become a picture, and what a picture costs.
  struct Decoding: Sendable {
    /// Called off the main actor.
    let picture: @Sendable ([UInt8], ImageTarget) async throws(APIError) -> Picture
    /// How many bytes a picture has in memory.
    let cost: @Sendable (Picture) -> Int
  }

  /// What tells pictures in memory apart.
  private struct Key: Hashable {
    let image: CacheKey
    let target: ImageTarget
  }

  /// What tells decodings apart that are under way.
  private struct Work: Hashable, Sendable {
    let image: ImageLoad.Identity
    let target: ImageTarget
  }

  /// Why a picture may not be shown any more: its user has left. Nil as long as it may.
  typealias Objection = @MainActor @Sendable () -> APIError?

  private typealias Arrival = Result<ImageLoad.Arrival, APIError>

  private let load: @MainActor (ImageAddress) throws(APIError) -> ImageLoad
  private let decoding: Decoding
  private var memory: PictureMemory<Key, Picture>
  private let loads = SingleFlight<ImageLoad.Identity, Arrival>()
  private let decodings = SingleFlight<Work, Result<Picture, APIError>>()

  /// - Parameter load: Says how the image at an address is loaded now.
  init(
    maximumBytes: Int, decoding: Decoding,
    load: @escaping @MainActor (ImageAddress) throws(APIError) -> ImageLoad
  ) {
    (self.load, self.decoding) = (load, decoding)
    memory = PictureMemory(maximumBytes: maximumBytes)
  }

  /// The bytes of all pictures in memory.
  var keptBytes: Int { memory.bytes }
  /// How many wait for a picture.
  var waiterCount: Int { decodings.waiterCount }

  /// The picture in memory; nil where there is none that the present user may see.
  func kept(_ address: ImageAddress, _ target: ImageTarget) -> Picture? { find(address, target)?.picture }

  /// The picture in memory, and what says later why it may not be shown any more.
  func find(_ address: ImageAddress, _ target: ImageTarget) -> (picture: Picture, objection: Objection)? {
    guard memory.count > 0, let load = try? load(address), let image = load.identity,
      let picture = memory.find(Key(image: image.key, target: target))
    else { return nil }
    return (picture, load.objection)
  }

  /// What says later why a picture that is loaded now may not be shown any more.
  func objection(_ address: ImageAddress) -> Objection {
    if let load = try? load(address) { load.objection } else { { nil } }
  }

  /// The picture, from memory or from the load of its image. Cancelling the task gives it up.
  ///
  /// - Parameter cache: How the load uses the response cache. Memory is asked for `CacheUse.asPolicy` alone.
  func picture(
    _ address: ImageAddress, _ target: ImageTarget, cache: CacheUse = .asPolicy
  ) async throws(APIError) -> Picture {
    let load = try load(address)
    guard let image = load.identity else {
      let arrival = try await load.arrival(cache).get()
      return try checked(try await decoding.picture(arrival.bytes, target), load)
    }
    if cache == .asPolicy, let kept = memory.find(Key(image: image.key, target: target)) { return kept }
    let work = Work(image: image, target: target)
    let result = await decodings.value(work) { [self] in
      await done(work, of: load, at: address, cache: cache)
    }
    guard let result else { throw APIError(cancelled: .taskCancelled) }
    return try checked(result.get(), load)
  }

  /// Drops the pictures in memory. Views keep what they show.
  func removeAll() { memory.removeAll() }

  /// The outcome of the work that all who want the picture wait for.
  nonisolated private func done(
    _ work: Work, of load: ImageLoad, at address: ImageAddress, cache: CacheUse
  ) async -> Result<Picture, APIError> {
    let arrived = await loads.value(work.image) { await load.arrival(cache) }
    do throws(APIError) {
      guard let arrival = try arrived?.get() else { throw APIError(cancelled: .taskCancelled) }
      let picture = try await decoding.picture(arrival.bytes, work.target)
      if arrival.mayBeKept { await keep(picture, of: work, at: address) }
      return .success(picture)
    } catch {
      return .failure(error)
    }
  }

  /// Keeps a picture where it still belongs to the one who asked: who has signed in or out meanwhile may not see it by
  /// that key.
  private func keep(_ picture: Picture, of work: Work, at address: ImageAddress) {
    guard (try? load(address))?.identity == work.image else { return }
    memory.keep(
      picture, bytes: decoding.cost(picture), for: Key(image: work.image.key, target: work.target))
  }

  /// What was waited for is the picture of a user who may have left meanwhile.
  private func checked(_ picture: Picture, _ load: ImageLoad) throws(APIError) -> Picture {
    if let objection = load.objection() { throw objection }
    return picture
  }
}
