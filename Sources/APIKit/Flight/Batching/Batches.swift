import Synchronization

/// The loads that gather for common calls.
final class Batches: Sendable {
  typealias Outcome = Result<APIResponse, APIError>
  typealias Fly = @Sendable (APICall) async -> Outcome

  struct Key: Hashable, Sendable {
    let manager: ObjectIdentifier
    let service: String
    let environment: ServiceEnvironment
    let plan: String
    let method: HTTPMethod
    let headers: HTTPHeaders
    let parameters: Parameters?
    let caller: LoadIdentity
  }

  private struct Member {
    let call: APICall
    let waiter: CheckedContinuation<Outcome, Never>
    let number: Int
  }
  private struct State {
    var table = BatchTable<Key>()
    var members: [FlightID: Member] = [:]
    var tasks: [Int: Task<Void, Never>] = [:]
    /// What begins the calls of batches that wait for another one to land.
    var starts: [Int: @Sendable () -> Void] = [:]

    /// What begins the batch that has waited for this one, if there is one.
    mutating func takeSuccessor(of number: Int) -> (@Sendable () -> Void)? {
      table.successor(of: number).flatMap { starts.removeValue(forKey: $0) }
    }
  }

  private let state = Mutex(State())

  /// How many loads gather or wait for a common call.
  var waitingCount: Int { state.withLock { $0.members.count } }

  /// Waits for the load's part of a common call; `fly` makes the call.
  func outcome(for call: APICall, _ plan: BatchPlan, _ key: Key, fly: @escaping Fly) async -> Outcome {
    let flight = call.flightID
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let role = state.withLock { state -> BatchTable<Key>.Role? in
          guard !Task.isCancelled else { return nil }
          let role = state.table.enter(
            flight, key, most: plan.maximumCount, whileFlying: plan.gathersWhileFlying)
          let number =
            switch role {
            case .open(let number), .joined(let number), .filled(let number), .waiting(let number): number
            }
          state.members[flight] = Member(call: call, waiter: waiter, number: number)
          if case .waiting = role {
            state.starts[number] = { [self] in start(number, after: .zero, plan, call.time, fly) }
          }
          return role
        }
        switch role {
        case nil: waiter.resume(returning: Self.cancelled)
        case .joined, .waiting: break
        case .open(let number): start(number, after: plan.window, plan, call.time, fly)
        case .filled(let number):
          state.withLock { $0.starts[number] = nil }
          start(number, after: .zero, plan, call.time, fly)
        }
      }
    } onCancel: {
      leave(flight)
    }
  }

  private func start(
    _ number: Int, after wait: Duration, _ plan: BatchPlan, _ time: any TimeSource, _ fly: @escaping Fly
  ) {
    let task = Task.detached { [self] in
      if wait > .zero { do { try await time.sleep(for: wait) } catch { return } }
      let calls = state.withLock { state in
        state.table.launch(number).compactMap { state.members[$0]?.call }
      }
      guard let first = calls.first else { return }
      for call in calls where calls.count > 1 {
        call.recorder.record(.batched(count: calls.count, leader: first.flightID))
      }
      finish(number, plan, calls, await fly(calls.count > 1 ? APICall(merging: calls, into: plan) : first))
    }
    state.withLock { state in
      guard state.table.contains(number) else { return }
      // The window of a batch that is full now runs out for nothing; it is not cancelled, for it may have
      // launched the batch in this very moment.
      state.tasks[number] = task
    }
  }

  private func finish(_ number: Int, _ plan: BatchPlan, _ calls: [APICall], _ outcome: Outcome) {
    var parts: [FlightID: Outcome] = [:]
    if calls.count > 1, case .success(let response) = outcome {
      let split = plan.split(response.raw, calls.map(\.parameters))
      for (index, call) in calls.enumerated() {
        parts[call.flightID] = part(index < split.count ? split[index] : nil, of: response, for: call, plan)
      }
    }
    let (waiting, next) = state.withLock { state in
      state.tasks[number] = nil
      let next = state.takeSuccessor(of: number)
      return (state.table.finish(number).compactMap { state.members.removeValue(forKey: $0) }, next)
    }
    next?()
    for member in waiting { member.waiter.resume(returning: parts[member.call.flightID] ?? outcome) }
  }

  private func part(
    _ raw: RawData?, of response: APIResponse, for call: APICall, _ plan: BatchPlan
  ) -> Outcome {
    guard let raw else {
      return .failure(
        APIError(
          .response, .missingFromBatch, "the response of \(plan.apiName) holds nothing for this load",
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

  private func leave(_ flight: FlightID) {
    typealias Left = (member: Member?, task: Task<Void, Never>?, next: (@Sendable () -> Void)?)
    let (member, task, next) = state.withLock { state -> Left in
      guard let member = state.members.removeValue(forKey: flight) else { return (nil, nil, nil) }
      guard state.table.leave(flight, member.number) else { return (member, nil, nil) }
      state.starts[member.number] = nil
      return (
        member, state.tasks.removeValue(forKey: member.number), state.takeSuccessor(of: member.number)
      )
    }
    task?.cancel()
    next?()
    member?.waiter.resume(returning: Self.cancelled)
  }

  private static var cancelled: Outcome { .failure(APIError(.transport, .cancelled)) }
}
