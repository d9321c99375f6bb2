public import APIKit

/// The id of a transfer in a ``TransferQueue``: unique in its folder, and never given twice.
public struct TransferID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number, from 1.
  public let rawValue: Int64

  /// Makes an id of a number that was stored before.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// The number.
  public var description: String { "\(rawValue)" }

  /// Orders ids by the time at which they were given.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A transfer that waits in a ``TransferQueue``, or is under way.
public struct QueuedTransfer: Sendable, Hashable, Identifiable {
  /// The kind of the transfer.
  public enum Kind: Sendable, Hashable {
    /// A download to this target.
    case download(to: DownloadTarget)
    /// An upload of the file at this path; nil for a body that the queue has copied.
    case upload(of: String?)
  }

  /// Its state.
  public enum State: Sendable, Hashable {
    /// It waits for a slot, for the network, for a sign-in, or for its next attempt.
    case waiting
    /// It is under way, in this process or another.
    case transferring
    /// It was set aside, for this reason, until ``TransferQueue/retry(_:)`` or ``TransferQueue/drop(_:)``.
    case parked(String)
    /// Its bytes on the disk were damaged: it is not carried out. Of its other properties only the id is certain.
    case damaged
  }

  /// Its id.
  public let id: TransferID
  /// The kind of the transfer.
  public let kind: Kind
  /// Its state.
  public let state: State
  /// The name under which its manager's type is registered.
  public let manager: String
  /// The API's name.
  public let apiName: String
  /// The environment in which it was made, and in which it is carried out.
  public let environment: ServiceEnvironment
  /// The parameters.
  public let parameters: Parameters
  /// The user to whom it belongs; empty for none.
  public let user: String
  /// The number of failed attempts.
  public let attempts: Int
  /// The progress: from the running transfer of this process, or else from the journal. A plain upload has no journal, and
  /// begins anew when it is interrupted.
  public let progress: TransferProgress

  init(_ row: QueueStore.Row, _ kept: KeptTransfer, live: TransferProgress?) {
    id = TransferID(rawValue: row.id)
    state =
      switch row.state {
      case _ where row.isDamaged: .damaged
      case .waiting: .waiting
      case .running: .transferring
      case .parked: .parked(row.reason ?? "")
      }
    (manager, user, attempts) = (row.type, row.user, row.attempts)
    (apiName, parameters) = (kept.apiName, kept.parameters)
    environment = ServiceEnvironment(kept.environment)
    kind =
      switch kept.kind {
      case .download(let target, _): .download(to: target)
      case .upload(let path, _, _): .upload(of: path)
      case .spooledUpload: .upload(of: nil)
      }
    progress = live ?? kept.progress
  }
}

extension KeptTransfer {
  /// As its journal says.
  fileprivate var progress: TransferProgress {
    if case .download = kind { return PartialFile.progress(inJournal: journal) ?? TransferProgress() }
    return UploadJournal.progress(inJournal: journal)
      ?? TransferProgress(totalToSend: count < 0 ? nil : count)
  }
}
