#include "CResources.h"

// SwiftPM's embedInCode makes an array literal of each file, and the Swift compiler takes 25 seconds for one of 110 KB.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define RESOURCE(name) \
    CResource resource_##name(void) { return (CResource) { name, sizeof name }; }

static const unsigned char openapi[] = {
#embed "../ControlAPI/openapi.yaml"
};
static const unsigned char english[] = {
#embed "../Dashboard/Resources/en.txt"
};
static const unsigned char vietnamese[] = {
#embed "../Dashboard/Resources/vi.txt"
};
static const unsigned char style[] = {
#embed "../Dashboard/Resources/style.css"
};
static const unsigned char script[] = {
#embed "../Dashboard/Resources/page.js"
};
static const unsigned char icon[] = {
#embed "../Dashboard/Resources/icon.svg"
};

RESOURCE(openapi)
RESOURCE(english)
RESOURCE(vietnamese)
RESOURCE(style)
RESOURCE(script)
RESOURCE(icon)
