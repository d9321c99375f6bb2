#if os(Linux)
  /// Jobs that their caller suspends: what runs is paused, what waits is kept from being started.
  extension CurlLoop {
    func suspend(_ job: CurlJob) {
      if let handle = handle(of: job) { return handle.suspend() }
      guard !job.isOver, !held.contains(where: { $0.job === job }) else { return }
      queue.compact { $0 === job }
      held.append((job, now))
    }

    func proceed(_ job: CurlJob) {
      if let handle = handle(of: job) { return handle.proceed() }
      guard let index = held.firstIndex(where: { $0.job === job }) else { return }
      job.wasHeld(for: now - held.remove(at: index).since)
      queue.append(job)
      watch(job.due)
    }
  }
#endif
