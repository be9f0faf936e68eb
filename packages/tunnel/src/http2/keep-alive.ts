/** Notices a peer that has fallen silent: no answer to a ping, and not one byte of anything else. */
import type { Http2Session } from 'node:http2';

interface Watching {
  everyMs: number;
  silentMs: number;
  bytesRead: () => number;
  now: () => number;
  onSilent: () => void;
}

/** Returns what ends the watch. */
export function keepAlive(session: Http2Session, watching: Watching): () => void {
  const { everyMs, silentMs, bytesRead, now, onSilent } = watching;
  let lastTick = now();
  let lastHeard = lastTick;
  let heardBytes = bytesRead();

  const tick = () => {
    const time = now();
    const bytes = bytesRead();
    // Timers run before sockets: after a pause of our own (a stopped process, a blocked loop) the peer's answers are
    // still unread, and it would be cut for our silence.
    const pausedHere = time - lastTick > everyMs * 2;
    lastTick = time;
    const isTalking = bytes !== heardBytes;
    if (isTalking || pausedHere) lastHeard = time;
    heardBytes = bytes;
    if (time - lastHeard >= silentMs) return onSilent();
    // Whoever was just heard need not be asked whether they are there: of two ends at rest, one asks.
    if (!isTalking && !session.destroyed) session.ping(ignore);
  };
  const timer = setInterval(tick, everyMs).unref();
  return () => clearInterval(timer);
}

/** The answer itself grows `bytesRead`. */
function ignore(): void {}
