/// The loads that gather for common calls.
///
/// A batch gathers until its window is over, the one before it has landed, or it is full; then its call is in the air, and the
/// next load begins another. It is given up when the last of its loads leaves.
final class Batches: Sendable {
  typealias Outcome = Result<APIResponse, APIError>

  /// What a common call, or a load's part of it, has ended with, and whose the call was in the end; nil for a load that
  /// has left.
  typealias Landing = (result: Outcome, user: LoadUser?)

  struct BatchKey: Hashable, Sendable {
    let manager: ObjectIdentifier
    let service: String
    let environment: ServiceEnvironment
    let plan: String
    let method: HTTPMethod
    let headers: HTTPHeaders
    let parameters: Parameters?
    let timeouts: HTTPTimeouts
    /// The expectation by which the common response is judged; the shape is that of each load's part.
    let expectation: ResponseExpectation.Identity?
    let caller: LoadIdentity
    let dependents: LoadDependents
  }

  /// How a batch is made.
  struct Terms: Sendable {
    let plan: BatchPlan
    /// Whose the load is that begins it.
    let user: LoadUser
    /// Makes the common call, or that of the load alone.
    let fly: @Sendable (APICall) async -> Landing
    /// The load is suspended with the common call, or continues with it.
    let suspend: @Sendable (Bool) -> Void
  }

  private struct Member {
    let call: APICall
    let fly: @Sendable (APICall) async -> Landing
    let suspend: @Sendable (Bool) -> Void
    let continuation: CheckedContinuation<Landing, Never>
  }

  /// A batch has a task while it waits for its window, or for its user to leave, and once its call is made.
  private typealias Machine = SingleFlightMachine<BatchKey, Member, Task<Void, Never>?>

  private struct BatchesState {
    var machine = Machine()
    /// The latest batch in the air for each key, where later loads gather meanwhile.
    var inAir: [BatchKey: Int] = [:]
    /// Closures that make the call of a waiting batch when the batch with this number has landed.
    var successors: [Int: @Sendable () -> Void] = [:]

    /// The call of a batch is to be made. Returns the task that it has, and its loads; nil when it was made or given up.
    mutating func launch(_ number: Int, _ plan: BatchPlan) -> (task: Task<Void, Never>?, members: [Member])? {
      guard let (batch, members) = machine.close(number) else { return nil }
      if plan.gathersWhileFlying { inAir[batch.key] = number }
      return (batch.operation, members)
    }

    /// A batch has landed or was given up. Returns what makes the call of the one that waits for it.
    mutating func forget(_ batch: Machine.Work) -> (@Sendable () -> Void)? {
      if inAir[batch.key] == batch.number { inAir[batch.key] = nil }
      return successors.removeValue(forKey: batch.number)
    }
  }

  private let state = Mutex(BatchesState())

  /// How many loads gather or wait for a common call.
  var waitingCount: Int { state.withLock { $0.machine.waiterCount } }

