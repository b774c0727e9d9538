import Glibc

/// Sets the times of a file or folder, in seconds since 1970. False if the file system refuses them; it may also clamp them.
///
/// Here, because the compiler may take `timespec` for a type of NIO's in a module that imports NIO.
@discardableResult
package func setTimes(of path: String, accessed: Int = 0, modified: Int, nanoseconds: Int = 0) -> Bool {
    var times = [timespec(tv_sec: accessed, tv_nsec: 0), timespec(tv_sec: modified, tv_nsec: nanoseconds)]
    return utimensat(AT_FDCWD, path, &times, 0) == 0
}
