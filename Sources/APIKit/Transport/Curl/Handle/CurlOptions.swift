#if os(Linux)
  import CAPIKit

  /// An easy handle whose options are set and whose information is read: a failing option is an error with its name.
  protocol CurlOptions {
    var easy: UnsafeMutableRawPointer { get }
  }

  extension CurlOptions {
    func set(_ option: CURLoption, _ value: Int) throws(APIError) {
      try check(option, capikit_curl_set_long(easy, option, value))
    }

    func set(_ option: CURLoption, size: Int64) throws(APIError) {
      try check(option, capikit_curl_set_size(easy, option, curl_off_t(size)))
    }

    func set(_ option: CURLoption, _ value: String?) throws(APIError) {
      guard let value else { return try check(option, capikit_curl_set_string(easy, option, nil)) }
      // libcurl copies it. Given as an argument it would be copied into an array before.
      try check(option, value.withCString { capikit_curl_set_string(easy, option, $0) })
    }

    func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) throws(APIError) {
      try check(option, capikit_curl_set_pointer(easy, option, pointer))
    }

    func set(_ option: CURLoption, blob: [UInt8]) throws(APIError) {
      try check(option, capikit_curl_set_blob(easy, option, blob, blob.count))
    }

    func check(_ option: CURLoption, _ code: CURLcode) throws(APIError) {
      guard code != CURLE_OK else { return }
      let name = curl_easy_option_by_id(option).map { String(cString: $0.pointee.name) }
      throw CurlErrors.option(name ?? "option \(option.rawValue)", code)
    }

    func long(_ info: CURLINFO) -> Int {
      var value = 0
      _ = capikit_curl_get_long(easy, info, &value)
      return value
    }

    func size(_ info: CURLINFO) -> Int64 {
      var value: curl_off_t = 0
      _ = capikit_curl_get_size(easy, info, &value)
      return Int64(value)
    }
  }
#endif
