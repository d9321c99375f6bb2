import APIKitPaging
import APIKit
import APIKitImages
import APIKitTransfers

/// What all endpoints have in common: the service. It does not adopt `APIManager`; the classes of the endpoints do.
class HomesManager: BaseAPIManager {
  let service: HomesService

  init(_ service: HomesService) { self.service = service }
}

/// `GET homes`: everybody sees the list, so no credential is sent.
final class HomeListManager: HomesManager, PageableAPIManager {
  let apiName = "sacramento/v1/homes"
  let signIn = SignInRule.exempt
  let takeoffPolicy: TakeoffPolicy
  let paging = Paging(.pageNumber(), items: "data.items", id: "home_id", total: "data.total")

  init(_ service: HomesService, takeoffPolicy: TakeoffPolicy = .concurrent) {
    self.takeoffPolicy = takeoffPolicy
    super.init(service)
  }
}

/// `GET homes/{id}`.
final class HomeManager: HomesManager, APIManager {
  struct Output: Decodable, Sendable { let data: Home }

  let apiName = "sacramento/v1/homes/{id}"
  let signIn = SignInRule.exempt
}

/// `GET pictures/{id}`: the bytes of an image, which the view decodes.
final class PictureManager: HomesManager, APIManager {
  let apiName = "sacramento/v1/pictures/{id}"
  let signIn = SignInRule.exempt
  let expectation = ResponseExpectation.image
  let cachePolicy = CachePolicy.http(otherwise: .seconds(86_400))
}

/// `GET favourites`: the ids of the user's favourites.
final class FavouriteListManager: HomesManager, APIManager {
  struct Output: Decodable, Sendable {
    struct Contents: Decodable, Sendable { let items: Set<String> }
    let data: Contents
  }

  let apiName = "sacramento/v1/favourites"
  let signIn = SignInRule.required
}

/// `PUT favourites/{id}`: says whether a home is a favourite. The outbox keeps it until it can be sent; sent twice it does
/// no harm.
final class FavouriteManager: HomesManager, APIManager {
  let apiName = "sacramento/v1/favourites/{id}"
  let method = HTTPMethod.put
  let signIn = SignInRule.required
  let isQueued = true
}

/// `GET oauth/me`: whose a token is. It is asked before the user counts as signed in, so it carries the token itself.
final class UserManager: HomesManager, APIManager {
  struct Output: Decodable, Sendable { let user: String }

  let apiName = "oauth/me"
  let signIn = SignInRule.exempt
  let headers: HTTPHeaders

  init(_ service: HomesService, of credential: Credential) {
    headers = ["Authorization": "\(credential.tokenType) \(credential.accessToken)"]
    super.init(service)
  }
}

/// Photos of a home, by tus: an upload that breaks off goes on from where the server has it.
final class PhotoManager: BaseUploadManager, UploadManager {
  let service: HomesService
  let apiName = "transfers/tus"
  let uploadProtocol: UploadProtocol

  init(_ service: HomesService, options: TusOptions, of home: Home) {
    self.service = service
    var options = options
    options.partBytes = 256 << 10
    options.metadata = ["home": home.id]
    uploadProtocol = .tus(options)
  }
}
