import APIKitTesting
import Foundation
@testable import TestSupport

@testable import APIKit
@testable import APIKitImages

/// A picture as the tests make it of bytes.
struct Drawing: Sendable, Equatable {
  let bytes: [UInt8]
  let target: ImageTarget
}

/// Decodes for the tests: notes each decoding, may be held, and fails for the bytes of `broken`.
final class Decoder: Sendable {
  static let broken = Array("broken".utf8)

  let gate = StubGate(isOpen: true)
  let targets = Record<ImageTarget>()
  let wasOnMainThread = Record<Bool>()

  func decoding(bytesEach: Int = 100) -> PicturePipeline<Drawing>.Decoding {
    PicturePipeline<Drawing>.Decoding(
      picture: { [self] (bytes, target) async throws(APIError) in
        wasOnMainThread.add(Self.isOnMainThread)
        targets.add(target)
        _ = await gate.arrive()
        if bytes == Self.broken { throw APIError(.response, .malformedBody, "it is no image") }
        return Drawing(bytes: bytes, target: target)
      },
      cost: { _ in bytesEach })
  }

  private static var isOnMainThread: Bool { Thread.isMainThread }
}

/// A pipeline over a manager and a stub: image 1 is `one`, image 2 is `two`.
@MainActor struct ImageFixture {
  let stub = StubTransport()
  let decoder = Decoder()
  let manager: TestManager
  let pipeline: PicturePipeline<Drawing>

  static let one = ImageAddress.parameters(["id": 1])
  static let two = ImageAddress.parameters(["id": 2])

  init(maximumBytes: Int = 1000, _ change: (inout TestService) -> Void = { _ in }) {
    stub.when({ $0.url.query == "id=1" }, Self.image("one"))
    stub.when({ $0.url.query == "id=2" }, Self.image("two"))
    var service = TestService(stub)
    service.store = ResponseCache()
    change(&service)
    let manager = TestManager(service)
    manager.expectation = .image
    self.manager = manager
    pipeline = PicturePipeline(maximumBytes: maximumBytes, decoding: decoder.decoding()) {
      (address) throws(APIError) in
      switch address {
      case .parameters(let parameters): manager.imageLoad(parameters)
      case .url(let url): try manager.imageLoad(at: url)
      }
    }
  }

  static func image(_ text: String, headers: HTTPHeaders = HTTPHeaders()) -> StubResponse {
    .bytes(Array(text.utf8), contentType: "image/png", headers: headers)
  }

  static func target(_ side: Int = 64, fills: Bool = true) -> ImageTarget {
    guard let target = ImageTarget(width: Double(side), height: Double(side), fills: fills) else {
      fatalError("a side of \(side) makes no size")
    }
    return target
  }

  func drawing(_ text: String, _ side: Int = 64) -> Drawing {
    Drawing(bytes: Array(text.utf8), target: Self.target(side))
  }

  /// The picture in a task of its own.
  func ask(_ address: ImageAddress, _ side: Int = 64) -> Task<Result<Drawing, APIError>, Never> {
    let pipeline = pipeline
    return Task {
      do throws(APIError) { return .success(try await pipeline.picture(address, Self.target(side))) } catch {
        return .failure(error)
      }
    }
  }
}

extension Result where Failure == APIError {
  /// Why it failed; nil for a success.
  var failureReason: APIError.Reason? { if case .failure(let error) = self { error.reason } else { nil } }
}
