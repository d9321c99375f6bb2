/// HEIC and AVIF: boxes of ISO base media files (ISO/IEC 14496-12 and 23008-12).
extension ImageReader {
  private struct Box {
    let type: String
    let content: Range<Int>
  }

  /// The boxes of a range, one after another; the last may go beyond the bytes.
  private func boxes(in range: Range<Int>) -> [Box] {
    var boxes: [Box] = []
    var offset = range.lowerBound
    while offset + 8 <= range.upperBound, let short = big(offset, 4), offset + 8 <= bytes.count,
      boxes.count < 4096
    {
      var (length, head) = (short, 8)
      if short == 1, let high = big(offset + 8, 4), let low = big(offset + 12, 4) {
        (length, head) = (high << 32 | low, 16)
      } else if short == 0 {
        length = range.upperBound - offset
      }
      guard length >= head,
        length <= range.upperBound - offset || boxes.isEmpty || range.upperBound == bytes.count
      else { break }
      let end = min(range.upperBound, offset &+ length < offset ? range.upperBound : offset + length)
      guard end >= offset + head else { break }
      boxes.append(
        Box(
          type: String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self), content: offset + head..<end)
      )
      offset = end
    }
    return boxes
  }

  func readHEIF(into head: inout ImageHead) {
    guard let meta = boxes(in: 0..<bytes.count).first(where: { $0.type == "meta" })?.content, meta.count > 4
    else {
      return
    }
    let parts = boxes(in: meta.lowerBound + 4..<meta.upperBound)
    guard let primary = parts.first(where: { $0.type == "pitm" }).flatMap({ item($0.content) }),
      let properties = parts.first(where: { $0.type == "iprp" })?.content
    else { return }
    let inside = boxes(in: properties)
    guard let list = inside.first(where: { $0.type == "ipco" })?.content else { return }
    let all = boxes(in: list)
    let own = inside.filter { $0.type == "ipma" }.lazy.compactMap {
      self.associations(of: primary, in: $0.content)
    }.first
    var turns = 0
    var mirror: Int?
    var crop: ImageHead.Size?
    for index in own ?? [] where index >= 1 && index <= all.count {
      let (property, start) = (all[index - 1], all[index - 1].content.lowerBound)
      switch property.type {
      case "ispe":
        if let width = big(start + 4, 4), let height = big(start + 8, 4) {
          head.size = ImageHead.Size(width: width, height: height)
        }
      case "clap": crop = clean(start)
      case "irot": turns = (big(start, 1) ?? 0) & 3
      case "imir": mirror = (big(start, 1) ?? 0) & 1
      default: break
      }
    }
    // Encoders fill pictures up to whole blocks.
    if let crop, let size = head.size, crop.width > 0, crop.width <= size.width, crop.height > 0,
      crop.height <= size.height
    {
      (head.size, head.uncropped) = (crop, size)
    }
    head.orientation = Self.orientation(turns, mirror)
  }

  /// The clean aperture: what is left of the stored picture, in fractions.
  private func clean(_ start: Int) -> ImageHead.Size? {
    guard let width = big(start, 4), let widthBy = big(start + 4, 4), let height = big(start + 8, 4),
      let heightBy = big(start + 12, 4), widthBy > 0, heightBy > 0
    else { return nil }
    return ImageHead.Size(width: width / widthBy, height: height / heightBy)
  }

  /// The primary item.
  private func item(_ range: Range<Int>) -> Int? {
    guard let version = big(range.lowerBound, 1) else { return nil }
    return big(range.lowerBound + 4, version == 0 ? 2 : 4)
  }

  /// The properties of an item, by their places in the list from 1.
  private func associations(of item: Int, in range: Range<Int>) -> [Int]? {
    guard let version = big(range.lowerBound, 1), let flags = big(range.lowerBound + 1, 3),
      let count = big(range.lowerBound + 4, 4)
    else { return nil }
    var offset = range.lowerBound + 8
    let isWide = flags & 1 == 1
    for _ in 0..<min(count, 4096) {
      // What lies behind the box is another box: read from each of thousands, it would take seconds.
      guard offset < range.upperBound, let id = big(offset, version < 1 ? 2 : 4) else { return nil }
      offset += version < 1 ? 2 : 4
      guard let number = big(offset, 1) else { return nil }
      offset += 1
      var places: [Int] = []
      for _ in 0..<number {
        guard let value = big(offset, isWide ? 2 : 1) else { return nil }
        places.append(value & (isWide ? 0x7FFF : 0x7F))
        offset += isWide ? 2 : 1
      }
      if id == item { return places }
    }
    return nil
  }

  /// The orientation of EXIF for quarter turns against the clock, then a mirror: 0 exchanges top and bottom, 1 left and
  /// right.
  static func orientation(_ turns: Int, _ mirror: Int?) -> Int {
    switch (turns, mirror) {
    case (0, nil): 1
    case (1, nil): 8
    case (2, nil): 3
    case (3, nil): 6
    case (0, 1): 2
    case (0, _): 4
    case (1, 1): 7
    case (1, _): 5
    case (2, 1): 4
    case (2, _): 2
    case (_, 1): 5
    default: 7
    }
  }
}
