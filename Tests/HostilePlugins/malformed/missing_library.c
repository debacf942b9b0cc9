/* The library that needs_missing_library.c is linked with, and that is missing at run time. */
int from_the_missing_library(void);

int from_the_missing_library(void) { return 0; }
