#if os(Linux)
  /// Whether the server will probably answer before two threads could be woken for it, as one on this machine
  /// does: bets on the answers before it, a state machine without time or sockets.
  ///
  /// Looks that find nothing use up a credit that others earn; with none left every 64th is worth one.
  struct CurlNearness {
    private var requests = 0
    private var credit = 4

    mutating func isWorthALook() -> Bool {
      requests &+= 1
      return credit > 0 || requests % 64 == 0
    }

    mutating func looked(found: Bool) { credit = found ? min(credit + 2, 16) : max(credit - 1, 0) }
  }
#endif
