/// The media types of files, by the extension of a name or by the first bytes.
enum MediaTypes {
  /// How many first bytes are looked at.
  static let longest = 16

  /// By extension, else by content, else `application/octet-stream`.
  static func type(ofName name: String, beginning: some Sequence<UInt8>) -> String {
    let segments = name.split(separator: ".", omittingEmptySubsequences: false)
    if segments.count > 1, let type = byExtension[segments[segments.count - 1].lowercased()] { return type }
    let beginning = Array(beginning)
    for (offset, bytes, type) in byContent where beginning.dropFirst(offset).starts(with: bytes) {
      return type
    }
    return "application/octet-stream"
  }

  private static let byExtension = [
    "aac": "audio/aac", "avif": "image/avif", "bmp": "image/bmp", "css": "text/css", "csv": "text/csv",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip",
    "heic": "image/heic", "heif": "image/heif", "htm": "text/html", "html": "text/html",
    "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
    "m4a": "audio/mp4", "md": "text/markdown", "mov": "video/quicktime", "mp3": "audio/mpeg",
    "mp4": "video/mp4", "mpeg": "video/mpeg", "ogg": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf",
    "png": "image/png", "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff",
    "tiff": "image/tiff", "ttf": "font/ttf", "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm",
    "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2", "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
    "zip": "application/zip",
  ]

  /// After the WHATWG MIME Sniffing Standard, 6: what stands at which offset.
  private static let byContent: [(offset: Int, bytes: [UInt8], type: String)] = [
    (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
    (0, [0xFF, 0xD8, 0xFF], "image/jpeg"),
    (0, Array("GIF87a".utf8), "image/gif"), (0, Array("GIF89a".utf8), "image/gif"),
    (8, Array("WEBP".utf8), "image/webp"), (0, Array("%PDF-".utf8), "application/pdf"),
    (0, [0x50, 0x4B, 0x03, 0x04], "application/zip"), (0, [0x1F, 0x8B, 0x08], "application/gzip"),
    (4, Array("ftyp".utf8), "video/mp4"),
  ]
}
