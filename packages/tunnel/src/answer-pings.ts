/** Answers pings of a websocket that was told not to by itself: whoever asks and never reads would have answers piled up for them without end. */
import type { WebSocket } from 'ws';

/** Of what waits to be sent: a peer that has so much to read yet has no use for one more sign of life. */
const MAX_WAITING_BYTES = 256 * 1024;

/** For one that was opened with `autoPong: false`. */
export function answerPings(socket: WebSocket): void {
  socket.on('ping', (data: Buffer) => {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount <= MAX_WAITING_BYTES) socket.pong(data);
  });
}
