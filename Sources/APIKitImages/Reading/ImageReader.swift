/// Reads numbers and blocks of the beginning of an image. What lies beyond the bytes is nil.
struct ImageReader {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// An unsigned number of at most 4 bytes, the highest first.
  func big(_ offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset + count <= bytes.count else { return nil }
    return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// An unsigned number of at most 4 bytes, the lowest first.
  func little(_ offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset + count <= bytes.count else { return nil }
    return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  func holds(_ text: String, at offset: Int) -> Bool {
    offset >= 0 && offset + text.utf8.count <= bytes.count && bytes[offset...].starts(with: text.utf8)
  }

  func size(littleEndianAt offset: Int, bytes count: Int) -> ImageHead.Size? {
    guard let width = little(offset, count), let height = little(offset + count, count) else { return nil }
    return ImageHead.Size(width: width, height: height)
  }

  // MARK: PNG

  func readPNG(into head: inout ImageHead) {
    guard holds("IHDR", at: 12), let width = big(16, 4), let height = big(20, 4) else { return }
    head.size = ImageHead.Size(width: width, height: height)
    var offset = 8
    while let length = big(offset, 4), length < 1 << 31, !holds("IDAT", at: offset + 4) {
      if holds("eXIf", at: offset + 4) {
        head.orientation = orientation(inTIFFAt: offset + 8, bytes: length) ?? head.orientation
      }
      offset += 12 + length
    }
  }

  // MARK: JPEG

  func readJPEG(into head: inout ImageHead) {
    var offset = 2
    while let mark = big(offset, 1) {
      guard mark == 0xFF, let code = big(offset + 1, 1) else { return }
      switch code {
      case 0xFF: offset += 1  // Padding.
      case 0x01, 0xD0...0xD8: offset += 2
      case 0xD9, 0xDA: return  // The end, or the picture itself.
      default:
        guard let length = big(offset + 2, 2), length >= 2 else { return }
        if code == 0xE1, holds("Exif\0\0", at: offset + 4) {
          head.orientation = orientation(inTIFFAt: offset + 10, bytes: length - 8) ?? head.orientation
        }
        // A start of frame; the others of this range are tables.
        if (0xC0...0xCF).contains(code), code != 0xC4, code != 0xC8, code != 0xCC {
          guard let height = big(offset + 5, 2), let width = big(offset + 7, 2) else { return }
          head.size = ImageHead.Size(width: width, height: height)
          return
        }
        offset += 2 + length
      }
    }
  }

  /// The orientation of EXIF data, which is a file of TIFF of so many bytes; nil when it has none.
  ///
  /// Entries behind its end belong to something else: read from each of thousands of blocks, they would take seconds.
  func orientation(inTIFFAt start: Int, bytes length: Int) -> Int? {
    let isLittle = holds("II", at: start)
    guard isLittle || holds("MM", at: start) else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int? { isLittle ? little(offset, count) : big(offset, count) }
    guard number(start + 2, 2) == 42, let first = number(start + 4, 4), let count = number(start + first, 2)
    else {
      return nil
    }
    for index in 0..<count {
      let entry = start + first + 2 + index * 12
      guard entry + 12 <= start + length, let tag = number(entry, 2) else { return nil }
      guard tag == 0x0112, let kind = number(entry + 2, 2) else { continue }
      // A short, as the standard says; some write a long.
      guard let value = kind == 3 ? number(entry + 8, 2) : number(entry + 8, 4) else { return nil }
      return (1...8).contains(value) ? value : nil
    }
    return nil
  }

  // MARK: WebP

  func readWebP(into head: inout ImageHead) {
    if holds("VP8 ", at: 12), holds("\u{1}\u{2A}", at: 24), big(23, 1) == 0x9D, let width = little(26, 2),
      let height = little(28, 2)
    {
      head.size = ImageHead.Size(width: width & 0x3FFF, height: height & 0x3FFF)
    } else if holds("VP8L", at: 12), big(20, 1) == 0x2F, let bits = little(21, 4) {
      head.size = ImageHead.Size(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
    } else if holds("VP8X", at: 12), let width = little(24, 3), let height = little(27, 3) {
      head.size = ImageHead.Size(width: width + 1, height: height + 1)
      // EXIF data comes behind the picture: it is read where the picture is short.
      var offset = 12
      while let length = little(offset + 4, 4) {
        if holds("EXIF", at: offset) {
          let start = holds("Exif\0\0", at: offset + 8) ? offset + 14 : offset + 8
          head.orientation =
            orientation(inTIFFAt: start, bytes: offset + 8 + length - start) ?? head.orientation
        }
        offset += 8 + length + length & 1
      }
    }
  }

  // MARK: BMP

  func readBMP(into head: inout ImageHead) {
    if little(14, 4) == 12 {
      head.size = size(littleEndianAt: 18, bytes: 2)
    } else if let width = little(18, 4), let height = little(22, 4) {
      // A negative height: the first row is the top one.
      let rows = height < 1 << 31 ? height : 1 << 32 - height
      head.size = ImageHead.Size(width: width, height: rows)
    }
  }
}
