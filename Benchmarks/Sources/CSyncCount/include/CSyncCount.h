#ifndef CSYNCCOUNT_H
#define CSYNCCOUNT_H
/* For LD_PRELOAD: counts fsync and fdatasync calls in the file SYNC_COUNT_FILE, as one 64-bit integer. */
#endif
