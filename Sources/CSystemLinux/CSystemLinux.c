#include "CSystemLinux.h"
