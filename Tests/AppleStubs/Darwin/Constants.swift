// swift-format-ignore-file
// fcntl.h, sys/socket.h, sys/errno.h, poll.h, time.h, signal.h, spawn.h, unistd.h, sys/stat.h, sys/file.h:
// https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man2/open.2.html
// and the pages of fcntl(2), socket(2), getsockopt(2), poll(2), errno(2), clock_gettime(3), signal(3), dirent(5).
public var O_RDONLY: Int32 { 0 }
public var O_WRONLY: Int32 { 1 }
public var O_RDWR: Int32 { 2 }
public var O_NONBLOCK: Int32 { 0x4 }
public var O_NOFOLLOW: Int32 { 0x100 }
public var O_CREAT: Int32 { 0x200 }
public var O_TRUNC: Int32 { 0x400 }
public var O_EXCL: Int32 { 0x800 }
public var O_CLOEXEC: Int32 { 0x100_0000 }
public var O_DIRECTORY: Int32 { 0x10_0000 }
public var LOCK_SH: Int32 { 1 }
public var LOCK_EX: Int32 { 2 }
public var LOCK_NB: Int32 { 4 }
public var LOCK_UN: Int32 { 8 }
public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFLNK: mode_t { 0o120000 }
public var F_GETFD: Int32 { 1 }
public var F_SETFD: Int32 { 2 }
public var F_GETFL: Int32 { 3 }
public var F_SETFL: Int32 { 4 }
public var FD_CLOEXEC: Int32 { 1 }
public var AF_INET: Int32 { 2 }
public var SOCK_STREAM: Int32 { 1 }
public var SOL_SOCKET: Int32 { 0xffff }
public var SO_REUSEADDR: Int32 { 4 }
public var SO_LINGER: Int32 { 0x80 }
public var SO_SNDBUF: Int32 { 0x1001 }
public var SO_RCVBUF: Int32 { 0x1002 }
public var SO_SNDTIMEO: Int32 { 0x1005 }
public var SO_RCVTIMEO: Int32 { 0x1006 }
public var SO_NOSIGPIPE: Int32 { 0x1022 }
public var IPPROTO_TCP: Int32 { 6 }
public var TCP_NODELAY: Int32 { 1 }
public var SHUT_RD: Int32 { 0 }
public var SHUT_WR: Int32 { 1 }
public var SHUT_RDWR: Int32 { 2 }
public var MSG_PEEK: Int32 { 2 }
public var MSG_DONTWAIT: Int32 { 0x80 }
public var INADDR_LOOPBACK: UInt32 { 0x7f00_0001 }
public var POLLIN: Int32 { 1 }
public var POLLOUT: Int32 { 4 }
public var POLLERR: Int32 { 8 }
public var POLLHUP: Int32 { 16 }
public var ENOENT: Int32 { 2 }
public var EINTR: Int32 { 4 }
public var EEXIST: Int32 { 17 }
public var EPERM: Int32 { 1 }
public var ENOTSUP: Int32 { 45 }
public var ENOSYS: Int32 { 78 }
public var EOPNOTSUPP: Int32 { 102 }
public var EFBIG: Int32 { 27 }
public var ENOSPC: Int32 { 28 }
public var EDQUOT: Int32 { 69 }
public var ENFILE: Int32 { 23 }
public var EMFILE: Int32 { 24 }
public var EAGAIN: Int32 { 35 }
public var EWOULDBLOCK: Int32 { 35 }
public var EINPROGRESS: Int32 { 36 }
public var ELOOP: Int32 { 62 }
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) public var CLOCK_REALTIME: clockid_t { fatalError() }
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) public var CLOCK_MONOTONIC: clockid_t { fatalError() }
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) public var CLOCK_UPTIME_RAW: clockid_t { fatalError() }
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) public var CLOCK_PROCESS_CPUTIME_ID: clockid_t { fatalError() }
public var SIGINT: Int32 { 2 }
public var SIGKILL: Int32 { 9 }
public var SIGPIPE: Int32 { 13 }
public var SIGTERM: Int32 { 15 }
public var SIG_IGN: (@convention(c) (Int32) -> Void)! { fatalError() }
public var SIG_DFL: (@convention(c) (Int32) -> Void)! { fatalError() }
public var RLIMIT_FSIZE: Int32 { 1 }
public var WNOHANG: Int32 { 1 }
public var STDIN_FILENO: Int32 { 0 }
public var STDOUT_FILENO: Int32 { 1 }
public var STDERR_FILENO: Int32 { 2 }
public var EXIT_SUCCESS: Int32 { 0 }
public var EXIT_FAILURE: Int32 { 1 }
public var X_OK: Int32 { 1 }
public var POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 { 0x4000 }
public var POSIX_SPAWN_SETSIGDEF: Int32 { 4 }
public var POSIX_SPAWN_SETSIGMASK: Int32 { 8 }
public var errno: Int32 { get { fatalError() } set { fatalError() } }
public var AF_UNIX: Int32 { 1 }
public var AF_INET6: Int32 { 30 }
public var EIO: Int32 { 5 }
public var EPIPE: Int32 { 32 }
public var TIOCGWINSZ: UInt { 0x4008_7468 }
public var SIGXFSZ: Int32 { 25 }
public var O_APPEND: Int32 { 0x8 }
public var SIGHUP: Int32 { 1 }
public var SIGQUIT: Int32 { 3 }
public var SIGILL: Int32 { 4 }
public var SIGTRAP: Int32 { 5 }
public var SIGABRT: Int32 { 6 }
public var SIGFPE: Int32 { 8 }
public var SIGBUS: Int32 { 10 }
public var SIGSEGV: Int32 { 11 }
public var SIGALRM: Int32 { 14 }
public var SIGTSTP: Int32 { 18 }
public var SIGCONT: Int32 { 19 }
public var SIGXCPU: Int32 { 24 }
public var SIGUSR1: Int32 { 30 }
public var SIGUSR2: Int32 { 31 }
