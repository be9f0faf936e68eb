/** Ends a connection whose other end may never close its own: it has a moment to read the last words, and no more. */
import type { Duplex } from 'node:stream';

const LINGER_MS = 1_000;

export function closeSoon(socket: Duplex, lastWords?: string, lingerMs = LINGER_MS): void {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
  // What it still sends is read and dropped: unread, it would turn our end into a reset that overtakes the last words.
  socket.resume();
  if (!socket.writable) return;
  if (lastWords === undefined) socket.end();
  else socket.end(lastWords);
}
