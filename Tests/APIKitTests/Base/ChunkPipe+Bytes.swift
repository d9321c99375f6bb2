@testable import APIKit

extension ChunkPipe {
  /// Writes a chunk where no writer can throw.
  func write(_ chunk: [UInt8]) -> Bool { chunk.withUnsafeBytes { (try? write($0)) ?? false } }
}
