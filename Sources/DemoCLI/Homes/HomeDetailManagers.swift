import APIKit

/// `GET homes/{id}` of the Sacramento service.
final class SacramentoHomeManager: BaseAPIManager, APIManager {
  let service: SacramentoService
  let apiName = "homes/{id}"
  let cachePolicy = CachePolicy.fresh()
  init(_ service: SacramentoService) { self.service = service }
}

/// `GET listings/{id}` of the Ames service, whose ids are plain numbers.
final class AmesHomeManager: BaseAPIManager, APIManager {
  let service: AmesService
  let apiName = "listings/{id}"
  let cachePolicy = CachePolicy.fresh()
  init(_ service: AmesService) { self.service = service }

  func reformParameters(_ parameters: Parameters) throws -> Parameters {
    guard let id = parameters["id"]?.string, let number = Int(id.dropFirst("ames-".count)) else {
      throw ValidationError("the id of a home in Ames is ames- and a number")
    }
    return ["id": number]
  }
}

/// `GET projects/{id}` of the new-homes service.
final class NewHomeManager: BaseAPIManager, APIManager {
  let service: NewHomesService
  let apiName = "projects/{id}"
  let cachePolicy = CachePolicy.fresh()
  init(_ service: NewHomesService) { self.service = service }
}
