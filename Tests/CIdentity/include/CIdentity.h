#ifndef HOMING_CIDENTITY_H
#define HOMING_CIDENTITY_H

/// Connects a stream socket to the Unix socket at `path` as another user: with that effective user and group, and these supplementary
/// groups. Only the calling thread changes, and only for as long as it takes; needs root. The descriptor, or -1 with errno.
int homing_connect_as(const char *path, unsigned uid, unsigned gid, const unsigned *groups, int count);

/// When a file was read last, in seconds since 1970; 0 where there is none.
long homing_read_at(const char *path);

/// Sets when a file was read and written last.
void homing_set_times(const char *path, long readAt, long writtenAt);

/// Gives a file an extended attribute, where its file system has those.
void homing_set_attribute(const char *path, const char *name, const char *value);

#endif
