/** What a server may send at most. */

/** Servers send no more than 256 KiB and a header; what announces more is no SFTP. */
export const MAX_PACKET_BYTES = 256 * 1024 + 1024;
/** A handle is the server's own business; the draft ends it at 256 bytes. */
export const MAX_HANDLE_BYTES = 256;
