/* A shared library that is not a plugin. */
int greenroom_plugin_exit(void);

int greenroom_plugin_exit(void) { return 42; }
