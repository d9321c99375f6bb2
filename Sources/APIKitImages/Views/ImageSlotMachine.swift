import APIKit

/// What a view shows of a remote image, and which load is to be under way for it: a state machine without views, tasks
/// and time.
///
/// | event | what follows |
/// |---|---|
/// | another address | the picture in memory, or the placeholder and a load; never the picture before |
/// | the same address | nothing; after a failure, another load |
/// | a larger size | the picture stays until the larger one is there |
/// | a smaller size | nothing |
/// | disappearance | the load is given up; what is shown stays |
/// | appearance | what is not there yet is loaded, a failure again |
/// | a tap | after a failure, another load |
/// | a landing | shown where it is that of the load under way; any other is ignored |
struct ImageSlotMachine<Picture> {
  /// An image in a size.
  struct Wish: Hashable, Sendable {
    let address: ImageAddress
    let target: ImageTarget
  }

  enum Phase {
    /// There is nothing to show yet, or nothing is wanted.
    case placeholder
    case picture(Picture, of: Wish)
    case failure(APIError)
  }

  struct Load: Hashable {
    /// Unlike that of every other load of the slot.
    let number: Int
    let wish: Wish
    let cache: CacheUse
  }

  /// What is shown.
  private(set) var phase = Phase.placeholder { didSet { changes += 1 } }
  /// How often what is shown has changed.
  private(set) var changes = 0
  /// The load that is to be under way; whatever else is, is to be cancelled.
  private(set) var load: Load?
  /// The image that is wanted.
  private(set) var address: ImageAddress?

  private var target: ImageTarget?
  private var isVisible = false
  private var lastNumber = 0

  /// Another image is wanted, or the same one again; nil for none.
  ///
  /// - Parameter kept: Finds a picture in memory; of the other events too.
  mutating func show(_ address: ImageAddress?, kept: (Wish) -> Picture?) {
    guard address != self.address else { return settle(forgivingFailure(), kept) }
    self.address = address
    clear()
    settle(.asPolicy, kept)
  }

  /// The view has another size; nil while it has none.
  mutating func resize(to target: ImageTarget?, kept: (Wish) -> Picture?) {
    self.target = target
    settle(.asPolicy, kept)
  }

  mutating func appear(kept: (Wish) -> Picture?) {
    guard !isVisible else { return }
    isVisible = true
    settle(forgivingFailure(), kept)
  }

  mutating func disappear() {
    isVisible = false
    load = nil
  }

  mutating func tap(kept: (Wish) -> Picture?) { settle(forgivingFailure(), kept) }

  mutating func landed(_ number: Int, _ result: Result<Picture, APIError>) {
    guard let load, load.number == number else { return }
    self.load = nil
    switch (result, phase) {
    case (.success(let picture), _): phase = .picture(picture, of: load.wish)
    case (.failure, .picture): break  // A smaller picture is better than none.
    case (.failure(let error), _): phase = .failure(error)
    }
  }

  /// Decides whether anything is to be loaded, by what is wanted and what is there.
  private mutating func settle(_ cache: CacheUse, _ kept: (Wish) -> Picture?) {
    guard let address, let target, isVisible else { return load = nil }
    switch phase {
    case .failure: return load = nil
    case .picture(_, let shown) where shown.target.covers(target): return load = nil
    case .picture, .placeholder: break
    }
    if let load, load.wish.address == address, load.wish.target.covers(target) { return }
    let wish = Wish(address: address, target: target)
    if cache == .asPolicy, let picture = kept(wish) {
      phase = .picture(picture, of: wish)
      return load = nil
    }
    lastNumber += 1
    load = Load(number: lastNumber, wish: wish, cache: cache)
  }

  /// Makes a failure one that is tried again, and says how: a stored response that is no image would fail for ever.
  private mutating func forgivingFailure() -> CacheUse {
    guard case .failure(let error) = phase else { return .asPolicy }
    clear()
    return error.reason == .malformedBody ? .ignoring : .asPolicy
  }

  private mutating func clear() {
    if case .placeholder = phase { return }
    phase = .placeholder
  }
}
