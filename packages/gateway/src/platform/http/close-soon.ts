/** Closes a socket whose client need not answer that: what it still says is not heard, and in the end it is cut off. */
import type { WebSocket } from 'ws';

/** Long enough for the last words to arrive by a slow line. */
const LAST_WORDS_MS = 5_000;

type Closed = Pick<WebSocket, 'removeAllListeners' | 'on' | 'close' | 'terminate'>;

export function closeSoon(socket: Closed, code: number, reason = ''): void {
  socket.removeAllListeners('message');
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), LAST_WORDS_MS).unref();
  socket.on('close', () => clearTimeout(timer));
}
