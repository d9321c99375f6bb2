import Foundation
import Reformers

/// Projects points onto a plane: proportions are kept, north is up.
struct MapProjection {
  private let west: Double
  private let north: Double
  private let squeeze: Double
  private let scale: Double
  /// The width and height that are used, at most the given ones.
  let size: (width: Double, height: Double)

  /// Fits the points into a width and height; nil without points.
  init?(_ points: [PropertyMapReformer.Point], width: Double, height: Double) {
    guard let first = points.first else { return nil }
    var (south, north) = (first.latitude, first.latitude)
    var (west, east) = (first.longitude, first.longitude)
    for point in points {
      south = min(south, point.latitude)
      north = max(north, point.latitude)
      west = min(west, point.longitude)
      east = max(east, point.longitude)
    }
    // A degree of longitude becomes shorter with the distance from the equator.
    squeeze = cos((south + north) / 2 * .pi / 180)
    let across = max((east - west) * squeeze, 1e-9)
    let down = max(north - south, 1e-9)
    scale = min(width / across, height / down)
    self.west = west
    self.north = north
    size = (min(width, across * scale), min(height, down * scale))
  }

  /// The position from the upper left corner, to the right and down.
  func place(_ point: PropertyMapReformer.Point) -> (x: Double, y: Double) {
    ((point.longitude - west) * squeeze * scale, (north - point.latitude) * scale)
  }
}

/// Draws points as dots of braille characters, eight dots per character.
enum DotMap {
  static func lines(_ points: [PropertyMapReformer.Point], columns: Int, rows: Int) -> [String] {
    let (width, height) = (Double(columns * 2 - 1), Double(rows * 4 - 1))
    guard columns > 0, rows > 0, let projection = MapProjection(points, width: width, height: height) else {
      return []
    }
    var cells = Array(repeating: Array(repeating: UInt32(0), count: columns), count: rows)
    for point in points {
      let (x, y) = projection.place(point)
      let (column, row) = (Int(x.rounded()), Int(y.rounded()))
      // The bits of U+2800: left column 1, 2, 3, 7, right column 4, 5, 6, 8.
      let bit: UInt32 = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]][row % 4][column % 2]
      cells[row / 4][column / 2] |= bit
    }
    while cells.last?.allSatisfy({ $0 == 0 }) == true { cells.removeLast() }
    return cells.map { row in
      var line = String(String.UnicodeScalarView(row.map { Unicode.Scalar(0x2800 + $0) ?? " " }))
      while line.last == "\u{2800}" { line.removeLast() }
      return line
    }
  }
}

/// Draws points as an SVG: coloured by price, with name and price as the tooltip.
enum SVGMap {
  private static let colours = ["#2c7bb6", "#7fbfdf", "#b5d99c", "#fdae61", "#d7191c"]

  static func text(_ points: [PropertyMapReformer.Point], title: String) -> String {
    let margin = 20.0
    guard let projection = MapProjection(points, width: 760, height: 560) else {
      return "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n"
    }
    let prices = points.map(\.price).sorted()
    let width = decimal(projection.size.width + 2 * margin)
    let height = decimal(projection.size.height + 3 * margin)
    var svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\">\n"
    svg += "<title>\(escaped(title))</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fafafa\"/>\n"
    svg += "<text x=\"\(Int(margin))\" y=\"\(Int(margin))\" font-family=\"sans-serif\" font-size=\"12\">"
    svg += "\(escaped(title))</text>\n"
    for point in points {
      let (x, y) = projection.place(point)
      let rank = prices.firstIndex { $0 >= point.price } ?? 0
      let colour = colours[min(colours.count - 1, rank * colours.count / max(1, prices.count))]
      let label = escaped("\(point.name), \(Formatting.price(point.price)) (\(point.id))")
      svg +=
        "<circle cx=\"\(decimal(x + margin))\" cy=\"\(decimal(y + 2 * margin))\" r=\"3\" fill=\"\(colour)\""
      svg += " fill-opacity=\"0.7\"><title>\(label)</title></circle>\n"
    }
    return svg + "</svg>\n"
  }

  private static func decimal(_ number: Double) -> String { String((number * 10).rounded() / 10) }

  /// By scalars: a letter that joins the next one, such as U+0D4E, makes one character with it.
  private static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in DisplayWidth.printable(text).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;".unicodeScalars
      case "<": escaped += "&lt;".unicodeScalars
      case ">": escaped += "&gt;".unicodeScalars
      case "\"": escaped += "&quot;".unicodeScalars
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
