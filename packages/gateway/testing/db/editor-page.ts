/** A page of the workbench, for tests: asks over the socket, and takes what comes. */
import { once } from 'node:events';
import {
  DB_EDITOR_SOCKET,
  type EditorReply,
  type EditorRequest,
  editorReply,
} from '@gatehouse/contract/kinds/db/editor';
import { WebSocket } from 'ws';
import type { TestBrowser } from '../test-browser.ts';

const HOST = 'localhost:3080';

type Reply<Type extends EditorReply['type']> = Extract<EditorReply, { type: Type }>;
type Unnumbered<Request> = Request extends { id: number } ? Omit<Request, 'id'> & { id?: number } : Request;

export interface PageOptions {
  origin: string;
  who: Pick<TestBrowser, 'cookies' | 'bearer'>;
  /** As the gateway is called; of those that are processes, where they listen. */
  host?: string;
  name?: string;
  dbUser?: string;
  dbName?: string;
  /** Data is not taken unless the test does it. */
  isLazy?: boolean;
}

export class EditorPage {
  readonly socket: WebSocket;
  readonly heard: EditorReply[] = [];
  readonly #waiting = new Set<() => void>();
  #last = 0;
  closed: { code: number; reason: string } | undefined;
  readonly closing: Promise<unknown>;

  constructor(options: PageOptions) {
    const { origin, who, host = HOST, name = 'shop', dbUser = 'by_scram', dbName = '', isLazy = false } = options;
    const path = DB_EDITOR_SOCKET.replace(':clusterId', 'localhost').replace(':name', name);
    // The browser of tests signs in without TLS, where cookies have no prefix.
    const prefix = origin.startsWith('https:') ? '__Host-' : '';
    const cookie = [...who.cookies].map(([key, value]) => `${prefix}${key}=${value}`).join('; ');
    this.socket = new WebSocket(`${origin.replace('http', 'ws')}${path}`, {
      headers: { host, origin: `${new URL(origin).protocol}//${host}`, cookie },
    });
    this.socket.on('open', () => {
      this.socket.send(JSON.stringify({ type: 'hello', token: who.bearer }));
      this.socket.send(JSON.stringify({ type: 'open', dbUser, dbName }));
    });
    this.socket.on('message', (data) => {
      const reply = editorReply.parse(JSON.parse(String(data)));
      this.heard.push(reply);
      if (!isLazy && (reply.type === 'rows' || reply.type === 'piece'))
        this.send({ type: 'ack', id: reply.id, seq: reply.seq });
      for (const look of this.#waiting) look();
    });
    this.socket.on('error', () => {});
    this.closing = new Promise((resolve) => this.socket.once('close', resolve));
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) };
      for (const look of this.#waiting) look();
    });
  }

  /** Gives the id. */
  send(request: Unnumbered<EditorRequest>): number {
    const id = 'id' in request && request.id !== undefined ? request.id : this.#last + 1;
    this.#last = Math.max(this.#last, id);
    this.socket.send(JSON.stringify({ ...request, id }));
    return id;
  }

  /** The next of the type, of this request if one is named; `failed` and ends break it off. */
  async next<Type extends EditorReply['type']>(type: Type, id?: number, from = 0): Promise<Reply<Type>> {
    const find = () =>
      this.heard
        .slice(from)
        .find((reply) => reply.type === type && (id === undefined || ('id' in reply && reply.id === id)));
    const broken = () =>
      this.heard
        .slice(from)
        .find(
          (reply) =>
            (reply.type === 'failed' && reply.id === id && type !== 'failed') ||
            reply.type === 'refused' ||
            reply.type === 'ended',
        );
    const { promise, resolve, reject } = Promise.withResolvers<Reply<Type>>();
    const look = () => {
      const found = find();
      if (found) return resolve(found as Reply<Type>);
      const why = broken();
      if (why) reject(new Error(JSON.stringify(why)));
      else if (this.closed) reject(new Error(`closed: ${this.closed.code} ${this.closed.reason}`));
    };
    this.#waiting.add(look);
    look();
    return promise.finally(() => this.#waiting.delete(look));
  }

  /** Until it is so; ends break it off. */
  async settled(isSo: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => {
      const over = this.heard.find(({ type }) => type === 'refused' || type === 'ended');
      if (isSo()) resolve();
      else if (over) reject(new Error(JSON.stringify(over)));
      else if (this.closed) reject(new Error(`closed: ${this.closed.code} ${this.closed.reason}`));
    };
    this.#waiting.add(look);
    look();
    return promise.finally(() => this.#waiting.delete(look));
  }

  /** Runs to the end, and gives all rows. */
  async run(sql: string, more: { tab?: number; maxRows?: number } = {}) {
    const id = this.send({ type: 'run', tab: 0, sql, ...more });
    const isLast = () => this.heard.some((reply) => reply.type === 'done' && reply.id === id && reply.left === 0);
    let from = 0;
    let done = await this.next('done', id);
    while (!isLast()) {
      from = this.heard.indexOf(done) + 1;
      done = await this.next('done', id, from);
    }
    const all = this.heard.filter((reply) => 'id' in reply && reply.id === id);
    const rows = all.flatMap((reply) => (reply.type === 'rows' ? reply.rows : []));
    const last = all.findLast((reply) => reply.type === 'done') as Reply<'done'>;
    return { id, rows, done: last, all };
  }

  /** The code of what it fails with, or that it ran. */
  async refusal(sql: string): Promise<string> {
    return await this.next('done', this.send({ type: 'run', tab: 0, sql })).then(
      () => 'run',
      (error: Error) => JSON.parse(error.message).code as string,
    );
  }

  async close(): Promise<void> {
    if (this.socket.readyState === this.socket.CLOSED) return;
    this.socket.close();
    await once(this.socket, 'close');
  }
}
