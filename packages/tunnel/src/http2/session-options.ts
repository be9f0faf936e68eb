/** HTTP/2 settings of both ends. Each number was needed by a measurement or a crash; none is decoration. */
import type { ClientHttp2Session, ServerHttp2Session } from 'node:http2';

/** What a stopped reader can make its sender produce, and at 50 ms the rate of one stream: 40 MB/s. */
export const STREAM_WINDOW_BYTES = 2 * 1024 * 1024;
/** Node gives session credit back on arrival, so stopped streams hold none of it; it must only outgrow one stream's. */
export const SESSION_WINDOW_BYTES = 32 * 1024 * 1024;
/** As much as a socket is read at once. With the 16 KiB of the standard each piece of output is cut in four, and put together by four events. */
const FRAME_BYTES = 64 * 1024;
/** In megabytes. At the default of 10 a thousand streams die of ENHANCE_YOUR_CALM. */
const SESSION_MEMORY_MB = 1000;
/** Counters that Node never resets would end a tunnel after weeks of cancelled streams. */
const UNLIMITED = 2 ** 31 - 1;
const HEADER_PAIRS = 16;

export function sessionOptions(maxStreams: number) {
  return {
    settings: {
      initialWindowSize: STREAM_WINDOW_BYTES,
      maxFrameSize: FRAME_BYTES,
      maxConcurrentStreams: maxStreams,
      maxHeaderListSize: 64 * 1024,
      enablePush: false,
    },
    maxSessionMemory: SESSION_MEMORY_MB,
    peerMaxConcurrentStreams: maxStreams,
    maxHeaderListPairs: HEADER_PAIRS,
    maxSessionInvalidFrames: UNLIMITED,
    maxSessionRejectedStreams: UNLIMITED,
    // A gateway that closes thousands of sessions at once cancels thousands of streams; it is no attack.
    streamResetBurst: 100_000,
    streamResetRate: 10_000,
  };
}

/** Before the peer's settings the session window cannot be set; without it one stream does 1.3 MB/s at 50 ms. */
export function widenSessionWindow(session: ClientHttp2Session | ServerHttp2Session): void {
  if (!session.destroyed) session.setLocalWindowSize(SESSION_WINDOW_BYTES);
}
