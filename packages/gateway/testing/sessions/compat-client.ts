/** A client of the wire reference's terminal socket, for tests. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { decodeEnvelope, encodeEnvelope } from '../../src/doors/terminal/compat/envelope.ts';
import type { Tab } from './terminal-client.ts';

export interface CompatClient {
  socket: WebSocket;
  /** Resolves when it may speak; the shell need not be there. */
  open(): Promise<void>;
  type(text: string): void;
  resize(cols: number, rows: number): void;
  text(): string;
}

export function connectCompat(tab: Tab, server: string, login: string): CompatClient {
  const params = { server_id: server, login, term: { w: 80, h: 24 } };
  const query = `access_token=${tab.token}&params=${encodeURIComponent(JSON.stringify(params))}`;
  const socket = new WebSocket(`${tab.url.replace(/terminal$/, 'connect')}?${query}`, { headers: tab.headers });
  const opened = once(socket, 'open');
  opened.catch(() => {});
  let text = '';
  socket.on('message', (data: Buffer) => {
    const envelope = decodeEnvelope(data);
    if (envelope?.type === 'r') text += envelope.payload.toString();
  });
  return {
    socket,
    open: async () => void (await opened),
    type: (keys) => socket.send(encodeEnvelope('r', Buffer.from(keys))),
    resize(cols, rows) {
      const size = { event: 'resize', width: cols, height: rows, size: `${cols}:${rows}` };
      socket.send(encodeEnvelope('w', Buffer.from(JSON.stringify(size))));
    },
    text: () => text,
  };
}
