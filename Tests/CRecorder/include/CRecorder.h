#ifndef HOMING_CRECORDER_H
#define HOMING_CRECORDER_H

// A library for LD_PRELOAD that records a program's calls on files below a directory, kills the program, or lets calls fail.
//
// RECORDER_ROOT  the absolute path of the directory; nothing is recorded or killed without it
// RECORDER_LOG   the file to append records of successful calls to, in the order of their effects
// RECORDER_KILL  steps separated by ';', to be met in this order; the last one kills the process (SIGKILL).
//                A step is call:moment:pattern:count, for example "sync:before:outbox.sqlite-wal:3".
//                  call     on files: write, truncate, sync, create, rename, link, unlink, mkdir. The fnmatch(3) pattern applies to the path below
//                           the root, which is the new path for rename and link and ends in / for a synced folder.
//                           on sockets: send, receive (TCP), request, answer (Unix). The pattern is a text in the bytes.
//                  moment   before, after
//                  count    the number of matching calls since the previous step, from 1
// RECORDER_FAIL  calls that are not made: call:pattern:errno:first:count, for example "fsync:*:5:3:1".
//                  call     on files below the root: openat, read, pread64, write, pwrite64, ftruncate, fallocate, fsync, fdatasync, mmap,
//                           rename, link, unlink, mkdir (each includes its variants); on TCP and Unix sockets: socket (TCP only), connect,
//                           accept4, send, recv (these two include write and read)
//                  pattern  an fnmatch(3) pattern for the path below the root, or for "tcp" or "unix"
//                  errno    a number; 0 reports success
//                  first    the number of the first call that fails, from 1; count: the number of consecutive calls that fail
// RECORDER_MET   the file to append the last step and each failed call to
// RECORDER_CLOCK a file with a signed 8-byte number of seconds by which the program's wall clock is ahead; may change while the program runs.
//                Independent of RECORDER_ROOT. Monotonic clocks are not changed.
//
// A record is the header, the path, the second path, and the bytes. Little-endian.
struct recorder_header {
    unsigned int kind;
    unsigned int flags;
    /// A number for each open file; 1 for TCP and 2 for Unix sockets.
    unsigned long long handle;
    /// In bytes; the new length for truncate.
    long long offset;
    unsigned int path_length, second_length, data_length, padding;
};

enum recorder_kind {
    RECORDER_OPEN = 1,
    RECORDER_WRITE,
    RECORDER_TRUNCATE,
    RECORDER_SYNC,
    RECORDER_RENAME,
    RECORDER_LINK,
    RECORDER_UNLINK,
    RECORDER_MKDIR,
    RECORDER_RMDIR,
    /// Recorded before the bytes are sent.
    RECORDER_SENT,
    /// A call that cannot be replayed; the path is its name.
    RECORDER_UNKNOWN,
};

enum { RECORDER_CREATED = 1, RECORDER_EMPTIED = 2, RECORDER_FOLDER = 4 };

#endif
