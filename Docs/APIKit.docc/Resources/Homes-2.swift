import APIKit

struct Homes: APIService {
  let name = "Homes"
  let environments = ServiceEnvironments("http://127.0.0.1:8080/sacramento/v1")

  func businessError(in raw: RawData, of call: APICall) -> BusinessError? {
    guard let code = raw.code.int, code != 0 else { return nil }
    return BusinessError(code: String(code), message: raw.message.string ?? "no message")
  }
}
