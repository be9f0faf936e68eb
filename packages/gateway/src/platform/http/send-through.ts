/** Sends, and says when it has left: whoever waits for that never has more on its way than the other side takes. */
import type { WebSocket } from 'ws';

type Sent = Pick<WebSocket, 'readyState' | 'OPEN' | 'send'>;

/** False: nobody is there any more. */
export function sendThrough(socket: Sent, data: Buffer): Promise<boolean> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve(false);
  return new Promise((resolve) => socket.send(data, { binary: true }, (error) => resolve(!error)));
}
