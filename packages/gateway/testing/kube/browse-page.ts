/** A page that looks into a Kubernetes cluster, for tests: asks over the socket, and takes what comes. */
import {
  type BrowseReply,
  type BrowseRequest,
  browseReply,
  KUBE_BROWSE_SOCKET,
} from '@gatehouse/contract/kinds/kube/browse';
import { WebSocket } from 'ws';
import type { TestBrowser } from '../test-browser.ts';

const HOST = 'localhost:3080';

type Reply<Type extends BrowseReply['type']> = Extract<BrowseReply, { type: Type }>;
type Unnumbered<Request> = Request extends { id: number } ? Omit<Request, 'id'> : never;

export class BrowsePage {
  readonly socket: WebSocket;
  readonly heard: BrowseReply[] = [];
  readonly closing: Promise<void>;
  readonly #looking = new Set<() => void>();
  #last = 0;

  constructor(origin: string, who: Pick<TestBrowser, 'cookies' | 'bearer'>, { name = 'prod', user = '' } = {}) {
    const path = KUBE_BROWSE_SOCKET.replace(':clusterId', 'localhost').replace(':name', name);
    const cookie = [...who.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    this.socket = new WebSocket(`${origin.replace('http', 'ws')}${path}`, {
      headers: { host: HOST, origin: `http://${HOST}`, cookie },
    });
    this.socket.on('open', () => {
      this.socket.send(JSON.stringify({ type: 'hello', token: who.bearer }));
      this.socket.send(JSON.stringify({ type: 'open', ...(user === '' ? {} : { user }) }));
    });
    this.socket.on('message', (data) => {
      const reply = browseReply.parse(JSON.parse(String(data)));
      this.heard.push(reply);
      if ('seq' in reply) this.send({ type: 'ack', id: reply.id, seq: reply.seq });
      for (const look of this.#looking) look();
    });
    this.socket.on('error', () => {});
    this.closing = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  send(request: BrowseRequest): void {
    this.socket.send(JSON.stringify(request));
  }

  ask(request: Unnumbered<Exclude<BrowseRequest, { type: 'ack' | 'cancel' }>>): number {
    this.#last += 1;
    this.send({ ...request, id: this.#last } as BrowseRequest);
    return this.#last;
  }

  /** The first of this type that fits, of what came and what comes. */
  async until<Type extends BrowseReply['type']>(
    type: Type,
    fits: (reply: Reply<Type>) => boolean = () => true,
  ): Promise<Reply<Type>> {
    const found = () =>
      this.heard.find((reply): reply is Reply<Type> => reply.type === type && fits(reply as Reply<Type>));
    return await new Promise((resolve) => {
      const look = () => {
        const reply = found();
        if (!reply) return;
        this.#looking.delete(look);
        resolve(reply);
      };
      this.#looking.add(look);
      look();
    });
  }

  close(): void {
    this.socket.close();
  }
}
