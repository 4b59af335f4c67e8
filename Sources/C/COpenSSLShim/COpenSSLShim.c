#include "COpenSSLShim.h"
