import APIKit
import Foundation

/// The command line of a load: what is sent where, and what becomes of the response.
struct CallArguments {
  /// What of the response is shown.
  enum Part: String, CaseIterable { case head, body, all }

  let method: HTTPMethod
  let target: CallTarget
  let content: CallContent
  let isForm: Bool
  let retries: Int
  let timeout: Duration?
  /// Nil where the console decides.
  let part: Part?
  /// The file for the body.
  let output: String?
  let overwrites: Bool
  let resumes: Bool

  init(_ arguments: ParsedArguments, _ method: HTTPMethod) throws(UsageError) {
    self.method = method
    target = try CallTarget(arguments)
    isForm = arguments.has("--form")
    content = try CallContent(target.data, method: method, isForm: isForm)
    retries = try arguments.number("--retries", in: 0...20) ?? 0
    timeout = try arguments.number("--timeout", in: 1...86_400).map { .seconds($0) }
    output = try arguments.outputFile("--output")
    // A response to HEAD has nothing else.
    part = try arguments.choice("--show") ?? (method == .head && output == nil ? .head : nil)
    (overwrites, resumes) = (arguments.has("--overwrite"), arguments.has("--resume"))
    guard output != nil || !overwrites && !resumes else {
      throw UsageError("\(resumes ? "--resume" : "--overwrite") is about a file: name it by --output")
    }
    if let output, !overwrites, FileManager.default.fileExists(atPath: output) {
      throw UsageError("--output: \(output) is there already; --overwrite replaces it")
    }
    guard output == nil || part == nil else { throw UsageError("--show and --output exclude each other") }
  }

  var headers: HTTPHeaders {
    var headers = target.headers
    if let type = content.contentType, !headers.contains("Content-Type") { headers.add("Content-Type", type) }
    return headers
  }
}
