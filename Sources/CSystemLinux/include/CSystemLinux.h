#pragma once
// Functions that Glibc hides from Swift, or that only C can do safely.

/// 1 if any process has the file `fd` open for writing, 0 if none, -1 unknown (another user's file, or no leases). `fd` must be open
/// read-only.
int homing_is_open_for_writing(int fd);

/// Writes one byte to the file of `fd` on a fault of this process, then lets the fault proceed. Kills and power cuts leave no mark. The
/// caller may close `fd`. A later call replaces the file. Returns -1 with errno on failure.
int homing_mark_crashes(int fd);

/// Opens a folder with O_PATH. Follows a symbolic link only if `follows` is set. Returns the descriptor, or -1 with errno.
int homing_open_folder(int at, const char *name, int follows);

/// Follows no link and does not block on a FIFO. Returns the descriptor, or -1 with errno.
int homing_open_regular(int at, const char *name);

/// Opens any file with O_PATH, even a link; this keeps its inode number from being reused. Returns the descriptor, or -1 with errno.
int homing_hold(int at, const char *name);

/// Renames without replacing a file. Returns 0, or -1 with errno (EEXIST).
int homing_rename_new(int at, const char *name, int to, const char *target);

/// The peer of the Unix socket `fd` at connect time (SO_PEERCRED). Returns 0, or -1 with errno.
int homing_peer(int fd, int *pid, unsigned *uid, unsigned *gid);

/// Fills `groups` if all fit (SO_PEERGROUPS). Returns their number, or -1 with errno.
int homing_peer_groups(int fd, unsigned *groups, int capacity);

/// Opens a socket that becomes readable when links, addresses or routes change (rtnetlink(7)). Returns the descriptor, or -1 with errno.
int homing_open_route_socket(void);

/// Makes the allocator return large blocks as soon as they are freed. Call early: existing thread arenas stay.
void homing_return_memory(void);

/// Returns free arena memory to the system (malloc_trim(3)) in some milliseconds at most.
void homing_return_free_memory(void);

/// Drops the code pages of the program; used pages return from the page cache. Half of the code runs only at start.
void homing_forget_startup_code(void);

/// Whether `fd` is the file `name`, `device:inode` in decimal (systemd.exec(5), JOURNAL_STREAM).
int homing_is_stream(int fd, const char *name);

/// SQLite's memory statistics take a global lock per allocation. Call before SQLite is first used.
void homing_spare_sqlite_memory_count(void);

/// Makes `database` (an open `sqlite3 *`) keep the WAL on close (NO_CKPT_ON_CLOSE). Returns SQLite's result code.
int homing_keep_log(void *database);

/// getxattr(2), following links. Returns the size in bytes, or -1 with errno.
long homing_read_attribute(const char *path, const char *name, void *buffer, unsigned long size);

/// stat(2), following links. Returns 0, or -1 with errno.
int homing_read_rights(const char *path, unsigned *uid, unsigned *gid, unsigned *mode);
