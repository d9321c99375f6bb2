import APIKit
import Reformers

/// The three backends, by the names that a user types.
enum HomeSource: String, CaseIterable, Sendable {
  case sacramento, ames, new

  /// The backend that an id belongs to; nil when it belongs to none.
  init?(id: String) {
    switch id.prefix(while: { $0 != "-" }) {
    case "sac": self = .sacramento
    case "ames": self = .ames
    case "xf": self = .new
    default: return nil
    }
  }

  /// The text of a heading.
  var title: String {
    switch self {
    case .sacramento: "Sacramento"
    case .ames: "Ames"
    case .new: "New homes in Ames"
    }
  }

  /// The manager that lists its homes.
  @MainActor func homes(in session: Session) throws -> any HomesManager {
    switch self {
    case .sacramento: SacramentoHomesManager(try session.sacramento)
    case .ames: AmesHomesManager(try session.ames)
    case .new: NewHomesManager(try session.newHomes)
    }
  }

  /// The manager that loads one home.
  @MainActor func home(in session: Session) throws -> any APIManager {
    switch self {
    case .sacramento: SacramentoHomeManager(try session.sacramento)
    case .ames: AmesHomeManager(try session.ames)
    case .new: NewHomeManager(try session.newHomes)
    }
  }

  /// The manager that loads the picture of one home, and its parameters.
  @MainActor func picture(
    of id: String, in session: Session
  ) throws -> (manager: any APIManager, parameters: Parameters) {
    switch self {
    case .sacramento: (HomePictureManager(try session.sacramento), ["id": id])
    case .ames: (HomePictureManager(try session.ames), ["id": String(id.dropFirst("ames-".count))])
    case .new: (HomePictureManager(try session.newHomes), ["id": id])
    }
  }
}
