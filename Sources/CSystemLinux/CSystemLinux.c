#define _GNU_SOURCE
#include "CSystemLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

int homing_is_open_for_writing(int fd) {
    // If a process opens the file before the lease is released, the kernel sends SIGIO, whose default action would terminate the daemon
    // (fcntl(2)).
    signal(SIGIO, SIG_IGN);
    if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0) {
        fcntl(fd, F_SETLEASE, F_UNLCK);
        return 0;
    }
    return errno == EAGAIN ? 1 : -1;
}

static _Atomic int crash_fd = -1;
static const int faults[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
static struct sigaction before[sizeof faults / sizeof faults[0]];

static void mark(int number, siginfo_t *info, void *context) {
    (void)context;
    ssize_t written = write(crash_fd, "!", 1);
    (void)written;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (faults[i] == number) sigaction(number, &before[i], NULL);
    // Returning reruns the faulting instruction under the previous handler. A signal that was sent must be raised again.
    if (info->si_code <= 0) raise(number);
}

int homing_mark_crashes(int fd) {
    int kept = atomic_load(&crash_fd);
    if (kept < 0) {
        int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        if (copy < 0) return -1;
        if (!atomic_compare_exchange_strong(&crash_fd, &kept, copy)) close(copy);
    }
    // Installing twice would save our own handlers as the previous ones, and loop.
    if (kept >= 0) return dup3(fd, kept, O_CLOEXEC) < 0 ? -1 : 0;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = mark;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) sigaction(faults[i], &action, &before[i]);
    return 0;
}

int homing_open_folder(int at, const char *name, int follows) {
    return openat(at, name, O_PATH | O_DIRECTORY | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW));
}

int homing_open_regular(int at, const char *name) { return openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); }

int homing_hold(int at, const char *name) { return openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC); }

int homing_rename_new(int at, const char *name, int to, const char *target) {
    if (renameat2(at, name, to, target, RENAME_NOREPLACE) == 0) return 0;
    // Some network file systems do not support the flag.
    if (errno != EINVAL && errno != ENOSYS) return -1;
    if (faccessat(to, target, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return -1;
    }
    return renameat(at, name, to, target);
}

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

int homing_peer(int fd, int *pid, unsigned *uid, unsigned *gid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

int homing_peer_groups(int fd, unsigned *groups, int capacity) {
    socklen_t size = (socklen_t)capacity * sizeof(gid_t);
    // If they do not fit, the kernel returns ERANGE and the required size.
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0 && errno != ERANGE) return -1;
    return (int)(size / sizeof(gid_t));
}

int homing_open_route_socket(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0) return -1;
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

void homing_return_memory(void) {
    // By default glibc raises this threshold after a large block is freed, and then keeps such blocks.
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    mallopt(M_ARENA_MAX, 2);
}

void homing_return_free_memory(void) { malloc_trim(0); }

static int forget_code(struct dl_phdr_info *object, size_t size, void *unused) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    // The vDSO is not backed by a file.
    if (strncmp(object->dlpi_name, "linux-vdso", 10) == 0) return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        // Only unmodified code can be read from the file again.
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || (part->p_flags & PF_W)) continue;
        uintptr_t start = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
        uintptr_t end = (object->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) & ~(page - 1);
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void homing_forget_startup_code(void) { dl_iterate_phdr(forget_code, NULL); }

int homing_is_stream(int fd, const char *name) {
    struct stat status;
    char found[64];
    if (fstat(fd, &status) != 0) return 0;
    snprintf(found, sizeof found, "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
    return strcmp(found, name) == 0;
}

void homing_spare_sqlite_memory_count(void) {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

int homing_keep_log(void *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

long homing_read_attribute(const char *path, const char *name, void *buffer, unsigned long size) {
    return getxattr(path, name, buffer, size);
}

int homing_read_rights(const char *path, unsigned *uid, unsigned *gid, unsigned *mode) {
    struct stat status;
    if (stat(path, &status) != 0) return -1;
    *uid = status.st_uid;
    *gid = status.st_gid;
    *mode = status.st_mode & 07777;
    return 0;
}
