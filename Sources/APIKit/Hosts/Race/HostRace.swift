/// A race of connections to the servers of a pool: nothing but connections, so that the request is sent once, to the
/// winner.
struct HostRace: Sendable {
  /// How a race ended.
  struct Outcome: Sendable {
    /// The server that connected first, and its time; nil when all have failed.
    var winner: (host: PooledHost, time: Duration?)?
    /// The servers that failed before, and their errors.
    var failures: [(host: PooledHost, error: APIError)] = []
    /// How long it all took.
    var time = Duration.zero
    var entrants = 0
  }

  private enum Event: Sendable {
    case stands(Int, Duration?)
    case failed(Int, APIError)
    case woke
  }

  let time: any TimeSource
  /// Opens a connection to a server; how long it took.
  let connect: @Sendable (PooledHost) async throws(APIError) -> Duration?

  /// Runs it. Cancelling the task ends it with the failures so far.
  func run(_ hosts: [PooledHost]) async -> Outcome {
    var plan = RacePlan(count: hosts.count)
    var outcome = Outcome(entrants: hosts.count)
    let start = time.now
    await withTaskGroup(of: Event.self) { group in
      var actions = plan.begin(now: start)
      race: while true {
        for action in actions {
          switch action {
          case .connect(let index):
            let (connect, host) = (connect, hosts[index])
            group.addTask {
              do throws(APIError) { return .stands(index, try await connect(host)) } catch {
                return .failed(index, error)
              }
            }
          case .wake(let due):
            let time = time
            group.addTask {
              try? await time.sleep(for: max(.zero, due - time.now))
              return .woke
            }
          case .end: break race
          }
        }
        switch await group.next() {
        case .stands(let index, let taken)?:
          outcome.winner = (hosts[index], taken)
          actions = plan.stands()
        case .failed(let index, let error)?:
          outcome.failures.append((hosts[index], error))
          // The limit of the whole attempt has passed; the others began later, and would pass it by that.
          if error.reason == .totalTimeout { break race }
          actions = plan.failed(now: time.now)
        case .woke?: actions = plan.timeHasCome(now: time.now)
        case nil: break race
        }
      }
      group.cancelAll()
    }
    outcome.time = time.now - start
    return outcome
  }
}
