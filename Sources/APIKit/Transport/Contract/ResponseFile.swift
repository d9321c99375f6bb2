/// A file that a response is written to: a draft in the same folder, renamed when it is complete.
///
/// When the attempt fails, the draft is removed and an existing file stays as it was. Used by one
/// thread at a time.
package struct ResponseFile {
  let path: String
  private let maximumBytes: Int64
  private var draft: FileDraft

  /// Bytes written.
  var count: Int64 { draft.count }

  /// Creates the draft beside `path`; throws ``APIError/Reason/fileFailed`` or ``APIError/Reason/storageFull``
  /// when that fails.
  package init(path: String, maximumBytes: Int64 = .max) throws(APIError) {
    (self.path, self.maximumBytes) = (path, maximumBytes)
    let ending = ".\(UInt32.random(in: 0 ... .max)).partial"
    do throws(PrivateFile.Fault) {
      draft = try FileDraft(
        PrivateFile.stem(of: path, leaving: ending.utf8.count) + ending, isPrivate: false)
    } catch {
      throw Self.failed(path, error)
    }
  }

  /// Appends bytes; throws ``APIError/Reason/responseTooLarge`` beyond the bound.
  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(APIError) {
    guard count + Int64(bytes.count) <= maximumBytes else {
      throw APIError(bodyLargerThan: maximumBytes)
    }
    do throws(PrivateFile.Fault) { try draft.write(bytes) } catch { throw Self.failed(path, error) }
  }

  /// Renames the complete file to its path.
  package mutating func commit() throws(APIError) {
    do throws(PrivateFile.Fault) { try draft.commit(as: path, .process) } catch {
      throw Self.failed(path, error)
    }
  }

  /// Removes the draft.
  mutating func discard() { draft.discard() }

  /// Whether a response with this status may replace a file: only a successful one holds the requested content.
  package static func takes(status: Int) -> Bool { (200..<300).contains(status) }

  private static func failed(_ path: String, _ fault: PrivateFile.Fault) -> APIError {
    APIError(.transport, fault.reason, "the file \(path) \(fault)", underlying: fault)
  }
}
