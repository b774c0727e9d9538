#ifndef CSYNCCOUNT_H
#define CSYNCCOUNT_H
/* Preloaded into a program, counts its calls of fsync and fdatasync in the file that SYNC_COUNT_FILE names: one 64-bit integer. */
#endif
