import ControlServer
import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct UnixSocketTests {
    private let directory: TemporaryDirectory
    private var path: String { directory("homing.sock") }

    init() throws {
        directory = try TemporaryDirectory()
        umask(0o007)
    }

    private static func answers(_ path: String) throws -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    private func permissions(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        try #require(attributes[.type] as? FileAttributeType == .typeSocket)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    @Test(arguments: [(0o660, 0o660), (0o666, 0o660), (0o600, 0o600), (0o777, 0o770)] as [(mode_t, Int)])
    func appliesUmaskToMode(asked: mode_t, given: Int) throws {
        let socket = try UnixSocket(path: path, mode: asked)
        defer { close(socket.descriptor) }
        #expect(try permissions(of: path) == given)
        #expect(!socket.isOpenToAll)
        #expect(try Self.answers(path))
    }

    @Test func readsOpenAccessFromPath() throws {
        let socket = try UnixSocket(path: path, mode: 0o660)
        defer { close(socket.descriptor) }
        #expect(!socket.isOpenToAll)
        #expect(chmod(path, 0o666) == 0)
        #expect(socket.isOpenToAll)
        unlink(path)
        #expect(socket.isOpenToAll)
    }

    @Test func refusesPathOfRunningDaemon() throws {
        let first = try UnixSocket(path: path, mode: 0o660)
        defer { close(first.descriptor) }
        #expect(throws: SocketError.inUse(path)) { try UnixSocket(path: path, mode: 0o660) }
        #expect(try Self.answers(path))
    }

    @Test func replacesSocketLeftBehind() throws {
        close(try UnixSocket(path: path, mode: 0o660).descriptor)
        _ = try permissions(of: path)
        #expect(try Self.answers(path) == false)
        let second = try UnixSocket(path: path, mode: 0o660)
        defer { close(second.descriptor) }
        #expect(try Self.answers(path))
    }

    @Test func keepsFileThatIsNotASocket() throws {
        try "mine".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(throws: SocketError.notASocket(path)) { try UnixSocket(path: path, mode: 0o660) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test func refusesLinkToSocket() throws {
        close(try UnixSocket(path: directory("other.sock"), mode: 0o660).descriptor)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory("other.sock"))
        #expect(throws: SocketError.notASocket(path)) { try UnixSocket(path: path, mode: 0o660) }
    }

    @Test func refusesPathLongerThan107Bytes() throws {
        let longest = directory(String(repeating: "x", count: 107 - directory("").utf8.count))
        let socket = try UnixSocket(path: longest, mode: 0o660)
        close(socket.descriptor)
        #expect(throws: SocketError.pathTooLong(longest + "x")) { try UnixSocket(path: longest + "x", mode: 0o660) }
    }

    @Test func missingFolderIsSystemError() throws {
        let path = directory("nowhere/homing.sock")
        #expect(throws: SocketError.system(path, ENOENT)) { try UnixSocket(path: path, mode: 0o660) }
    }

    @Test(arguments: [SocketError.inUse("/s"), .notASocket("/s"), .pathTooLong("/s"), .system("/s", EACCES)])
    func everyErrorNamesThePathInASentence(error: SocketError) {
        #expect(error.description.contains("/s"))
        #expect(error.description.hasSuffix("."))
    }

    @Test func closingOwnSocketRemovesItsPath() throws {
        let socket = try UnixSocket(path: path, mode: 0o660)
        #expect(!socket.isAdopted)
        socket.close()
        socket.close()
        #expect(!FileManager.default.fileExists(atPath: path))
        let copy = try socket.duplicate()
        #expect(copy == nil)
    }

    @Test func adoptedSocketKeepsPathAndClosesOnExec() throws {
        let made = try UnixSocket(path: path, mode: 0o660)
        defer { made.close() }
        // Without FD_CLOEXEC, as a service manager passes it.
        let adopted = try UnixSocket(adopting: dup(made.descriptor))
        #expect(adopted.isAdopted)
        #expect(adopted.path == path)
        #expect(fcntl(adopted.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        adopted.close()
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(try Self.answers(path))
    }

    @Test func closingDuplicateKeepsSocketListening() throws {
        let socket = try UnixSocket(path: path, mode: 0o660)
        defer { socket.close() }
        let copy = try #require(try socket.duplicate())
        #expect(fcntl(copy, F_GETFD) & FD_CLOEXEC != 0)
        close(copy)
        #expect(try Self.answers(path))
    }

    @Test func onlyAListeningUnixStreamSocketIsAdopted() throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        let datagrams = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let silent = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let internet = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        listen(internet, 1)
        for descriptor in [null, datagrams, silent, internet] {
            #expect(throws: SocketError.notListening(descriptor)) { try UnixSocket(adopting: descriptor) }
            close(descriptor)
        }
        #expect(SocketError.notListening(3).description.contains("Descriptor 3 "))
    }
}