  /// Waits for the load's part of a common call.
  func outcome(for call: APICall, _ key: BatchKey, terms: Terms) async -> Landing {
    let id = call.flightID.rawValue
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let isWaiting = state.withLock { state in
          guard !Task.isCancelled else { return false }
          let ahead = terms.plan.gathersWhileFlying ? state.inAir[key] : nil
          let role = state.machine.enter(
            id, key, waiter: Member(call: call, fly: terms.fly, suspend: terms.suspend, continuation: waiter)
          ) {
            number in
            terms.plan.maximumCount > 1 ? gather(number, call, terms, isBehind: ahead != nil) : nil
          }
          guard let batch = state.machine.work(of: id) else { return true }
          if batch.waiterCount >= terms.plan.maximumCount {
            make(batch.number, terms, in: &state)
          } else if case .leads = role, let ahead {
            state.successors[ahead] = { [self] in
              self.state.withLock { make(batch.number, terms, in: &$0) }
            }
          }
          return true
        }
        if !isWaiting { waiter.resume(returning: Self.cancelled) }
      }
    } onCancel: {
      let (left, next) = state.withLock { state in
        let isSuspended = state.machine.isSuspended(id)
        let left = state.machine.leave(id)
        if isSuspended { left?.waiter.suspend(false) }
        // The record of the one who leads has the call.
        if let left, let (heir, batch) = left.heir, state.machine.isClosed(batch) {
          left.waiter.call.recorder.passOn(to: heir.call.recorder)
        }
        return (left, left?.abandoned.flatMap { state.forget($0) })
      }
      left?.abandoned?.operation?.cancel()
      next?()
      left?.waiter.continuation.resume(returning: Self.cancelled)
    }
  }

  /// A common call is suspended, or continues, and with it its loads.
  func suspend(_ isSuspended: Bool, _ call: Flight) {
    state.withLock { state in
      for member in state.machine.suspend(isSuspended, workOf: call.id.rawValue) {
        member.suspend(isSuspended)
      }
    }
  }

  /// Makes the call of a batch when its window is over. That ends early when the user has left, who is that of all its loads: the
  /// call then fails, and nothing is sent.
  ///
  /// - Parameter isBehind: Whether it waits for another call instead of a window.
  private func gather(
    _ number: Int, _ call: APICall, _ terms: Terms, isBehind: Bool
  ) -> Task<Void, Never>? {
    let check = UserCheck(call)
    guard !isBehind || check != nil else { return nil }
    return Task.detached { [self] in
      let (window, time, user) = (terms.plan.window, call.time, terms.user)
      if isBehind {
        await check?.untilGone(user)
      } else if window > .zero {
        let wait = { @Sendable () async in _ = try? await time.sleep(for: window) }
        if let check { await check.wait(as: { user }, wait) } else { await wait() }
      }
      guard !Task.isCancelled else { return }
      guard let (_, members) = state.withLock({ $0.launch(number, terms.plan) }) else { return }
      await fly(number, members, terms.plan)
    }
  }

  /// Makes the call of a batch that waits no longer.
  private func make(_ number: Int, _ terms: Terms, in state: inout BatchesState) {
    guard let (window, members) = state.launch(number, terms.plan) else { return }
    window?.cancel()
    let task = Task.detached { [self] in await fly(number, members, terms.plan) }
    state.machine.replaceOperation(of: number, with: task)
  }

  private func fly(_ number: Int, _ members: [Member], _ plan: BatchPlan) async {
    let calls = members.map(\.call)
    for call in calls where calls.count > 1 {
      call.recorder.record(.batched(count: calls.count, leader: calls[0].flightID))
    }
    // The first of those who have stayed, which need not be the one who began the batch.
    let (outcome, user) = await members[0].fly(
      calls.count > 1 ? APICall(merging: calls, into: plan) : calls[0])
    var parts: [FlightID: Outcome] = [:]
    if calls.count > 1, case .success(let response) = outcome {
      let split = plan.split(response.raw, calls.map(\.parameters))
      for (index, call) in calls.enumerated() {
        let raw = index < split.count ? split[index] : nil
        parts[call.flightID] = Self.part(raw, of: response, for: call, apiName: plan.apiName)
      }
    }
    let (done, next) = state.withLock { state in
      let done = state.machine.finish(number)
      return (done, done.flatMap { state.forget($0.work) })
    }
    next?()
    for member in done?.waiters ?? [] {
      member.continuation.resume(returning: (parts[member.call.flightID] ?? outcome, user))
    }
  }

  private static func part(
    _ raw: RawData?, of response: APIResponse, for call: APICall, apiName: String
  ) -> Outcome {
    guard let raw else {
      return .failure(
        APIError(
          .response, .missingFromBatch, "the response of \(apiName) holds nothing for this load",
          evidence: response.http.evidence))
    }
    let part = APIResponse(raw: raw, http: response.http, provenance: response.provenance)
    do throws(APIError) {
      try call.check(part)
      return .success(part)
    } catch {
      return .failure(error)
    }
  }

  private static var cancelled: Landing { (.failure(APIError(.transport, .cancelled)), nil) }
}
