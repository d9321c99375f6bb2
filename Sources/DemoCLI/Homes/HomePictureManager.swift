import APIKit

/// `GET pictures/{id}`: the picture of a home, as it is.
final class HomePictureManager<Service: APIService>: BaseAPIManager, APIManager {
  let service: Service
  let apiName = "pictures/{id}"
  // Not decoded: the head of the image is read where it is shown.
  let expectation = ResponseExpectation(requiresBody: true, format: .bytes)
  init(_ service: Service) { self.service = service }
}
