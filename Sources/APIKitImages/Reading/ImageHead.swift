/// The format, size and orientation of an image, read from its first bytes. Nothing is decoded.
///
/// PNG, JPEG, GIF, WebP, HEIC, AVIF and BMP are known. At most the first 64 KiB are read: if they do not contain the
/// size, it is nil. The `Content-Type` is not used.
///
/// ```swift
/// if let head = response.http.imageHead, head.pixelCount ?? .max <= 50_000_000 { show(response.bytes) }
/// ```
public struct ImageHead: Sendable, Hashable {
  /// A format of images.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// Portable Network Graphics.
    case png = "image/png"
    /// JPEG, baseline and progressive.
    case jpeg = "image/jpeg"
    /// Graphics Interchange Format.
    case gif = "image/gif"
    /// WebP: lossy, lossless and extended.
    case webp = "image/webp"
    /// HEIF with HEVC.
    case heic = "image/heic"
    /// HEIF with AV1.
    case avif = "image/avif"
    /// Windows bitmap.
    case bmp = "image/bmp"
  }

  /// The format; its raw value is the media type.
  public let format: Format
  /// The width and the height in pixels as they are stored, before the orientation is applied; nil when the first 64 KiB
  /// do not contain them.
  public internal(set) var size: Size?
  /// The size before a crop, for which a decoder needs memory; nil when the image states none.
  var uncropped: Size?
  /// The orientation of the stored image, 1 to 8 as in EXIF; 1 when the image states none.
  public internal(set) var orientation = 1

  /// A width and a height in pixels.
  public struct Size: Sendable, Hashable, CustomStringConvertible {
    /// The width.
    public let width: Int
    /// The height.
    public let height: Int

    /// Makes a size.
    public init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }

    /// `640 × 480`
    public var description: String { "\(width) × \(height)" }
  }

  /// The most bytes that are read.
  public static let readBytes = 64 << 10

  /// Reads the head of an image; nil when the bytes are in no known format.
  ///
  /// - Parameter bytes: The image, or its beginning.
  public init?(of bytes: some Collection<UInt8>) {
    let reader = ImageReader(Array(bytes.prefix(Self.readBytes)))
    guard let format = Format(reader) else { return nil }
    self.format = format
    switch format {
    case .png: reader.readPNG(into: &self)
    case .jpeg: reader.readJPEG(into: &self)
    case .gif: size = reader.size(littleEndianAt: 6, bytes: 2)
    case .webp: reader.readWebP(into: &self)
    case .heic, .avif: reader.readHEIF(into: &self)
    case .bmp: reader.readBMP(into: &self)
    }
    if let size, size.width <= 0 || size.height <= 0 { self.size = nil }
  }

  /// The size for display: width and height change places for the orientations 5 to 8.
  public var displaySize: Size? {
    guard let size, orientation >= 5 else { return size }
    return Size(width: size.height, height: size.width)
  }

  /// Width times height, before a crop: what a decoder needs memory for; nil when the size is not known.
  public var pixelCount: Int? {
    (uncropped ?? size).map { size in
      let (count, overflow) = size.width.multipliedReportingOverflow(by: size.height)
      return overflow ? .max : count
    }
  }
}

extension ImageHead.Format {
  /// The format that the first bytes show.
  fileprivate init?(_ reader: ImageReader) {
    let (bytes, holds) = (reader.bytes, reader.holds(_:at:))
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if holds("GIF87a", 0) || holds("GIF89a", 0) {
      self = .gif
    } else if holds("RIFF", 0), holds("WEBP", 8) {
      self = .webp
    } else if holds("ftyp", 4), let brand = Self.brand(reader) {
      self = brand
    } else if holds("BM", 0), bytes.count >= 18, [12, 40, 52, 56, 64, 108, 124].contains(bytes[14]),
      bytes[15...17].allSatisfy({ $0 == 0 })
    {
      self = .bmp
    } else {
      return nil
    }
  }

  /// The format of an ISO base media file by its brands: the major one, then the compatible ones.
  private static func brand(_ reader: ImageReader) -> Self? {
    guard let length = reader.big(0, 4), length >= 16 else { return nil }
    let places = [8] + Array(stride(from: 16, to: min(length, 256, reader.bytes.count) - 3, by: 4))
    for place in places {
      switch String(decoding: reader.bytes.dropFirst(place).prefix(4), as: UTF8.self) {
      case "avif", "avis": return .avif
      case "heic", "heix", "heim", "heis", "hevc", "hevx": return .heic
      default: continue
      }
    }
    return nil
  }
}
