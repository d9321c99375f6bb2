import APIKit

/// What the demo serves in other forms than JSON: new homes as XML, and a picture for each home.
struct OtherForms: Sendable {
  let homes: HomeStore

  /// Adds the routes.
  func register(in routes: RouteTable) {
    routes.set(.get, "/new/v1/feed") { _ in feed() }
    for (service, prefix, count) in [
      ("sacramento/v1", "sac-", homes.sacramento.count), ("ames/v2", "", homes.ames.count),
      ("new/v1", "xf-", homes.ames.count),
    ] {
      routes.set(.get, "/\(service)/pictures/*") { request in
        let id = request.path.split(separator: "/").last ?? ""
        guard id.hasPrefix(prefix), let number = Int(id.dropFirst(prefix.count)), (1...count).contains(number)
        else {
          return .json(["error": "there is no picture of this home", "status": 404], status: 404)
        }
        // The header is wrong, as it often is: what the bytes say counts.
        return DemoResponse(headers: ["Content-Type": "image/png"], body: HousePicture(number).bmp)
      }
    }
  }

  /// The new homes as an XML document, in a charset that its declaration names.
  private func feed() -> DemoResponse {
    let entries = homes.newAmes.map { home in
      "  <home id=\"xf-\(home.number)\" kind=\"\(Self.escaped(home.kind))\">\n"
        + "    <place>\(Self.escaped(home.place))</place>\n    <price currency=\"USD\">\(home.price)</price>\n  </home>\n"
    }
    let text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<homes xmlns=\"urn:homes\" count=\"\(entries.count)\">\n"
      + entries.joined() + "</homes>\n"
    return DemoResponse(headers: ["Content-Type": "application/xml"], body: Array(text.utf8))
  }

  private static func escaped(_ text: String) -> String {
    String(decoding: text.utf8.flatMap(XMLReference.text), as: UTF8.self)
  }
}

/// A small drawing of a house as a Windows bitmap; its size and colour follow from the number of the home.
struct HousePicture {
  let width: Int
  let height: Int
  private let color: [UInt8]

  init(_ number: Int) {
    width = 48 + number % 7 * 4
    height = 32 + number % 5 * 4
    color = [UInt8(40 + number * 37 % 180), UInt8(40 + number * 61 % 180), UInt8(40 + number * 89 % 180)]
  }

  /// The picture: a head of 54 bytes, then the rows from the bottom, each filled up to four bytes.
  var bmp: [UInt8] {
    let rowBytes = (width * 3 + 3) / 4 * 4
    var bytes = Array("BM".utf8)
    func append(_ number: Int, _ count: Int) {
      for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
    append(54 + rowBytes * height, 4)
    append(0, 4)
    append(54, 4)
    append(40, 4)
    append(width, 4)
    append(height, 4)
    append(1, 2)
    append(24, 2)
    append(0, 4)
    append(rowBytes * height, 4)
    for _ in 0..<4 { append(2835, 4) }
    bytes.removeLast(8)
    append(0, 4)
    append(0, 4)
    for row in 0..<height {
      for column in 0..<width { bytes += isHouse(column, row) ? color : [235, 225, 215] }
      for _ in width * 3..<rowBytes { bytes.append(0) }
    }
    return bytes
  }

  /// Walls up to half of the height, and a roof above.
  private func isHouse(_ column: Int, _ row: Int) -> Bool {
    let middle = width / 2
    if row < height / 2 { return abs(column - middle) < width / 3 }
    return abs(column - middle) < (height - row) * width / height
  }
}
