import APIKit

/// The calls of `open` that wait for the present one to end. Only the latest is opened; each of the others is told as one
/// that was not, so that every `open` has its `didClose`.
struct PendingOpens<Opening> {
  private var opens: [(opening: Opening, refusal: CancellationReason?)] = []

  var isEmpty: Bool { opens.isEmpty }

  /// Takes one more call, which supersedes those before it.
  mutating func add(_ opening: Opening) {
    refuse(because: .superseded)
    opens.append((opening, nil))
  }

  /// None of the calls so far is opened.
  mutating func refuse(because reason: CancellationReason, where isMeant: (Opening) -> Bool = { _ in true }) {
    for index in opens.indices where opens[index].refusal == nil && isMeant(opens[index].opening) {
      opens[index].refusal = reason
    }
  }

  /// The oldest call, and why it is not opened; nil as its reason where it is.
  mutating func next() -> (opening: Opening, refusal: CancellationReason?)? {
    opens.isEmpty ? nil : opens.removeFirst()
  }
}
