import APIKit

struct HomeFilter {
  var city: String?
  var leastBeds: Int?

  var parameters: Parameters {
    var parameters = Parameters()
    parameters["city"] = city.map { .string($0) }
    parameters["min_beds"] = leastBeds.map { .integer($0) }
    return parameters
  }
}
