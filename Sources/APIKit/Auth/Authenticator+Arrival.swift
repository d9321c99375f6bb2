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

  /// Whether the sign-in with this number counts: no other has come first, and the application has not ended it.
  func isUnderWay(_ number: Int) -> Bool { state.withLock { $0.machine.isUnderWay(number) } }

  /// Whether the user is to be asked for a sign-in: loads still wait for it.
  func mayAsk(_ number: Int) -> Bool { state.withLock { $0.machine.mayAsk(number) } }
}

extension SignInMachine.Outcome {
  /// The credential of another sign-in or renewal, whose user may be another one.
  var arrival: Credential? { if case .replaced(let credential) = self { credential } else { nil } }
}
