import APIKitPaging
import APIKit

/// The managers that list homes: all accept the parameter names of ``HomeQuery`` and translate them for
/// their service.
@MainActor
protocol HomesManager: PageableAPIManager {}

/// `GET homes` of the Sacramento service.
final class SacramentoHomesManager: BaseAPIManager, HomesManager {
  let service: SacramentoService
  let apiName = "homes"
  let cachePolicy = CachePolicy.fresh()
  let expectation = ResponseExpectation(shape: ["data.items": .array, "data.total": .number])
  let paging = Paging(
    .pageNumber("page", size: "size"), items: "data.items", id: "home_id", total: "data.total", pageSize: 100)

  init(_ service: SacramentoService) { self.service = service }

  func reformParameters(_ parameters: Parameters) throws -> Parameters {
    let words = [
      "min-price": "min_price", "max-price": "max_price", "beds": "min_beds", "min-area": "min_area",
      "max-area": "max_area", "place": "city", "type": "home_type", "size": "per_page",
    ]
    var reformed = parameters.renamed(words)
    let keys = ["price": "asking_price", "area": "area_sqft", "place": "city"]
    reformed["sort"] = parameters["sort"]?.string.map { sort in
      let name = String(sort.drop { $0 == "-" })
      return .string((sort.hasPrefix("-") ? "-" : "") + (keys[name] ?? name))
    }
    return reformed
  }
}

/// `GET listings` of the Ames service, which pages by offset.
final class AmesHomesManager: BaseAPIManager, HomesManager {
  let service: AmesService
  let apiName = "listings"
  let cachePolicy = CachePolicy.fresh()
  let expectation = ResponseExpectation(shape: ["result.rows": .array, "result.count": .number])
  let paging = Paging(
    .offset("offset", limit: "size"), items: "result.rows", id: "id", total: "result.count", pageSize: 100)

  init(_ service: AmesService) { self.service = service }

  func reformParameters(_ parameters: Parameters) throws -> Parameters {
    let words = [
      "min-price": "price_from", "max-price": "price_to", "beds": "bedrooms", "min-area": "living_from",
      "max-area": "living_to", "place": "neighborhood", "type": "building", "size": "limit",
    ]
    var reformed = parameters.renamed(words).removing(["page", "sort"])
    let size = parameters["size"]?.integer ?? 20
    reformed["offset"] =
      parameters["offset"] ?? .integer(((parameters["page"]?.integer ?? 1) - 1) * size)
    if let sort = parameters["sort"]?.string {
      let keys = ["beds": "bedrooms", "area": "living", "place": "neighborhood"]
      let name = String(sort.drop { $0 == "-" })
      reformed["order_by"] = .string(keys[name] ?? name)
      reformed["direction"] = sort.hasPrefix("-") ? "desc" : "asc"
    }
    return reformed
  }
}

/// `GET projects` of the new-homes service, which pages by cursor.
///
/// It is its own interceptor: at each landing it keeps the cursor of the next page.
final class NewHomesManager: BaseAPIManager, HomesManager, APIManagerInterceptor {
  let service: NewHomesService
  let apiName = "projects"
  let cachePolicy = CachePolicy.fresh()
  let takeoffPolicy = TakeoffPolicy.cancelPrevious  // so that only the page requested last lands
  let expectation = ResponseExpectation(shape: ["xf_list": .array, "xf_total": .number])
  let paging = Paging(
    .cursor("cursor", at: "xf_cursor", size: "size"), items: "xf_list", id: "xf_id", total: "xf_total",
    pageSize: 100)

  /// The cursors by page number; the first page has none.
  private var cursors: [Int: String] = [:]
  private var page = 1

  init(_ service: NewHomesService) { self.service = service }

  func reformParameters(_ parameters: Parameters) throws -> Parameters {
    let words = [
      "min-price": "pmin", "max-price": "pmax", "beds": "rooms", "min-area": "amin", "max-area": "amax",
      "place": "district", "type": "kind",
    ]
    var reformed = parameters.renamed(words).removing(["page"])
    page = parameters["page"]?.integer ?? 1
    if page > 1 {
      guard let cursor = cursors[page] else {
        throw ValidationError(
          "page \(page) cannot be reached: load page \(page - 1) before, unless it was the last")
      }
      reformed["cursor"] = .string(cursor)
    }
    reformed["sort"] = try parameters["sort"]?.string.map { sort in
      let orders = [
        "price": "cheapest", "-price": "dearest", "area": "smallest", "-area": "largest",
        "beds": "fewest-rooms", "-beds": "most-rooms", "place": "district",
      ]
      guard let order = orders[sort] else { throw ValidationError("new homes cannot be sorted by \(sort)") }
      return .string(order)
    }
    return reformed
  }

  func manager(_ manager: BaseAPIManager, beforeSuccess response: APIResponse) -> Bool {
    cursors[page + 1] = response.raw.xf_cursor.string
    return true
  }
}

extension Parameters {
  /// The same values with other names; a name without a translation stays.
  fileprivate func renamed(_ words: [String: String]) -> Parameters {
    Parameters(pairs.map { (words[$0.name] ?? $0.name, $0.value) })
  }
}
