import APIKit

/// Images anywhere, each named by its whole URL: without a sign-in, a signature, a base URL.
struct AbsoluteImages: APIService {
  let name = "APIKitImages"
  let environments = Self.none
  let wire: WireOptions
  let cache: CacheOptions

  /// One for all, for they are one service by its name.
  private static let none = ServiceEnvironments([:])

  func endpoint(of call: APICall) throws(APIError) -> Endpoint {
    try Endpoint(
      url: HTTPURL(call.parameters["url"]?.string ?? ""), apiName: call.apiName,
      pathParameters: call.parameters.names)
  }
}

/// Loads the images of ``AbsoluteImages``.
final class AbsoluteImageManager: BaseAPIManager, APIManager {
  let service: AbsoluteImages
  let apiName = "image"
  let cachePolicy = CachePolicy.http
  // Some servers send images as `application/octet-stream`; what decodes them goes by the bytes.
  let expectation = ResponseExpectation(requiresBody: true, format: .bytes)

  init(_ service: AbsoluteImages) {
    self.service = service
    super.init()
  }

  /// What is no image, such as the page of a proxy, is not stored.
  func validate(response: APIResponse) throws {
    guard response.http.imageHead == nil else { return }
    throw APIError(.response, .malformedBody, "the bytes are no image of a known format")
  }
}
