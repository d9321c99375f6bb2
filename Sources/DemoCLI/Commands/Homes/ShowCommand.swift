import APIKit
import APIKitImages
import Foundation
import Reformers

/// Shows one home.
struct ShowCommand: Command {
  static let name = "show"
  static let summary = "show one home by its id"
  static let example = "show ames-17"
  static let operands = ["ID"]
  static let options = [
    Option("--picture", value: "FILE", help: "write its picture to a file, and tell its type and size")
  ]

  private let id: String
  private let file: String?
  private let source: HomeSource

  init(_ arguments: ParsedArguments) throws(UsageError) {
    id = arguments.operands[0]
    file = try arguments.outputFile("--picture")
    guard let source = HomeSource(id: id) else {
      throw UsageError("\(id) is no id of a home: they begin with sac-, ames- or xf-")
    }
    self.source = source
  }

  func run(in session: Session) async throws {
    let manager = try source.home(in: session)
    session.note(try await manager.response(["id": id]).provenance)
    let picture = try await writePicture(in: session)
    try HomePrinter(session: session).print(
      try manager.fetchData(with: PropertyDetailReformer()), picture: picture)
  }

  /// What the first bytes of the picture say, whatever its content type is; nil without `--picture`.
  private func writePicture(in session: Session) async throws -> ImageHead? {
    guard let file else { return nil }
    let (manager, parameters) = try source.picture(of: id, in: session)
    let response = try await manager.response(parameters)
    guard let head = response.http.imageHead else {
      throw APIError(.response, .malformedBody, "what came is no picture")
    }
    try OutputFile.write(Data(response.bytes), to: file)
    session.console.error("wrote \(file)")
    return head
  }
}
