/** The version all our programs carry and tell. */
export const VERSION = '0.1.0';
