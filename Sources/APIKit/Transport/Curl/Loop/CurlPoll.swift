#if os(Linux)
  import CAPIKit
  import Glibc

  /// Watches the sockets of a loop with few system calls.
  ///
  /// libcurl says "remove" when a transfer ends and "watch" when the next one starts on the same pooled
  /// connection. Acting on both costs two `epoll_ctl` per request, so the change is only noted. Just before
  /// sleeping the kernel is told the differences; a socket that libcurl no longer watches is removed when
  /// it has an event. For this the loop must see when a descriptor is reused: sockets are opened and closed
  /// here, and the few that are not (the resolver's pairs) are registered at once. Used on the loop's
  /// thread only, so that exclusive access needs no check.
  final class CurlPoll {
    private struct Watch {
      /// The events that libcurl waits for.
      var wanted: UInt32 = 0
      /// The events that are registered in the kernel.
      var registered: UInt32 = 0
      /// Whether `open` opened it, so that `close(socket:)` will be called.
      var isOurs = false
      var isDirty = false
    }

    private let descriptor: Int32
    @exclusivity(unchecked) private var watches: [Watch] = []
    private var dirty: [Int32] = []
    private var events = [epoll_event](repeating: epoll_event(), count: 128)
    /// `errno` of the last attempt to open a socket; 0 when it succeeded. libcurl does not keep it.
    private(set) var openError: Int32 = 0
    /// Sockets opened and not closed.
    private(set) var openSockets = 0
    private var sockets = CurlSocketsByPort()

    /// Makes one that also watches `wakeup`.
    init(wakeup: Int32) throws(APIError) {
      descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
      guard descriptor >= 0 else { throw CurlErrors.system("epoll_create1", errno) }
      var event = epoll_event(
        events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data_t(fd: wakeup))
      epoll_ctl(descriptor, EPOLL_CTL_ADD, wakeup, &event)
    }

    deinit { close(descriptor) }

    /// Opens a socket for libcurl.
    func open(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
      let kind = address.pointee.socktype | Int32(CAPIKIT_SOCK_CLOEXEC)
      let socket = Glibc.socket(address.pointee.family, kind, address.pointee.protocol)
      openError = socket < 0 ? errno : 0
      guard socket >= 0 else { return -1 }
      grow(to: socket)
      let wasDirty = watches[Int(socket)].isDirty
      watches[Int(socket)] = Watch(isOurs: true, isDirty: wasDirty)
      openSockets += 1
      sockets.open(socket)
      return socket
    }

    /// Closes a socket of libcurl; closing also removes it from epoll.
    func close(socket: Int32) {
      if Int(socket) < watches.count {
        watches[Int(socket)].wanted = 0
        watches[Int(socket)].registered = 0
        if watches[Int(socket)].isOurs {
          openSockets -= 1
          sockets.close(socket)
        }
        watches[Int(socket)].isOurs = false
      }
      close(socket)
    }

    /// The sockets among which that of an idle connection is, by its local port. Unix domain sockets have none:
    /// it may be any idle one.
    func sockets(at localPort: Int32) -> [Int32] {
      if localPort > 0 { return sockets.sockets(at: UInt16(truncatingIfNeeded: localPort)) }
      return watches.indices.filter { watches[$0].isOurs && watches[$0].wanted == 0 }.map(Int32.init)
    }

    /// Ends the connections that are idle: libcurl finds them dead when it would use them, and closes them.
    func endIdle(except busy: Set<Int32>) {
      for index in watches.indices where watches[index].isOurs && watches[index].wanted == 0 {
        if !busy.contains(Int32(index)) { shutdown(Int32(index), Int32(SHUT_RDWR)) }
      }
    }

    /// Notes which events of a socket libcurl waits for.
    func want(_ socket: Int32, _ what: Int32) {
      grow(to: socket)
      let index = Int(socket)
      var mask: UInt32 = 0
      if what == CURL_POLL_IN || what == CURL_POLL_INOUT { mask |= EPOLLIN.rawValue }
      if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { mask |= EPOLLOUT.rawValue }
      watches[index].wanted = mask
      guard watches[index].isOurs else { return register(socket, isLast: what == CURL_POLL_REMOVE) }
      if !watches[index].isDirty, mask != 0, mask != watches[index].registered {
        watches[index].isDirty = true
        dirty.append(socket)
      }
    }

    /// Registers the changes in the kernel. To be called before sleeping.
    func update() {
      for socket in dirty {
        watches[Int(socket)].isDirty = false
        if watches[Int(socket)].wanted != 0 { register(socket, isLast: false) }
      }
      dirty.removeAll(keepingCapacity: true)
    }

    /// Sleeps until a socket has an event, for this many milliseconds at most; -1 means no limit. Returns
    /// how many sockets have one.
    func wait(_ milliseconds: Int32) -> Int {
      Int(max(0, epoll_wait(descriptor, &events, Int32(events.count), milliseconds)))
    }

    /// Calls `body` with the first `count` sockets that have an event.
    func serve(_ count: Int, _ body: (_ socket: Int32, _ what: Int32) -> Void) {
      for index in 0..<count {
        let socket = events[index].data.fd
        // The wakeup descriptor, or a socket closed by the handling of one before it.
        guard Int(socket) < watches.count, watches[Int(socket)].registered != 0 else { continue }
        guard watches[Int(socket)].wanted != 0 else {
          register(socket, isLast: true)
          continue
        }
        let happened = events[index].events
        var what: Int32 = 0
        if happened & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { what |= CURL_CSELECT_IN }
        if happened & EPOLLOUT.rawValue != 0 { what |= CURL_CSELECT_OUT }
        if happened & EPOLLERR.rawValue != 0 { what |= CURL_CSELECT_ERR }
        body(socket, what)
      }
    }

    private func register(_ socket: Int32, isLast: Bool) {
      let index = Int(socket)
      let wanted = isLast ? 0 : watches[index].wanted
      let registered = watches[index].registered
      guard wanted != registered else { return }
      var event = epoll_event(events: wanted, data: epoll_data_t(fd: socket))
      let operation = wanted == 0 ? EPOLL_CTL_DEL : registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
      if epoll_ctl(descriptor, operation, socket, &event) != 0, operation == EPOLL_CTL_ADD, errno == EEXIST {
        epoll_ctl(descriptor, EPOLL_CTL_MOD, socket, &event)
      } else if operation == EPOLL_CTL_MOD, errno == ENOENT {
        epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event)
      }
      watches[index].registered = wanted
    }

    private func grow(to socket: Int32) {
      let missing = Int(socket) + 1 - watches.count
      if missing > 0 { watches += [Watch](repeating: Watch(), count: missing + 32) }
    }

    private func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
  }
#endif
