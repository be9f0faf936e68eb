/** The bounds this server of SFTP keeps. */

/** Told to clients, who take it for what they may send and will get: theirs end at 256 KiB. */
export const LIMITS = { packetBytes: 256 * 1024, readBytes: 255 * 1024, writeBytes: 255 * 1024, handles: 256 } as const;
