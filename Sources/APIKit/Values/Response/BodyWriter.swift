/// Takes the bytes of a body on the thread that receives them, without a copy in between.
package protocol BodyWriter: AnyObject, Sendable {
  /// Takes bytes, and must not block for long. True when it wants no more until it calls what ``whenReady(_:)`` was given.
  func write(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> Bool
  /// Sets what is called when it takes bytes again.
  func whenReady(_ resume: @escaping @Sendable () -> Void)
}

extension BodyWriter {
  /// Takes a chunk.
  func write(_ chunk: [UInt8]) throws(APIError) -> Bool {
    try chunk.withUnsafeBufferPointer { (bytes) throws(APIError) in try write(UnsafeRawBufferPointer(bytes)) }
  }
}
