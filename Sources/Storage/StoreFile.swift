// File-system calls of the store.
//
// Invariant that makes it safe: the only pointers are C strings made by Swift for the length of one call and
// `stat` buffers on the stack; each descriptor is closed once, by `deinit` or in the function that opened it.

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The store's file on disk: made with mode 0600, and locked against a second server while this value lives.
///
/// The lock is `flock` on `PATH.lock`; the kernel drops it when the process ends, however it ends.
struct StoreFile: ~Copyable {
    let path: String
    private let lock: Int32

    /// Checks that `path` can be a store, makes the file if there is none, and takes the lock.
    ///
    /// - Throws: `cannotOpen` with the reason in words; `inUse`.
    init(path: String) throws(StorageError) {
        lock = try Self.acquire(path)
        self.path = path
    }

    deinit { close(lock) }

    /// Lets another server have the store; the second time does nothing.
    func unlock() { flock(lock, LOCK_UN) }

    private static func acquire(_ path: String) throws(StorageError) -> Int32 {
        let lock = try open(path + ".lock", for: path)
        do throws(StorageError) {
            guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
                throw errno == EWOULDBLOCK ? StorageError.inUse(path: path) : refusal(path, errno)
            }
            close(try open(path, for: path))
            try synchronizeFolder(of: path)
            return lock
        } catch {
            close(lock)
            throw error
        }
    }

    /// Makes an empty file that only its owner can read, for a backup.
    static func createPrivate(_ path: String) throws(StorageError) {
        let file = openDescriptor(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw refusal(path, errno) }
        close(file)
    }

    /// Flushes a finished file and its folder entry to the disk.
    static func synchronize(_ path: String) throws(StorageError) {
        let file = try open(path, for: path)
        defer { close(file) }
        guard fsync(file) == 0 else { throw refusal(path, errno) }
        try synchronizeFolder(of: path)
    }

    /// Opens or makes a regular file that only its owner can read and write.
    private static func open(_ path: String, for store: String) throws(StorageError) -> Int32 {
        guard !path.utf8.contains(0) else { throw .cannotOpen(path: store, reason: "NUL in the path") }
        let file = openDescriptor(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw refusal(store, errno) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw .cannotOpen(path: store, reason: "it is not a regular file")
        }
        if status.st_mode & 0o077 != 0, fchmod(file, 0o600) != 0 {
            let cause = errno
            close(file)
            throw refusal(store, cause)
        }
        return file
    }

    /// Makes the folder entry of a new file survive a power loss.
    private static func synchronizeFolder(of path: String) throws(StorageError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = openDescriptor(folder, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw refusal(path, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw refusal(path, errno) }
    }

    private static func refusal(_ path: String, _ cause: Int32) -> StorageError {
        let reason =
            switch cause {
            case EISDIR: "it is a directory"
            case ENOENT: "its folder does not exist"
            case ENOTDIR: "a part of the path is not a folder"
            case EACCES, EPERM: "permission denied; it must be writable for the user that runs the server"
            case EROFS: "the disk is read-only"
            case ENOSPC: "the disk is full"
            case EEXIST: "the file exists"
            case ELOOP, ENAMETOOLONG: "the path is too long or loops"
            default: unsafe String(cString: strerror(cause))
            }
        return .cannotOpen(path: path, reason: reason)
    }
}

/// `open` under a name that `StoreFile.open` does not hide.
private func openDescriptor(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    unsafe open(path, flags, mode)
}
