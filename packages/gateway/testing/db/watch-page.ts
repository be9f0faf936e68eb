/** Somebody who watches the session of a workbench, for tests. */
import { DB_EDITOR_SOCKET } from '@gatehouse/contract/kinds/db/editor';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { type WatchReply, watchReply } from '@gatehouse/contract/sessions/watch-frames';
import { WebSocket } from 'ws';
import type { TestBrowser } from '../test-browser.ts';

const HOST = 'localhost:3080';

export interface WatchOptions {
  origin: string;
  who: TestBrowser;
  sid: string;
  mode?: ParticipantMode;
  name?: string;
}

export class WatchPage {
  readonly socket: WebSocket;
  readonly heard: WatchReply[] = [];
  readonly closed: Promise<void>;

  constructor({ origin, who, sid, mode = 'moderator', name = 'shop' }: WatchOptions) {
    const path = DB_EDITOR_SOCKET.replace(':clusterId', 'localhost').replace(':name', name);
    const cookie = [...who.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    this.socket = new WebSocket(`${origin.replace('http', 'ws')}${path}`, {
      headers: { host: HOST, origin: `http://${HOST}`, cookie },
    });
    this.socket.on('open', () => {
      this.socket.send(JSON.stringify({ type: 'hello', token: who.bearer }));
      this.socket.send(JSON.stringify({ type: 'attach', sid, mode }));
    });
    this.socket.on('message', (data) => this.heard.push(watchReply.parse(JSON.parse(String(data)))));
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  of<Type extends WatchReply['type']>(type: Type): Extract<WatchReply, { type: Type }>[] {
    return this.heard.filter((reply) => reply.type === type) as Extract<WatchReply, { type: Type }>[];
  }

  end(reason: string): void {
    this.socket.send(JSON.stringify({ type: 'end', reason }));
  }

  async leave(): Promise<void> {
    this.socket.close(1000);
    await this.closed;
  }
}
