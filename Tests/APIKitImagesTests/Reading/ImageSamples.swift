import Foundation
import XCTest

@testable import APIKit
@testable import APIKitImages

/// The beginnings of small images, one of each kind.
struct ImageSample {
  let name: String
  let format: ImageHead.Format
  let size: ImageHead.Size
  let orientation: Int
  let bytes: [UInt8]

  private init(
    _ name: String, _ format: ImageHead.Format, _ width: Int, _ height: Int, _ orientation: Int,
    _ base64: String
  ) {
    self.name = name
    self.format = format
    size = ImageHead.Size(width: width, height: height)
    self.orientation = orientation
    bytes = Data(base64Encoded: base64).map { Array($0) } ?? []
  }

  private typealias Sample = ImageSample

  static let all: [ImageSample] = [
    Sample(
      "png", .png, 7, 5, 1,
      "iVBORw0KGgoAAAANSUhEUgAAAAcAAAAFCAIAAAAG+GGPAAAAFElEQVR4nGM8"),
    Sample(
      "pngTurned", .png, 7, 5, 6,
      "iVBORw0KGgoAAAANSUhEUgAAAAcAAAAFCAIAAAAG+GGPAAAAGmVYSWZNTQAqAAAACAABARIAAwAAAAEABgAAAAAAANZnS2kA"
        + "AAAUSURBVHicYzw="),
    Sample(
      "gif", .gif, 7, 5, 1,
      "R0lGODdhBwAFAIEAAMgKHgAAAAAAAAAAACwAAAAABwAFAAAIDAABCBxIsKDBgwcDAgA7"),
    Sample(
      "webpLossy", .webp, 7, 5, 1,
      "UklGRjQAAABXRUJQVlA4ICgAAABwAQCdASoHAAUABABoJaACdAFAAAD+7L2Iwmktu/+Sn/3lf67uKAAA"),
    Sample(
      "webpLossless", .webp, 7, 5, 1,
      "UklGRh4AAABXRUJQVlA4TBEAAAAvBgABAAdQhSLXo/+BiOh/AAA="),
    Sample(
      "webpExtended", .webp, 7, 5, 3,
      "UklGRnYAAABXRUJQVlA4WAoAAAAYAAAABgAABAAAQUxQSAoAAAABB9CxiAhERP8DVlA4ICQAAABwAQCdASoHAAUAB0CWJaAC"
        + "dAFAAAD+54u5P1kH+4PsV9sayABFWElGGgAAAE1NACoAAAAIAAEBEgADAAAAAQADAAAAAAAA"),
    Sample(
      "bmp", .bmp, 7, 5, 1,
      "Qk2uAAAAAAAAADYAAAAoAAAABwAAAAUAAAABABgAAAAAAHgAAADEDgAAxA4AAAAAAAAAAAAA"),
    Sample(
      "bmpTopDown", .bmp, 7, 5, 1,
      "Qk2uAAAAAAAAADYAAAAoAAAABwAAAPv///8BABgAAAAAAHgAAADEDgAAxA4AAAAAAAAAAAAA"),
    Sample(
      "jpegTurned", .jpeg, 7, 5, 8,
      "/9j/4AAQSkZJRgABAQAAAQABAAD/4QAiRXhpZgAATU0AKgAAAAgAAQESAAMAAAABAAgAAAAAAAD/2wBDAAgGBgcGBQgHBwcJ"
        + "CQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/2wBDAQkJCQwLDBgNDRgyIRwh"
        + "MjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjL/wAARCAAFAAcDASIAAhEBAxEB/w=="),
    Sample(
      "jpegProgressive", .jpeg, 7, 5, 1,
      "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcp"
        + "LDAxNDQ0Hyc5PTgyPC4zNDL/2wBDAQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIy"
        + "MjIyMjIyMjIyMjIyMjL/wgARCAAFAAcDASIAAhEBAxEB/w=="),
    Sample(
      "heicTurned", .heic, 64, 48, 6,
      "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAchtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAA"
        + "AAAAADRpbG9jAAAAAERAAAIAAQAAAAAB7AABAAAAAAAAABcAAgAAAAACAwABAAAAAAAAACQAAAA4aWluZgAAAAAAAgAAABVp"
        + "bmZlAgAAAAABAABodmMxAAAAABVpbmZlAgAAAQACAABFeGlmAAAAAA5waXRtAAAAAAABAAABB2lwcnAAAADmaXBjbwAAAHZo"
        + "dmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AAAAMAkAAA"
        + "AwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAA"
        + "AAAAQAAAAEAAAAAoY2xhcAAAAEAAAAABAAAAMAAAAAEAAAAAAAAAAv////AAAAACAAAAEHBpeGkAAAAAAwgICAAAAAlpcm90"
        + "AwAAABlpcG1hAAAAAAAAAAEAAQaBAgMFhIYAAAAaaXJlZgAAAAAAAAAOY2RzYwACAAEAAQAAAENtZGF0AAAAEw=="),
    Sample(
      "avifTurned", .avif, 7, 5, 5,
      "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAAD/bWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAA"
        + "AAAAAAAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAEnAAAAKQAAAChpaW5mAAAAAAABAAAAGmluZmUC"
        + "AAAAAAEAAGF2MDFDb2xvcgAAAAB+aXBycAAAAF1pcGNvAAAAFGlzcGUAAAAAAAAABwAAAAUAAAAQcGl4aQAAAAADCAgIAAAA"
        + "DGF2MUOBAAwAAAAAE2NvbHJuY2x4AAEADQAGgAAAAAlpcm90AQAAAAlpbWlyAAAAABlpcG1hAAAAAAAAAAEAAQYBAoMEhYYA"
        + "AAAxbWRhdBIACgg="),
  ]

  static func named(_ name: String) throws -> [UInt8] { try XCTUnwrap(all.first { $0.name == name }).bytes }
}
