// Files that are compiled into the programs, so that an installed program needs no folder of its own.
#pragma once
#include <stddef.h>

typedef struct {
    const unsigned char *bytes;
    size_t count;
} CResource;

CResource resource_openapi(void);
CResource resource_english(void);
CResource resource_vietnamese(void);
CResource resource_style(void);
CResource resource_script(void);
CResource resource_icon(void);
