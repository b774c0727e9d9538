#ifndef HOMING_FATES_H
#define HOMING_FATES_H

enum fate {
    GOES,
    /// The call is not made and fails with errno.
    FAILS,
    /// The call is not made and reports success.
    PRETENDS,
};

/// - Parameter subject: a path below the root, "tcp" or "unix".
enum fate fate(const char *call, const char *subject);

_Bool fates_are_set(void);

/// Reads RECORDER_FAIL and RECORDER_MET, before main.
void set_fates(void);

#endif
