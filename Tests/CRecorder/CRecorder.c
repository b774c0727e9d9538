#define _GNU_SOURCE
#include "CRecorder.h"
#include "fates.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// One body serves off_t and off64_t, which are the same here.
_Static_assert(sizeof(off_t) == 8, "written for 64 bits");

enum { DESCRIPTORS = 4096, STEPS = 8, TCP = 1, UNIX = 2 };

struct opened {
    uint64_t handle;
    bool appends;
    char path[320];
};
struct step {
    char call[16], moment[16], pattern[160];
    long count, met;
};

static struct opened opened[DESCRIPTORS];
static char root[PATH_MAX];
static size_t root_length;
static int record_file = -1;
static uint64_t handles;
static struct step steps[STEPS];
static int step_count, step_now;
static const char *met_path;
// Held over a call and its record, so that both have the same order.
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))real(#name, &real_##name))
static void *real(const char *name, void **place) {
    if (!*place) *place = dlsym(RTLD_NEXT, name);
    return *place;
}
#define DECLARE(name) static void *real_##name;
DECLARE(open) DECLARE(open64) DECLARE(openat) DECLARE(openat64) DECLARE(close) DECLARE(dup) DECLARE(dup2) DECLARE(dup3)
DECLARE(write) DECLARE(pwrite64) DECLARE(writev) DECLARE(pwritev) DECLARE(ftruncate) DECLARE(ftruncate64)
DECLARE(fsync) DECLARE(fdatasync) DECLARE(rename) DECLARE(renameat) DECLARE(renameat2) DECLARE(link) DECLARE(linkat)
DECLARE(unlink) DECLARE(unlinkat) DECLARE(mkdir) DECLARE(mkdirat) DECLARE(rmdir) DECLARE(read) DECLARE(recv) DECLARE(send) DECLARE(sendto)
DECLARE(sendmsg) DECLARE(fallocate) DECLARE(posix_fallocate) DECLARE(truncate) DECLARE(pread64) DECLARE(mmap) DECLARE(socket)
DECLARE(connect) DECLARE(accept) DECLARE(accept4) DECLARE(closedir)

static const volatile int64_t *ahead;

static void set_clock(void) {
    const char *path = getenv("RECORDER_CLOCK");
    if (!path) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    void *place = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
    if (place == MAP_FAILED) _exit(64);
    syscall(SYS_close, file);
    ahead = place;
}

// Direct system calls, since these run before dlsym works.
int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += *ahead;
    return result;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    int result = (int)syscall(SYS_gettimeofday, time, zone);
    if (result == 0 && ahead) time->tv_sec += *ahead;
    return result;
}
time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}

__attribute__((constructor)) static void begin(void) {
    set_clock();
    const char *directory = getenv("RECORDER_ROOT"), *log = getenv("RECORDER_LOG"), *kills = getenv("RECORDER_KILL");
    met_path = getenv("RECORDER_MET");
    if (!directory) return;
    root_length = (size_t)snprintf(root, sizeof root, "%s/", directory);
    handles = (uint64_t)getpid() << 32;
    set_fates();
    if (log) record_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (!kills) return;
    char text[1024];
    snprintf(text, sizeof text, "%s", kills);
    char *outer = NULL;
    for (char *word = strtok_r(text, ";", &outer); word && step_count < STEPS; word = strtok_r(NULL, ";", &outer)) {
        struct step *step = &steps[step_count++];
        // The pattern may contain a colon, the count cannot.
        char *moment = strchr(word, ':'), *pattern = moment ? strchr(moment + 1, ':') : NULL, *count = strrchr(word, ':');
        if (!pattern || count <= pattern) _exit(64);
        *moment = *pattern = *count = 0;
        snprintf(step->call, sizeof step->call, "%s", word);
        snprintf(step->moment, sizeof step->moment, "%s", moment + 1);
        snprintf(step->pattern, sizeof step->pattern, "%s", pattern + 1);
        step->count = atol(count + 1);
    }
}

