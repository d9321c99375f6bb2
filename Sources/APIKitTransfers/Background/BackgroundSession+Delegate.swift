// Apple platforms only: type-checked by Scripts/apple, never run here.
#if !canImport(FoundationNetworking)
  import APIKit
  import Foundation

  /// What the system calls, on the session's queue.
  extension BackgroundSession: URLSessionDownloadDelegate, URLSessionDataDelegate {
    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
      received(downloadTask, file: location.path)
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
      totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
      tell(
        downloadTask,
        TransferProgress(
          received: totalBytesWritten,
          totalToReceive: totalBytesExpectedToWrite < 0 ? nil : totalBytesExpectedToWrite, delta: bytesWritten
        ))
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
      totalBytesExpectedToSend: Int64
    ) {
      tell(
        task, TransferProgress(sent: totalBytesSent, totalToSend: totalBytesExpectedToSend, delta: bytesSent))
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      received(dataTask, data: data)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      challenged(task, challenge, answer: completionHandler)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      completed(task, error)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { gaveAllEvents() }
  }
#endif
