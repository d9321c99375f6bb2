// swift-format-ignore-file
// unistd.h, fcntl.h, stdlib.h, string.h, time.h, signal.h, spawn.h, math.h, sys/stat.h, sys/socket.h, sys/resource.h, poll.h:
// https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man2/intro.2.html
// One page per function, in sections 2 and 3. As the compiler imports C: results may be discarded.
@_exported public import DarwinTypes

public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { fatalError() }
@discardableResult public func close(_ fd: Int32) -> Int32 { fatalError() }
@discardableResult public func dup(_ fd: Int32) -> Int32 { fatalError() }
@discardableResult public func dup2(_ fd: Int32, _ other: Int32) -> Int32 { fatalError() }
@discardableResult public func read(_ fd: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int) -> Int { fatalError() }
@discardableResult public func write(_ fd: Int32, _ bytes: UnsafeRawPointer!, _ count: Int) -> Int { fatalError() }
@discardableResult public func pread(_ fd: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int, _ offset: off_t) -> Int { fatalError() }
@discardableResult public func pwrite(_ fd: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ offset: off_t) -> Int { fatalError() }
@discardableResult public func lseek(_ fd: Int32, _ offset: off_t, _ whence: Int32) -> off_t { fatalError() }
@discardableResult public func ftruncate(_ fd: Int32, _ length: off_t) -> Int32 { fatalError() }
@discardableResult public func truncate(_ path: UnsafePointer<CChar>!, _ length: off_t) -> Int32 { fatalError() }
@discardableResult public func fsync(_ fd: Int32) -> Int32 { fatalError() }
@discardableResult public func flock(_ fd: Int32, _ operation: Int32) -> Int32 { fatalError() }
@discardableResult public func fchmod(_ fd: Int32, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func chmod(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func unlink(_ path: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func rmdir(_ path: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func rename(_ old: UnsafePointer<CChar>!, _ new: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func link(_ path: UnsafePointer<CChar>!, _ other: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func symlink(_ path: UnsafePointer<CChar>!, _ other: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func mkdir(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func mkfifo(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func mkdtemp(_ template: UnsafeMutablePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { fatalError() }
@discardableResult public func mkstemp(_ template: UnsafeMutablePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func access(_ path: UnsafePointer<CChar>!, _ mode: Int32) -> Int32 { fatalError() }
@discardableResult public func realpath(_ path: UnsafePointer<CChar>!, _ resolved: UnsafeMutablePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { fatalError() }
@discardableResult public func stat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<DarwinTypes.stat>!) -> Int32 { fatalError() }
@discardableResult public func lstat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<DarwinTypes.stat>!) -> Int32 { fatalError() }
@discardableResult public func fstatvfs(_ fd: Int32, _ status: UnsafeMutablePointer<DarwinTypes.statvfs>!) -> Int32 { fatalError() }
@discardableResult public func fstat(_ fd: Int32, _ status: UnsafeMutablePointer<DarwinTypes.stat>!) -> Int32 { fatalError() }
@discardableResult public func opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<DIR>! { fatalError() }
@discardableResult public func readdir(_ listing: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! { fatalError() }
@discardableResult public func closedir(_ listing: UnsafeMutablePointer<DIR>!) -> Int32 { fatalError() }
@discardableResult public func umask(_ mask: mode_t) -> mode_t { fatalError() }
@discardableResult public func strerror(_ code: Int32) -> UnsafeMutablePointer<CChar>! { fatalError() }
@discardableResult public func strlen(_ text: UnsafePointer<CChar>!) -> Int { fatalError() }
@discardableResult public func memcmp(_ left: UnsafeRawPointer!, _ right: UnsafeRawPointer!, _ count: Int) -> Int32 { fatalError() }
@discardableResult public func memcpy(_ to: UnsafeMutableRawPointer!, _ from: UnsafeRawPointer!, _ count: Int) -> UnsafeMutableRawPointer! { fatalError() }
@discardableResult public func memchr(_ bytes: UnsafeRawPointer!, _ byte: Int32, _ count: Int) -> UnsafeMutableRawPointer! { fatalError() }
@discardableResult public func memmem(_ bytes: UnsafeRawPointer!, _ count: Int, _ wanted: UnsafeRawPointer!, _ wantedCount: Int) -> UnsafeMutableRawPointer! { fatalError() }
@discardableResult public func malloc(_ count: Int) -> UnsafeMutableRawPointer! { fatalError() }
@discardableResult public func realloc(_ bytes: UnsafeMutableRawPointer!, _ count: Int) -> UnsafeMutableRawPointer! { fatalError() }
public func free(_ bytes: UnsafeMutableRawPointer!) { fatalError() }
@discardableResult public func strtod(_ text: UnsafePointer<CChar>!, _ end: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!) -> Double { fatalError() }
public func strdup(_ text: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { fatalError() }
public func getenv(_ name: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { fatalError() }
@discardableResult public func setenv(_ name: UnsafePointer<CChar>!, _ value: UnsafePointer<CChar>!, _ overwrite: Int32) -> Int32 { fatalError() }
@discardableResult public func unsetenv(_ name: UnsafePointer<CChar>!) -> Int32 { fatalError() }
public func exit(_ code: Int32) -> Never { fatalError() }
public func _exit(_ code: Int32) -> Never { fatalError() }
@discardableResult public func usleep(_ microseconds: UInt32) -> Int32 { fatalError() }
@discardableResult public func sleep(_ seconds: UInt32) -> UInt32 { fatalError() }
@discardableResult public func isatty(_ fd: Int32) -> Int32 { fatalError() }
@discardableResult public func getpid() -> pid_t { fatalError() }
@discardableResult public func geteuid() -> uid_t { fatalError() }
@discardableResult public func getuid() -> uid_t { fatalError() }
@discardableResult public func kill(_ process: pid_t, _ signal: Int32) -> Int32 { fatalError() }
@discardableResult public func signal(_ number: Int32, _ handler: (@convention(c) (Int32) -> Void)!) -> (@convention(c) (Int32) -> Void)! { fatalError() }
@discardableResult public func waitpid(_ process: pid_t, _ status: UnsafeMutablePointer<Int32>!, _ options: Int32) -> pid_t { fatalError() }
@discardableResult public func pipe(_ ends: UnsafeMutablePointer<Int32>!) -> Int32 { fatalError() }
@discardableResult public func poll(_ sockets: UnsafeMutablePointer<pollfd>!, _ count: nfds_t, _ milliseconds: Int32) -> Int32 { fatalError() }
@discardableResult public func socket(_ domain: Int32, _ type: Int32, _ proto: Int32) -> Int32 { fatalError() }
@discardableResult public func bind(_ socket: Int32, _ address: UnsafePointer<sockaddr>!, _ length: socklen_t) -> Int32 { fatalError() }
@discardableResult public func listen(_ socket: Int32, _ backlog: Int32) -> Int32 { fatalError() }
@discardableResult public func accept(_ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ length: UnsafeMutablePointer<socklen_t>!) -> Int32 { fatalError() }
@discardableResult public func connect(_ socket: Int32, _ address: UnsafePointer<sockaddr>!, _ length: socklen_t) -> Int32 { fatalError() }
@discardableResult public func getsockname(_ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ length: UnsafeMutablePointer<socklen_t>!) -> Int32 { fatalError() }
@discardableResult public func getpeername(_ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ length: UnsafeMutablePointer<socklen_t>!) -> Int32 { fatalError() }
@discardableResult public func setsockopt(_ socket: Int32, _ level: Int32, _ name: Int32, _ value: UnsafeRawPointer!, _ length: socklen_t) -> Int32 { fatalError() }
@discardableResult public func getsockopt(_ socket: Int32, _ level: Int32, _ name: Int32, _ value: UnsafeMutableRawPointer!, _ length: UnsafeMutablePointer<socklen_t>!) -> Int32 { fatalError() }
@discardableResult public func shutdown(_ socket: Int32, _ how: Int32) -> Int32 { fatalError() }
@discardableResult public func send(_ socket: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ flags: Int32) -> Int { fatalError() }
@discardableResult public func recv(_ socket: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int, _ flags: Int32) -> Int { fatalError() }
@discardableResult public func inet_pton(_ family: Int32, _ text: UnsafePointer<CChar>!, _ address: UnsafeMutableRawPointer!) -> Int32 { fatalError() }
@discardableResult public func time(_ seconds: UnsafeMutablePointer<time_t>!) -> time_t { fatalError() }
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) @discardableResult public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>!) -> Int32 { fatalError() }
@discardableResult public func gmtime_r(_ seconds: UnsafePointer<time_t>!, _ parts: UnsafeMutablePointer<tm>!) -> UnsafeMutablePointer<tm>! { fatalError() }
@discardableResult public func localtime_r(_ seconds: UnsafePointer<time_t>!, _ parts: UnsafeMutablePointer<tm>!) -> UnsafeMutablePointer<tm>! { fatalError() }
public func pthread_self() -> pthread_t { fatalError() }
@discardableResult public func setrlimit(_ resource: Int32, _ limits: UnsafePointer<rlimit>!) -> Int32 { fatalError() }
@discardableResult public func getrlimit(_ resource: Int32, _ limits: UnsafeMutablePointer<rlimit>!) -> Int32 { fatalError() }
@discardableResult public func sigemptyset(_ set: UnsafeMutablePointer<sigset_t>!) -> Int32 { fatalError() }
@discardableResult public func sigfillset(_ set: UnsafeMutablePointer<sigset_t>!) -> Int32 { fatalError() }
@available(tvOS, unavailable) @available(watchOS, unavailable) @discardableResult public func posix_spawn_file_actions_init(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 { fatalError() }
@available(tvOS, unavailable) @available(watchOS, unavailable) @discardableResult public func posix_spawn_file_actions_destroy(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 { fatalError() }
@available(tvOS, unavailable) @available(watchOS, unavailable) @discardableResult public func posix_spawn_file_actions_adddup2(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _ fd: Int32, _ other: Int32) -> Int32 { fatalError() }
@available(tvOS, unavailable) @available(watchOS, unavailable) @discardableResult public func posix_spawnattr_init(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!) -> Int32 { fatalError() }
@available(tvOS, unavailable) @available(watchOS, unavailable) @discardableResult public func posix_spawnattr_destroy(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!) -> Int32 { fatalError() }
@available(tvOS, unavailable) @available(watchOS, unavailable) @discardableResult public func posix_spawnattr_setflags(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!, _ flags: Int16) -> Int32 { fatalError() }
@available(tvOS, unavailable) @available(watchOS, unavailable) @discardableResult public func posix_spawnattr_setsigmask(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!, _ set: UnsafePointer<sigset_t>!) -> Int32 { fatalError() }
@available(tvOS, unavailable) @available(watchOS, unavailable) @discardableResult public func posix_spawnattr_setsigdefault(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!, _ set: UnsafePointer<sigset_t>!) -> Int32 { fatalError() }
@available(tvOS, unavailable) @available(watchOS, unavailable) @discardableResult public func posix_spawn(
  _ process: UnsafeMutablePointer<pid_t>!, _ path: UnsafePointer<CChar>!, _ actions: UnsafePointer<posix_spawn_file_actions_t?>!,
  _ attributes: UnsafePointer<posix_spawnattr_t?>!, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>!,
  _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { fatalError() }
/// The Swift overlay's, in place of `_NSGetEnviron`.
public var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { fatalError() }
@discardableResult public func ioctl(_ fd: Int32, _ request: UInt, _ value: UnsafeMutableRawPointer) -> Int32 { fatalError() }
public func sin(_ x: Double) -> Double { fatalError() }
public func cos(_ x: Double) -> Double { fatalError() }
public func sqrt(_ x: Double) -> Double { fatalError() }
public func log(_ x: Double) -> Double { fatalError() }
public func pow(_ x: Double, _ y: Double) -> Double { fatalError() }
public func exp(_ x: Double) -> Double { fatalError() }
public func log2(_ x: Double) -> Double { fatalError() }
@discardableResult public func chown(_ path: UnsafePointer<CChar>!, _ owner: uid_t, _ group: gid_t) -> Int32 { fatalError() }
@discardableResult public func seteuid(_ user: uid_t) -> Int32 { fatalError() }
@discardableResult public func setegid(_ group: gid_t) -> Int32 { fatalError() }
public func inet_addr(_ text: UnsafePointer<CChar>!) -> in_addr_t { fatalError() }
@discardableResult public func pause() -> Int32 { fatalError() }
public func log10(_ x: Double) -> Double { fatalError() }
@discardableResult public func raise(_ signal: Int32) -> Int32 { fatalError() }
public func sysctlbyname(_ name: UnsafePointer<CChar>!, _ old: UnsafeMutableRawPointer!, _ oldLength: UnsafeMutablePointer<Int>!, _ new: UnsafeMutableRawPointer!, _ newLength: Int) -> Int32 { fatalError() }
