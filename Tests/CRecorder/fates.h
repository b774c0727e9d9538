#ifndef HOMING_FATES_H
#define HOMING_FATES_H

/// What becomes of a call.
enum fate {
    /// What the system makes of it.
    GOES,
    /// It is not made; errno says why.
    FAILS,
    /// It is not made, and success is reported.
    PRETENDS,
};

/// Counts a call, named as the system names it, on `subject`: a path below the root, "tcp" or "unix".
enum fate fate(const char *call, const char *subject);

/// Whether any call is to fail at all.
_Bool fates_are_set(void);

/// Reads which (RECORDER_FAIL, RECORDER_MET); before main, and alone.
void set_fates(void);

#endif