/// Relative to the root, "" for the root, NULL for other paths.
static const char *below(int folder, const char *path, char *buffer) {
    if (!root_length || !path) return NULL;
    if (path[0] != '/') {
        char base[PATH_MAX], link[64];
        if (folder == AT_FDCWD) {
            if (!getcwd(base, sizeof base)) return NULL;
        } else {
            snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
            ssize_t length = readlink(link, base, sizeof base - 1);
            if (length < 0) return NULL;
            base[length] = 0;
        }
        bool is_folder = strcmp(path, ".") == 0;
        if (snprintf(buffer, PATH_MAX, "%s%s%s", base, is_folder ? "" : "/", is_folder ? "" : path) >= PATH_MAX) return NULL;
        path = buffer;
    }
    if (strncmp(path, root, root_length) == 0) return path + root_length;
    return strncmp(path, root, root_length - 1) == 0 && path[root_length - 1] == 0 ? path + root_length - 1 : NULL;
}

static void record(uint32_t kind, uint32_t flags, uint64_t handle, int64_t offset, const char *path, const char *second,
                   const struct iovec *data, int count, size_t length) {
    if (record_file < 0) return;
    struct recorder_header header = {.kind = kind, .flags = flags, .handle = handle, .offset = offset};
    header.path_length = path ? (unsigned)strlen(path) : 0;
    header.second_length = second ? (unsigned)strlen(second) : 0;
    header.data_length = (unsigned)length;
    struct iovec parts[1027] = {{&header, sizeof header}, {(void *)path, header.path_length}, {(void *)second, header.second_length}};
    int used = 3;
    for (int i = 0; i < count && length && used < 1027; i++) {
        size_t part = data[i].iov_len < length ? data[i].iov_len : length;
        parts[used++] = (struct iovec){data[i].iov_base, part};
        length -= part;
    }
    syscall(SYS_writev, record_file, parts, (long)(used > 1024 ? 1024 : used));
}

static bool matches(const struct step *step, const char *subject, const struct iovec *data, int count) {
    if (!data) return fnmatch(step->pattern, subject, 0) == 0;
    if (strcmp(step->pattern, "*") == 0) return true;
    for (int i = 0; i < count; i++)
        if (memmem(data[i].iov_base, data[i].iov_len, step->pattern, strlen(step->pattern))) return true;
    return false;
}

