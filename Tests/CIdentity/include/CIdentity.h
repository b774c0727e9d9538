#ifndef HOMING_CIDENTITY_H
#define HOMING_CIDENTITY_H

/// Connects to the Unix socket at `path` with this effective user, group, and supplementary groups. Changes only the calling thread, temporarily.
/// Requires root. Returns the descriptor, or -1 with errno.
int homing_connect_as(const char *path, unsigned uid, unsigned gid, const unsigned *groups, int count);

/// The access time of a file, in seconds since 1970; 0 if it is missing.
long homing_read_at(const char *path);

/// Sets the access and modification times.
void homing_set_times(const char *path, long readAt, long writtenAt);

/// Sets an extended attribute if the file system supports it.
void homing_set_attribute(const char *path, const char *name, const char *value);

#endif
