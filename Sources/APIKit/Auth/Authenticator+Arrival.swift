extension Authenticator {
  /// Changes the machine by a credential that comes. The application says whose it is, outside the lock: it may ask this
  /// object.
  func settle(
    taking new: Credential?, _ change: (inout SignInMachine) -> SignInMachine.Release
  ) {
    guard let new else { return settle(change) }
    var isSettled = false
    while !isSettled {
      let latest = state.withLock { $0.machine.latest }
      let isSame = latest.flatMap(rules.user).map { rules.user(new).equalsExactly($0) } ?? false
      settle { machine in
        // Another one may have come meanwhile.
        guard machine.latest == latest else { return [] }
        isSettled = true
        machine.isSameUser = isSame
        defer { machine.isSameUser = nil }
        return change(&machine)
      }
    }
  }
}
