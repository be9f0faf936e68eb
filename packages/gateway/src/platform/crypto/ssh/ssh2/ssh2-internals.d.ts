/** The one table of ssh2 that it does not show: the host key types it agrees to negotiate. */
declare module 'ssh2/lib/protocol/constants.js' {
  const constants: { SUPPORTED_SERVER_HOST_KEY: string[] };
  export = constants;
}

/** Where ssh2 codes and decodes packets. */
declare module 'ssh2/lib/protocol/crypto.js' {
  const crypto: {
    CIPHER_INFO: Record<string, object>;
    createCipher(config: { outbound: object }): object;
    createDecipher(config: { inbound: object }): object;
  };
  export = crypto;
}

/** Where packets go out that it has no call for. */
declare module 'ssh2/lib/protocol/utils.js' {
  const utils: { sendPacket(protocol: object, packet: Buffer, evenWhileKeysChange?: boolean): boolean };
  export = utils;
}
