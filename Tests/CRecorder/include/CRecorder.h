#ifndef HOMING_CRECORDER_H
#define HOMING_CRECORDER_H

// Preloaded into a program (LD_PRELOAD), it writes down what the program does to the files below a directory, and kills it or lets its calls
// fail where it is told.
//
// RECORDER_ROOT  the directory, absolute; without it nothing is written down and nothing killed
// RECORDER_LOG   a file to append records to, one for each call that has succeeded, in the order of their effects; none without it
// RECORDER_KILL  where to die: steps apart by ';', each to be met after the one before it, the last of which kills the process (SIGKILL).
//                A step is call:moment:pattern:count, for instance "sync:before:outbox.sqlite-wal:3".
//                  call     write, truncate, sync, create, rename, link, unlink, mkdir (of files: the pattern is that of fnmatch(3), held
//                           against the path below the root, for rename and link against the new one; that of a folder synced ends in /),
//                           send, receive (on TCP), answer (on a Unix socket; of all three the pattern is a text among the bytes)
//                  moment   before, after
//                  count    the how manyth such call since the step before was met; 1 for the first
// RECORDER_FAIL  which calls are not made, and what they return: call:pattern:errno:first:count, for instance "fsync:*:5:3:1".
//                  call     on files below the root: openat, read, pread64, write, pwrite64, ftruncate, fallocate, fsync, fdatasync, mmap,
//                           rename, link, unlink, mkdir (each stands for its variants); on TCP and Unix sockets: socket (TCP only), connect,
//                           accept4, send, recv (these two also for read and write)
//                  pattern  that of fnmatch(3), held against the path below the root, or against "tcp" or "unix"
//                  errno    a number; 0 to report success, though the call is not made
//                  first    the how manyth such call is the first that fails, from 1; count: how many in turn do
// RECORDER_MET   a file to which the last step is appended, as it is met, and each call that fails
// RECORDER_CLOCK a file of 8 bytes, without regard to RECORDER_ROOT: the seconds, as a signed number, by which the program's clock is ahead of
//                the machine's. It may be changed while the program runs; clocks that only count from the start are as they are.
//
// A record is a header, then the path, the second path, and the bytes. Little-endian.
struct recorder_header {
    unsigned int kind;
    unsigned int flags;
    /// One for each opening of a file; of a socket 1 for TCP, 2 for a Unix socket.
    unsigned long long handle;
    /// In bytes; of truncate the new length.
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
    /// Bytes that are about to be sent.
    RECORDER_SENT,
    /// Something that cannot be replayed; the path says what.
    RECORDER_UNKNOWN,
};

/// Flags of RECORDER_OPEN.
enum { RECORDER_CREATED = 1, RECORDER_EMPTIED = 2, RECORDER_FOLDER = 4 };

#endif
