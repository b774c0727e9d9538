#define _GNU_SOURCE
#include "fates.h"
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    char call[16], pattern[160];
    int error;
    long first, count, met;
} failing;
static const char *met_path;

void set_fates(void) {
    const char *text = getenv("RECORDER_FAIL");
    met_path = getenv("RECORDER_MET");
    if (!text) return;
    if (sscanf(text, "%15[^:]:%159[^:]:%d:%ld:%ld", failing.call, failing.pattern, &failing.error, &failing.first, &failing.count) != 5) _exit(64);
}

_Bool fates_are_set(void) { return failing.count > 0; }

enum fate fate(const char *call, const char *subject) {
    if (!fates_are_set() || strcmp(failing.call, call) != 0 || fnmatch(failing.pattern, subject, 0) != 0) return GOES;
    long number = __atomic_add_fetch(&failing.met, 1, __ATOMIC_SEQ_CST);
    if (number < failing.first || number - failing.first >= failing.count) return GOES;
    if (met_path) {
        char line[512];
        int length = snprintf(line, sizeof line, "%s %ld of %s\n", call, number, subject);
        int file = (int)syscall(SYS_openat, AT_FDCWD, met_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        syscall(SYS_write, file, line, (long)length);
        syscall(SYS_close, file);
    }
    errno = failing.error;
    return failing.error ? FAILS : PRETENDS;
}
