/* A shared library that is none of the host's business. */
int greenroom_plugin_exit(void);

int greenroom_plugin_exit(void) { return 42; }
