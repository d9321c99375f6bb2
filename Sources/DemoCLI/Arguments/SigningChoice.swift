import APIKit
import APIKitSigning
import Foundation

/// The signer that `--sign` and `--key` ask for.
enum SigningChoice {
  /// The ways to sign, for the help and for errors.
  private static let ways =
    "hmac or hmac:ID, one of \(SignatureKey.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")) with :ID, or "
    + "aws:REGION/SERVICE"

  static func signer(_ arguments: ParsedArguments) throws(UsageError) -> (any RequestSigner)? {
    guard let text = arguments.text("--sign") else {
      guard !arguments.has("--key") else { throw UsageError("--key is the key of --sign, which is missing") }
      return nil
    }
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    let (way, name) = (parts.first ?? "", parts.count > 1 ? parts[1] : "")
    do throws(APIError) {
      if way == "aws" { return try awsSigner(name) }
      if way == "hmac" { return HMACSigner(key: try key(arguments, isText: true), keyID: name) }
      guard let algorithm = SignatureKey.Algorithm(rawValue: way), !name.isEmpty else {
        throw APIError(.signing, .signingFailed, "--sign must be \(ways), not \(text)")
      }
      let isShared = algorithm == .hmacSHA256
      let bytes = try key(arguments, isText: isShared)
      return MessageSigner(
        key: isShared
          ? try SignatureKey(id: name, secret: bytes)
          : try SignatureKey(id: name, algorithm: algorithm, privateKey: bytes))
    } catch {
      throw UsageError(error.detail)
    }
  }

  /// The key of the file, without the line end of a text.
  private static func key(_ arguments: ParsedArguments, isText: Bool) throws(APIError) -> SecretKey {
    guard let path = arguments.text("--key") else {
      throw APIError(.signing, .signingFailed, "--sign needs --key FILE")
    }
    guard let data = InputFile.contents(path), !data.isEmpty else {
      throw APIError(.signing, .signingFailed, "--key: \(path) cannot be read, or is empty")
    }
    guard isText, let text = String(data: data, encoding: .utf8) else {
      return SecretKey(bytes: Array(data))
    }
    return SecretKey(text.trimmingCharacters(in: .newlines))
  }

  /// By the variables that the tools of AWS read.
  private static func awsSigner(_ name: String) throws(APIError) -> AWSSigner {
    let parts = name.split(separator: "/").map(String.init)
    guard parts.count == 2 else {
      throw APIError(
        .signing, .signingFailed, "--sign aws needs region and service: aws:eu-central-1/execute-api")
    }
    let variables = ProcessInfo.processInfo.environment
    guard let id = variables["AWS_ACCESS_KEY_ID"], let secret = variables["AWS_SECRET_ACCESS_KEY"] else {
      throw APIError(
        .signing, .signingFailed,
        "--sign aws reads AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, which are not set both")
    }
    return AWSSigner(
      accessKeyID: id, secretKey: SecretKey(secret), sessionToken: variables["AWS_SESSION_TOKEN"],
      region: parts[0], service: parts[1])
  }
}
