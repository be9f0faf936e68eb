/** The one table of ssh2 that it does not show: the host key types it agrees to negotiate. */
declare module 'ssh2/lib/protocol/constants.js' {
  const constants: { SUPPORTED_SERVER_HOST_KEY: string[] };
  export = constants;
}
