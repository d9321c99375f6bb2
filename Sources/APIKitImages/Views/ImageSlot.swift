import APIKit

/// The place of a remote image in a view: does what an ``ImageSlotMachine`` decides.
///
/// The view tells it what happens, and draws ``phase`` when ``onChange`` is called. Releasing it cancels its load.
@MainActor final class ImageSlot<Picture: Sendable> {
  typealias Machine = ImageSlotMachine<Picture>

  /// Called after ``phase`` has changed.
  var onChange: @MainActor () -> Void = {}

  private var machine = Machine()
  private var pipeline: PicturePipeline<Picture>?
  private var running: (number: Int, task: Task<Void, Never>)?
  /// What says why what is shown or loaded may not be shown any more.
  private var objection: PicturePipeline<Picture>.Objection = { nil }

  init() {}

  deinit { running?.task.cancel() }

  /// What is shown.
  var phase: Machine.Phase { machine.phase }

  /// Whether a tap loads again.
  var isFailed: Bool { if case .failure = machine.phase { true } else { false } }

  /// What a view that now wants this draws, before the slot has heard of it: nothing of another image, and what is in
  /// memory at once.
  func phase(
    showing address: ImageAddress?, by pipeline: PicturePipeline<Picture>, in target: ImageTarget?
  ) -> Machine.Phase {
    if address == machine.address, pipeline === self.pipeline, !isEmpty, objection() == nil {
      return machine.phase
    }
    guard let address, let target, let picture = pipeline.kept(address, target) else { return .placeholder }
    return .picture(picture, of: Machine.Wish(address: address, target: target))
  }

  /// Another image is wanted, or the same one again; nil for none.
  func show(_ address: ImageAddress?, by pipeline: PicturePipeline<Picture>) {
    follow { machine in
      use(pipeline, in: &machine)
      machine.show(address, kept: kept)
    }
  }

  /// What is wanted is this, in this size; nil for none. It is not the wish for another try after a failure.
  func want(
    _ address: ImageAddress?, by pipeline: PicturePipeline<Picture>, in target: ImageTarget?
  ) {
    follow { machine in
      use(pipeline, in: &machine)
      if address != machine.address { machine.show(address, kept: kept) }
      machine.resize(to: target, kept: kept)
    }
  }

  /// The view has another size; nil while it has none.
  func resize(to target: ImageTarget?) { follow { $0.resize(to: target, kept: kept) } }

  func appear() { follow { $0.appear(kept: kept) } }

  func disappear() { follow { $0.disappear() } }

  func tap() { follow { $0.tap(kept: kept) } }

  private var isEmpty: Bool { if case .placeholder = machine.phase { true } else { false } }

  private func kept(_ wish: Machine.Wish) -> Picture? {
    guard let found = pipeline?.find(wish.address, wish.target) else { return nil }
    objection = found.objection
    return found.picture
  }

  /// What another loader has is another image, whatever its name.
  private func use(_ pipeline: PicturePipeline<Picture>, in machine: inout Machine) {
    if pipeline !== self.pipeline { machine.show(nil) { _ in nil } }
    self.pipeline = pipeline
  }

  /// What was shown to a user who has left is not shown again.
  private func forget(in machine: inout Machine) {
    let address = machine.address
    objection = { nil }
    machine.show(nil) { _ in nil }
    machine.show(address, kept: kept)
  }

  /// Passes events of the view on, and does what follows.
  private func follow(_ events: (inout Machine) -> Void) {
    var next = machine
    if objection() != nil { forget(in: &next) }
    events(&next)
    become(next)
  }

  private func landed(_ number: Int, _ result: Result<Picture, APIError>) {
    var next = machine
    next.landed(number, result)
    become(next)
  }

  private func become(_ next: Machine) {
    let hasChanged = next.changes != machine.changes
    machine = next
    if next.load?.number != running?.number { begin(next.load) }
    if hasChanged { onChange() }
  }

  private func begin(_ load: Machine.Load?) {
    running?.task.cancel()
    running = nil
    guard let load, let pipeline else { return }
    objection = pipeline.objection(load.wish.address)
    let task = Task { [weak self] in
      let result: Result<Picture, APIError>
      do throws(APIError) {
        result = .success(
          try await pipeline.picture(load.wish.address, load.wish.target, cache: load.cache))
      } catch {
        result = .failure(error)
      }
      self?.landed(load.number, result)
    }
    running = (load.number, task)
  }
}
