/** Sends to a page in order, and cuts one off that takes nothing any more: what it leaves lying would fill the memory. */
import type { WebSocket } from 'ws';

type Sent = Pick<WebSocket, 'readyState' | 'OPEN' | 'bufferedAmount' | 'terminate' | 'send'>;

export function sendOrCut(socket: Sent, text: string, maxUnsentBytes: number): void {
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > maxUnsentBytes) socket.terminate();
  else socket.send(text);
}
