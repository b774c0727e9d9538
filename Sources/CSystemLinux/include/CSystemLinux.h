#pragma once
// What Glibc hides from Swift, or what only C can do safely.

/// Whether some process has this file, opened read-only as `fd`, open for writing: 1 yes, 0 no, -1 cannot be told (not our file, or a
/// file system without leases).
int homing_is_open_for_writing(int fd);

/// Writes one byte to `fd` if this process dies of a fault of its own (SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT), then lets the
/// fault take its course. A kill from outside or a power cut leaves no mark.
void homing_mark_crashes(int fd);

/// Opens the folder `name` of the folder `at`, for calls relative to it (O_PATH). Follows a link only if told to. Returns the descriptor, or -1
/// with errno.
int homing_open_folder(int at, const char *name, int follows);

/// Opens the file `name` of the folder `at` for reading, without following a link and without waiting for a fifo's writer. Returns the
/// descriptor, or -1 with errno.
int homing_open_regular(int at, const char *name);

/// Holds on to what is called `name` in the folder `at`, also a link or a file that may not be read, so that its inode is not used for another
/// file meanwhile (O_PATH). Returns the descriptor, or -1 with errno.
int homing_hold(int at, const char *name);

/// Renames `name` of the folder `at` to `target` in the folder `to`, and replaces nothing there. Returns 0, or -1 with errno (EEXIST).
int homing_rename_new(int at, const char *name, int to, const char *target);

/// The process that connected to the Unix socket `fd`, as it was then (SO_PEERCRED). Returns 0, or -1 with errno.
int homing_peer(int fd, int *pid, unsigned *uid, unsigned *gid);

/// That process's supplementary groups (SO_PEERGROUPS): fills `groups` where they all fit. Returns how many there are, or -1 with errno.
int homing_peer_groups(int fd, unsigned *groups, int capacity);

/// A netlink socket that has something to read whenever links, addresses or routes change (rtnetlink(7)). Returns the descriptor, or -1
/// with errno.
int homing_open_route_socket(void);

/// Has the allocator give large blocks back to the system as soon as they are freed: a document of 32 MiB must not stay for the rest of the
/// daemon's life. To be called early: arenas that threads have made already stay.
void homing_return_memory(void);

/// Gives the system back what is free by now within the allocator's arenas (malloc_trim(3)), some milliseconds of work at most.
void homing_return_free_memory(void);

/// Unmaps the pages of code, this program's and its libraries'; what is used again comes back from the page cache, a few at a time. Half of
/// the code is only ever used to start.
void homing_forget_startup_code(void);

/// Whether what is open as `fd` is the file with this name, `device:inode` in decimal (systemd.exec(5), JOURNAL_STREAM).
int homing_is_stream(int fd, const char *name);

/// Has SQLite keep no count of its memory, for which every allocation of every store takes one lock (sqlite.org/compile.html, recommended
/// options). To be called before SQLite is first used; later it changes nothing.
void homing_spare_sqlite_memory_count(void);

/// Has the connection `database` (an open `sqlite3 *`) leave the write-ahead log as it is when it closes, also as the last one
/// (sqlite.org/c3ref/c_dbconfig_defensive.html, NO_CKPT_ON_CLOSE). Returns SQLite's result code.
int homing_keep_log(void *database);

/// Reads an extended attribute of what `path` leads to (getxattr(2)). Returns how many bytes it has, or -1 with errno.
long homing_read_attribute(const char *path, const char *name, void *buffer, unsigned long size);

/// Owner, group and permissions of what `path` leads to (stat(2)). Returns 0, or -1 with errno.
int homing_read_rights(const char *path, unsigned *uid, unsigned *gid, unsigned *mode);
