import Foundation

/// The last good list of a pool's addresses, sealed on disk.
///
/// A file for each pool, replaced as a whole, so that processes may share it.
final class KeptHosts: Sendable {
  /// A list, and the day on which it was asked for.
  struct List: Codable, Equatable, Sendable {
    var day: Int
    var addresses: [String]
  }

  private let folder: String
  private let key: StorageKey?

  private static let envelope = Envelope(kind: .hosts)
  private static let limit = 1 << 16

  init(folder: String?, key: SecretKey?) throws(APIError) {
    self.folder = folder ?? StandardFolder.state.path + "/hosts"
    self.key = try key.map { key throws(APIError) in
      try StorageKey(key.bytes, of: "a list of hosts", .assembly)
    }
  }

  /// The list of a name; nil where there is none that can be read: it is then asked for.
  func list(of name: String) -> List? {
    guard let key, let sealed = try? PrivateFile.read(path(of: name), limit: Self.limit),
      let plain = try? Self.envelope.open(sealed, under: key, at: name.utf8)
    else { return nil }
    return try? JSONDecoder().decode(List.self, from: Data(plain))
  }

  /// Keeps a list. One that cannot be kept is asked for again by the next process.
  func keep(_ list: List, of name: String) {
    guard let key, let plain = try? JSONEncoder().encode(list),
      let sealed = Self.envelope.seal(Array(plain), under: key, at: name.utf8)
    else { return }
    try? PrivateFile.replace(path(of: name), with: sealed)
  }

  /// Removes all lists of the folder.
  func removeAll() throws(PrivateFile.Fault) {
    try PrivateFile.removeAll(in: folder, endingWith: Self.ending)
  }

  private static let ending = ".hosts"

  private func path(of name: String) -> String {
    folder + "/" + Hex.encode(Crypto.sha256(Array(name.utf8))) + Self.ending
  }
}
