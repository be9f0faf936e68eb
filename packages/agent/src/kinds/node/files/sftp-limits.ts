/** The bounds this server of SFTP keeps. */

/** Told to clients, who take it for what they may send and will get: theirs end at 256 KiB. */
export const LIMITS = { packetBytes: 256 * 1024, readBytes: 255 * 1024, writeBytes: 255 * 1024, handles: 256 } as const;

/** Taken at most: a client that writes 256 KiB at once, which many do, needs room for the rest of its message. */
export const MAX_PACKET_BYTES = 257 * 1024;
