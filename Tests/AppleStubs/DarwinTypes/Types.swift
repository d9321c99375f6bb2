// swift-format-ignore-file
// sys/types.h, sys/stat.h, sys/socket.h, netinet/in.h, sys/time.h, dirent.h, termios.h:
// https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man2/stat.2.html
// and the pages of socket(2), poll(2), gettimeofday(2), readdir(3), localtime(3), pthread_self(3), setrlimit(2).
//
// The types of Darwin, apart from its functions: a Swift module may not have a type and a function of one name.
public typealias mode_t = UInt16
public typealias off_t = Int64
public typealias uid_t = UInt32
public typealias gid_t = UInt32
public typealias pid_t = Int32
public typealias socklen_t = UInt32
public typealias sa_family_t = UInt8
public typealias in_addr_t = UInt32
public typealias in_port_t = UInt16
public typealias nfds_t = UInt32
public typealias time_t = Int
public typealias ssize_t = Int
public typealias size_t = Int
public typealias rlim_t = UInt64
public typealias sigset_t = UInt32
public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>

public struct clockid_t: RawRepresentable, Equatable, Sendable { public var rawValue: UInt32; public init(rawValue: UInt32) { self.rawValue = rawValue }; public init(_ rawValue: UInt32) { self.rawValue = rawValue } }
public struct _opaque_pthread_t { public init() {} }
public struct timespec: Sendable { public var tv_sec: time_t, tv_nsec: Int; public init() { fatalError() }; public init(tv_sec: time_t, tv_nsec: Int) { fatalError() } }
public struct timeval: Sendable { public var tv_sec: time_t, tv_usec: Int32; public init() { fatalError() }; public init(tv_sec: time_t, tv_usec: Int32) { fatalError() } }
public struct tm {
  public var tm_sec: Int32, tm_min: Int32, tm_hour: Int32, tm_mday: Int32, tm_mon: Int32, tm_year: Int32, tm_wday: Int32
  public var tm_yday: Int32, tm_isdst: Int32, tm_gmtoff: Int
  public init() { fatalError() }
}
public struct stat {
  public var st_dev: Int32, st_mode: mode_t, st_nlink: UInt16, st_ino: UInt64, st_uid: uid_t, st_gid: gid_t, st_rdev: Int32
  public var st_atimespec: timespec, st_mtimespec: timespec, st_ctimespec: timespec, st_birthtimespec: timespec
  public var st_size: off_t, st_blocks: Int64, st_blksize: Int32
  public init() { fatalError() }
}
public struct statvfs {
  public var f_bsize: UInt, f_frsize: UInt, f_blocks: UInt32, f_bfree: UInt32, f_bavail: UInt32
  public init() { fatalError() }
}
public struct sockaddr { public var sa_len: UInt8, sa_family: sa_family_t; public init() { fatalError() } }
public struct in_addr { public var s_addr: in_addr_t; public init() { fatalError() }; public init(s_addr: in_addr_t) { fatalError() } }
public struct sockaddr_in { public var sin_len: UInt8, sin_family: sa_family_t, sin_port: in_port_t, sin_addr: in_addr; public init() { fatalError() } }
public struct linger { public var l_onoff: Int32, l_linger: Int32; public init() { fatalError() }; public init(l_onoff: Int32, l_linger: Int32) { fatalError() } }
public struct pollfd { public var fd: Int32, events: Int16, revents: Int16; public init() { fatalError() }; public init(fd: Int32, events: Int16, revents: Int16) { fatalError() } }
public struct dirent { public var d_ino: UInt64, d_namlen: UInt16, d_type: UInt8, d_name: (CChar, CChar, CChar, CChar); public init() { fatalError() } }
public struct DIR { public init() { fatalError() } }
public struct rlimit { public var rlim_cur: rlim_t, rlim_max: rlim_t; public init() { fatalError() }; public init(rlim_cur: rlim_t, rlim_max: rlim_t) { fatalError() } }
public struct in6_addr { public init() { fatalError() } }
public struct sockaddr_in6 { public var sin6_len: UInt8, sin6_family: sa_family_t, sin6_port: in_port_t, sin6_flowinfo: UInt32, sin6_addr: in6_addr; public init() { fatalError() } }
public struct winsize { public var ws_row: UInt16, ws_col: UInt16, ws_xpixel: UInt16, ws_ypixel: UInt16; public init() { fatalError() } }
public struct sockaddr_un { public var sun_len: UInt8, sun_family: sa_family_t, sun_path: (CChar, CChar, CChar, CChar); public init() { fatalError() } }
