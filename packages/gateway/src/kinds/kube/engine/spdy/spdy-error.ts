/** The other side does not keep to SPDY, or asks for more than is given; the connection is closed with it. */
export class SpdyError extends Error {}