/// Counts a matching call; kills the process at the last step.
static void meet(const char *call, const char *moment, const char *subject, const struct iovec *data, int count) {
    if (step_now >= step_count) return;
    struct step *step = &steps[step_now];
    if (strcmp(step->call, call) != 0 || strcmp(step->moment, moment) != 0 || !matches(step, subject, data, count)) return;
    if (++step->met < step->count) return;
    if (++step_now < step_count) return;
    if (met_path) {
        char line[512];
        int length = snprintf(line, sizeof line, "%s:%s:%s\n", call, moment, subject ? subject : step->pattern);
        int file = (int)syscall(SYS_openat, AT_FDCWD, met_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        syscall(SYS_write, file, line, (long)length);
    }
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

static void lock(void) { pthread_mutex_lock(&order); }
static void unlock(void) {
    int kept = errno;
    pthread_mutex_unlock(&order);
    errno = kept;
}
static struct opened *known(int file) {
    return root_length && file >= 0 && file < DESCRIPTORS && opened[file].handle ? &opened[file] : NULL;
}

/// TCP, UNIX, or 0.
static int socket_kind(int file) {
    int domain = 0;
    socklen_t size = sizeof domain;
    int kept = errno;
    int kind = 0;
    if (getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0)
        kind = domain == AF_INET || domain == AF_INET6 ? TCP : domain == AF_UNIX ? UNIX : 0;
    errno = kept;
    return kind;
}

static enum fate fate_on(int file, const char *of_file, const char *of_socket) {
    if (!fates_are_set()) return GOES;
    struct opened *place = known(file);
    if (place) return fate(of_file, place->path);
    int kind = socket_kind(file);
    return kind ? fate(of_socket, kind == TCP ? "tcp" : "unix") : GOES;
}

/// Returns `failure` or `success` from the enclosing function if the call is not made.
#define MEET(fate, failure, success) \
    switch (fate) { \
    case FAILS: return failure; \
    case PRETENDS: return success; \
    case GOES: break; \
    }

// MARK: Opening and closing

typedef int (*open_call)(int folder, const char *path, int flags, mode_t mode);
static int plain_open(int folder, const char *path, int flags, mode_t mode) { (void)folder; return REAL(open)(path, flags, mode); }
static int large_open(int folder, const char *path, int flags, mode_t mode) { (void)folder; return REAL(open64)(path, flags, mode); }
static int plain_openat(int folder, const char *path, int flags, mode_t mode) { return REAL(openat)(folder, path, flags, mode); }
static int large_openat(int folder, const char *path, int flags, mode_t mode) { return REAL(openat64)(folder, path, flags, mode); }

static int opening(open_call call, int folder, const char *path, int flags, mode_t mode) {
    char buffer[PATH_MAX];
    const char *name = below(folder, path, buffer);
    if (!name) return call(folder, path, flags, mode);
    MEET(fate("openat", name), -1, -1)
    lock();
    struct stat info;
    bool was = fstatat(folder, path, &info, 0) == 0, creates = !was && flags & O_CREAT;
    if (creates) meet("create", "before", name, NULL, 0);
    int file = call(folder, path, flags, mode);
    if (file >= 0 && file < DESCRIPTORS) {
        bool is_folder = fstat(file, &info) == 0 && S_ISDIR(info.st_mode);
        opened[file] = (struct opened){.handle = ++handles, .appends = flags & O_APPEND};
        snprintf(opened[file].path, sizeof opened[file].path, is_folder ? "%s/" : "%s", name);
        uint32_t kind = (creates ? RECORDER_CREATED : 0) | (flags & O_TRUNC ? RECORDER_EMPTIED : 0) | (is_folder ? RECORDER_FOLDER : 0);
        record(RECORDER_OPEN, kind, handles, 0, name, NULL, NULL, 0, 0);
        if (creates) meet("create", "after", name, NULL, 0);
    }
    unlock();
    return file;
}

#define MODE mode_t mode = 0; if (flags & (O_CREAT | __O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
int open(const char *path, int flags, ...) { MODE return opening(plain_open, AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opening(large_open, AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE return opening(plain_openat, folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE return opening(large_openat, folder, path, flags, mode); }
int creat(const char *path, mode_t mode) { return opening(plain_open, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int close(int file) {
    if (!known(file)) return REAL(close)(file);
    lock();
    opened[file].handle = 0;
    int result = REAL(close)(file);
    unlock();
    return result;
}

/// The C library closes a folder's descriptor without `close`.
int closedir(DIR *folder) {
    lock();
    int file = dirfd(folder);
    if (known(file)) opened[file].handle = 0;
    int result = REAL(closedir)(folder);
    unlock();
    return result;
}

/// A new socket is no file, whatever had its number before.
static int new_socket(int file) {
    if (known(file)) {
        lock();
        opened[file].handle = 0;
        unlock();
    }
    return file;
}

static int doubled(int from, int to) {
    if (to < 0 || to >= DESCRIPTORS || !root_length) return to;
    lock();
    if (known(from)) opened[to] = opened[from];
    else opened[to].handle = 0;
    unlock();
    return to;
}
int dup(int file) { return doubled(file, REAL(dup)(file)); }
int dup2(int file, int other) { return doubled(file, REAL(dup2)(file, other)); }
int dup3(int file, int other, int flags) { return doubled(file, REAL(dup3)(file, other, flags)); }

// MARK: Files' content

typedef ssize_t (*send_call)(int file, const struct iovec *data, int count, off_t offset);

static size_t length_of(const struct iovec *data, int count) {
    size_t length = 0;
    for (int i = 0; i < count; i++) length += data[i].iov_len;
    return length;
}

static ssize_t sending(send_call call, int file, const struct iovec *data, int count) {
    int kind = root_length ? socket_kind(file) : 0;
    if (!kind) return call(file, data, count, 0);
    lock();
    // Before the call, since the receiver may act before it returns.
    record(RECORDER_SENT, 0, (uint64_t)kind, 0, NULL, NULL, data, count, length_of(data, count));
    const char *name = kind == TCP ? "send" : "answer";
    meet(name, "before", NULL, data, count);
    unlock();
    ssize_t result = call(file, data, count, 0);
    lock();
    if (result > 0) meet(name, "after", NULL, data, count);
    unlock();
    return result;
}

/// -1 for the current file position.
static ssize_t writing(send_call call, int file, const struct iovec *data, int count, off_t offset) {
    struct opened *place = known(file);
    MEET(fate_on(file, offset < 0 ? "write" : "pwrite64", "send"), -1, (ssize_t)length_of(data, count))
    if (!place) return offset < 0 ? sending(call, file, data, count) : call(file, data, count, offset);
    lock();
    meet("write", "before", place->path, NULL, 0);
    off_t at = offset;
    struct stat info;
    if (offset < 0) at = place->appends && fstat(file, &info) == 0 ? info.st_size : lseek(file, 0, SEEK_CUR);
    ssize_t result = call(file, data, count, offset);
    if (result > 0) {
        record(RECORDER_WRITE, 0, place->handle, at, NULL, NULL, data, count, (size_t)result);
        meet("write", "after", place->path, NULL, 0);
    }
    unlock();
    return result;
}

static ssize_t call_write(int file, const struct iovec *data, int count, off_t offset) {
    (void)count, (void)offset;
    return REAL(write)(file, data->iov_base, data->iov_len);
}
static ssize_t call_pwrite(int file, const struct iovec *data, int count, off_t offset) {
    (void)count;
    return REAL(pwrite64)(file, data->iov_base, data->iov_len, offset);
}
static ssize_t call_writev(int file, const struct iovec *data, int count, off_t offset) {
    (void)offset;
    return REAL(writev)(file, data, count);
}
static ssize_t call_pwritev(int file, const struct iovec *data, int count, off_t offset) { return REAL(pwritev)(file, data, count, offset); }

#define ONE struct iovec one = {(void *)data, size}
ssize_t write(int file, const void *data, size_t size) { ONE; return writing(call_write, file, &one, 1, -1); }
ssize_t pwrite(int file, const void *data, size_t size, off_t offset) { ONE; return writing(call_pwrite, file, &one, 1, offset); }
ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset) { ONE; return writing(call_pwrite, file, &one, 1, offset); }
ssize_t writev(int file, const struct iovec *data, int count) { return writing(call_writev, file, data, count, -1); }
ssize_t pwritev(int file, const struct iovec *data, int count, off_t offset) { return writing(call_pwritev, file, data, count, offset); }

static int shortening(int (*call)(int, off_t), int file, off_t size) {
    struct opened *place = known(file);
    if (!place) return call(file, size);
    MEET(fate("ftruncate", place->path), -1, 0)
    lock();
    meet("truncate", "before", place->path, NULL, 0);
    int result = call(file, size);
    if (result == 0) {
        record(RECORDER_TRUNCATE, 0, place->handle, size, NULL, NULL, NULL, 0, 0);
        meet("truncate", "after", place->path, NULL, 0);
    }
    unlock();
    return result;
}
int ftruncate(int file, off_t size) { return shortening((int (*)(int, off_t))REAL(ftruncate), file, size); }
int ftruncate64(int file, off64_t size) { return shortening((int (*)(int, off_t))REAL(ftruncate64), file, size); }

/// Unused today. A future use makes the recording invalid instead of wrong.
static void cannot_replay(const char *call) {
    lock();
    record(RECORDER_UNKNOWN, 0, 0, 0, call, NULL, NULL, 0, 0);
    unlock();
}
int fallocate(int file, int mode, off_t offset, off_t size) {
    if (known(file)) cannot_replay("fallocate");
    return REAL(fallocate)(file, mode, offset, size);
}
/// The reserved part reads as zeros, as in a longer file.
int posix_fallocate(int file, off_t offset, off_t size) {
    struct opened *place = known(file);
    if (!place) return REAL(posix_fallocate)(file, offset, size);
    MEET(fate("fallocate", place->path), errno, 0)
    lock();
    int result = REAL(posix_fallocate)(file, offset, size);
    struct stat info;
    if (result == 0 && fstat(file, &info) == 0) record(RECORDER_TRUNCATE, 0, place->handle, info.st_size, NULL, NULL, NULL, 0, 0);
    unlock();
    return result;
}
int truncate(const char *path, off_t size) {
    char buffer[PATH_MAX];
    if (below(AT_FDCWD, path, buffer)) cannot_replay("truncate");
    return REAL(truncate)(path, size);
}

static int syncing(int (*call)(int), const char *name, int file) {
    struct opened *place = known(file);
    if (!place) return call(file);
    MEET(fate(name, place->path), -1, 0)
    lock();
    meet("sync", "before", place->path, NULL, 0);
    int result = call(file);
    if (result == 0) {
        record(RECORDER_SYNC, 0, place->handle, 0, NULL, NULL, NULL, 0, 0);
        meet("sync", "after", place->path, NULL, 0);
    }
    unlock();
    return result;
}
int fsync(int file) { return syncing(REAL(fsync), "fsync", file); }
int fdatasync(int file) { return syncing(REAL(fdatasync), "fdatasync", file); }

// MARK: Names

static int call_rename(int from, const char *path, int to, const char *target, unsigned flags) {
    (void)from, (void)to, (void)flags;
    return REAL(rename)(path, target);
}
static int call_renameat(int from, const char *path, int to, const char *target, unsigned flags) {
    (void)flags;
    return REAL(renameat)(from, path, to, target);
}
static int call_renameat2(int from, const char *path, int to, const char *target, unsigned flags) {
    return REAL(renameat2)(from, path, to, target, flags);
}
static int call_link(int from, const char *path, int to, const char *target, unsigned flags) {
    (void)from, (void)to, (void)flags;
    return REAL(link)(path, target);
}
static int call_linkat(int from, const char *path, int to, const char *target, unsigned flags) {
    return REAL(linkat)(from, path, to, target, (int)flags);
}

static int naming(int (*call)(int, const char *, int, const char *, unsigned), uint32_t kind, const char *name, int from,
                  const char *path, int to, const char *target, unsigned flags) {
    char one[PATH_MAX], two[PATH_MAX];
    const char *old = below(from, path, one), *new = below(to, target, two);
    if (!old && !new) return call(from, path, to, target, flags);
    const char *subject = new ? new : old;
    MEET(fate(name, subject), -1, 0)
    lock();
    meet(name, "before", subject, NULL, 0);
    int result = call(from, path, to, target, flags);
    if (result == 0) {
        // Empty for the path outside the root.
        record(kind, 0, 0, 0, old ? old : "", new ? new : "", NULL, 0, 0);
        meet(name, "after", subject, NULL, 0);
    }
    unlock();
    return result;
}
int rename(const char *path, const char *target) {
    return naming(call_rename, RECORDER_RENAME, "rename", AT_FDCWD, path, AT_FDCWD, target, 0);
}
int renameat(int from, const char *path, int to, const char *target) {
    return naming(call_renameat, RECORDER_RENAME, "rename", from, path, to, target, 0);
}
int renameat2(int from, const char *path, int to, const char *target, unsigned flags) {
    return naming(call_renameat2, RECORDER_RENAME, "rename", from, path, to, target, flags);
}
int link(const char *path, const char *target) {
    return naming(call_link, RECORDER_LINK, "link", AT_FDCWD, path, AT_FDCWD, target, 0);
}
int linkat(int from, const char *path, int to, const char *target, int flags) {
    return naming(call_linkat, RECORDER_LINK, "link", from, path, to, target, (unsigned)flags);
}

static int call_unlink(int folder, const char *path, unsigned flags) { (void)folder, (void)flags; return REAL(unlink)(path); }
static int call_unlinkat(int folder, const char *path, unsigned flags) { return REAL(unlinkat)(folder, path, (int)flags); }
static int call_mkdir(int folder, const char *path, unsigned mode) { (void)folder; return REAL(mkdir)(path, (mode_t)mode); }
static int call_mkdirat(int folder, const char *path, unsigned mode) { return REAL(mkdirat)(folder, path, (mode_t)mode); }
static int call_rmdir(int folder, const char *path, unsigned flags) { (void)folder, (void)flags; return REAL(rmdir)(path); }

static int placing(int (*call)(int, const char *, unsigned), uint32_t kind, const char *name, int folder, const char *path, unsigned rest) {
    char buffer[PATH_MAX];
    const char *below_root = below(folder, path, buffer);
    if (!below_root) return call(folder, path, rest);
    MEET(fate(name, below_root), -1, 0)
    lock();
    meet(name, "before", below_root, NULL, 0);
    int result = call(folder, path, rest);
    if (result == 0) {
        record(kind, 0, 0, 0, below_root, NULL, NULL, 0, 0);
        meet(name, "after", below_root, NULL, 0);
    }
    unlock();
    return result;
}
int unlink(const char *path) { return placing(call_unlink, RECORDER_UNLINK, "unlink", AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) {
    bool is_folder = flags & AT_REMOVEDIR;
    return placing(call_unlinkat, is_folder ? RECORDER_RMDIR : RECORDER_UNLINK, is_folder ? "rmdir" : "unlink", folder, path, (unsigned)flags);
}
int mkdir(const char *path, mode_t mode) { return placing(call_mkdir, RECORDER_MKDIR, "mkdir", AT_FDCWD, path, mode); }
int mkdirat(int folder, const char *path, mode_t mode) { return placing(call_mkdirat, RECORDER_MKDIR, "mkdir", folder, path, mode); }
int rmdir(const char *path) { return placing(call_rmdir, RECORDER_RMDIR, "rmdir", AT_FDCWD, path, 0); }

// MARK: Sockets

static ssize_t received(int file, const void *data, ssize_t size) {
    int kind = size <= 0 || step_now >= step_count ? 0 : socket_kind(file);
    if (!kind) return size;
    struct iovec one = {(void *)data, (size_t)size};
    lock();
    meet(kind == TCP ? "receive" : "request", "after", NULL, &one, 1);
    unlock();
    return size;
}
ssize_t read(int file, void *data, size_t size) {
    MEET(fate_on(file, "read", "recv"), -1, 0)
    return received(file, data, REAL(read)(file, data, size));
}
ssize_t recv(int file, void *data, size_t size, int flags) {
    MEET(fate_on(file, "read", "recv"), -1, 0)
    return received(file, data, REAL(recv)(file, data, size, flags));
}

// The other arguments of the current call on this thread.
static __thread int send_flags;
static __thread const struct sockaddr *send_address;
static __thread socklen_t send_address_size;
static __thread const struct msghdr *send_message;
static ssize_t call_send(int file, const struct iovec *data, int count, off_t offset) {
    (void)count, (void)offset;
    return REAL(send)(file, data->iov_base, data->iov_len, send_flags);
}
static ssize_t call_sendto(int file, const struct iovec *data, int count, off_t offset) {
    (void)count, (void)offset;
    return REAL(sendto)(file, data->iov_base, data->iov_len, send_flags, send_address, send_address_size);
}
static ssize_t call_sendmsg(int file, const struct iovec *data, int count, off_t offset) {
    (void)data, (void)count, (void)offset;
    return REAL(sendmsg)(file, send_message, send_flags);
}
ssize_t send(int file, const void *data, size_t size, int flags) {
    ONE;
    MEET(fate_on(file, "write", "send"), -1, (ssize_t)size)
    send_flags = flags;
    return sending(call_send, file, &one, 1);
}
ssize_t sendto(int file, const void *data, size_t size, int flags, const struct sockaddr *address, socklen_t address_size) {
    ONE;
    MEET(fate_on(file, "write", "send"), -1, (ssize_t)size)
    send_flags = flags;
    send_address = address;
    send_address_size = address_size;
    return sending(call_sendto, file, &one, 1);
}
ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
    MEET(fate_on(file, "write", "send"), -1, (ssize_t)length_of(message->msg_iov, (int)message->msg_iovlen))
    send_message = message;
    send_flags = flags;
    return sending(call_sendmsg, file, message->msg_iov, (int)message->msg_iovlen);
}

int socket(int domain, int type, int protocol) {
    if (root_length && domain == AF_INET) MEET(fate("socket", "tcp"), -1, -1)
    return new_socket(REAL(socket)(domain, type, protocol));
}
int connect(int file, const struct sockaddr *address, socklen_t size) {
    MEET(fate_on(file, "connect", "connect"), -1, 0)
    return REAL(connect)(file, address, size);
}
int accept(int file, struct sockaddr *address, socklen_t *size) {
    MEET(fate_on(file, "accept4", "accept4"), -1, -1)
    return new_socket(REAL(accept)(file, address, size));
}
int accept4(int file, struct sockaddr *address, socklen_t *size, int flags) {
    MEET(fate_on(file, "accept4", "accept4"), -1, -1)
    return new_socket(REAL(accept4)(file, address, size, flags));
}

// MARK: Only to fail

ssize_t pread(int file, void *data, size_t size, off_t offset) {
    MEET(fate_on(file, "pread64", "pread64"), -1, 0)
    return REAL(pread64)(file, data, size, offset);
}
ssize_t pread64(int file, void *data, size_t size, off64_t offset) {
    MEET(fate_on(file, "pread64", "pread64"), -1, 0)
    return REAL(pread64)(file, data, size, offset);
}
static void *mapping(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    struct opened *place = known(file);
    if (place) MEET(fate("mmap", place->path), MAP_FAILED, MAP_FAILED)
    return REAL(mmap)(address, size, protection, flags, file, offset);
}
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    return mapping(address, size, protection, flags, file, offset);
}
void *mmap64(void *address, size_t size, int protection, int flags, int file, off64_t offset) {
    return mapping(address, size, protection, flags, file, offset);
}
