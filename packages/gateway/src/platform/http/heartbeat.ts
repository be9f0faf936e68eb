/** Whether somebody's line is alive, asked often: a moderator whose network is gone must not count as watching. */
import type { WebSocket } from 'ws';

const ASK_EVERY_MS = 4_000;
const SILENT_MS = 10_000;

/** Browsers answer by themselves, also for a page in the background. Closes the socket when nothing comes. */
export function watchPulse(socket: WebSocket): void {
  let heard = performance.now();
  const hear = () => {
    heard = performance.now();
  };
  socket.on('pong', hear);
  socket.on('message', hear);
  const timer = setInterval(() => {
    if (performance.now() - heard > SILENT_MS) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, ASK_EVERY_MS).unref();
  socket.on('close', () => clearInterval(timer));
}
