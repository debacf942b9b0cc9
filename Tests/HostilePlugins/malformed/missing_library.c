/* The library that is there when needs_missing_library.c is linked, and gone when it is run. */
int from_the_missing_library(void);

int from_the_missing_library(void) { return 0; }
