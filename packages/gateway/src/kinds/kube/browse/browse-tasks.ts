/** What one page has asked of a cluster and not heard the end of. Knows nothing of sockets. */
import {
  BROWSE_AHEAD_BYTES,
  type BrowseReply,
  type BrowseRequest,
  type KubeRef,
  type KubeRow,
  type LogHit,
  MAX_BROWSE_REQUESTS,
} from '@gatehouse/contract/kinds/kube/browse';
import { Ahead } from './ahead.ts';
import type { KubeAsk } from './answers.ts';
import { followList } from './follow-list.ts';
import { followObject } from './follow-object.ts';
import { isSecret } from './hide-secret.ts';
import { KubeFailure } from './kube-failure.ts';
import { listKinds, listNamespaces } from './look-up.ts';
import { podLogs } from './pod-logs.ts';
import type { TaskRequest } from './requests.ts';
import { type SearchProgress, searchLogs } from './search-logs.ts';
import { removeObject, writeObject } from './write-object.ts';

export interface BrowseTasksDeps {
  ask: KubeAsk;
  send: (text: string) => void;
  now: () => number;
  /** Namespaces somebody may look into where they may not be listed. */
  knownNamespaces: () => Promise<readonly string[]>;
  /** The values of a secret are shown: it is told before. */
  onReveal: (secret: KubeRef) => Promise<void>;
  /** How anything that was thrown is told. */
  failureOf: (error: unknown) => { status: number; reason: string; message: string; requestId?: string };
}

interface Task {
  ended: AbortController;
  ahead: Ahead;
}

export class BrowseTasks {
  readonly #deps: BrowseTasksDeps;
  readonly #tasks = new Map<number, Task>();
  readonly #signal: AbortSignal;

  /** All of it ends with the signal. */
  constructor(deps: BrowseTasksDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  hear(request: Exclude<BrowseRequest, { type: 'factor' }>): void {
    if (request.type === 'ack') this.#tasks.get(request.id)?.ahead.taken(request.seq);
    else if (request.type === 'cancel') this.#tasks.get(request.id)?.ended.abort();
    else this.#begin(request);
  }

  #begin(request: TaskRequest): void {
    const { id } = request;
    // The page counts up: a number that is taken is none of ours, and its answers would go to another.
    if (this.#tasks.has(id)) return;
    if (this.#tasks.size >= MAX_BROWSE_REQUESTS) {
      this.#fail(id, new KubeFailure(429, 'TooManyRequests', 'this page asks for too much at once: close some of it'));
      return;
    }
    const task = { ended: new AbortController(), ahead: new Ahead(BROWSE_AHEAD_BYTES) };
    this.#tasks.set(id, task);
    const signal = AbortSignal.any([this.#signal, task.ended.signal]);
    this.#run(request, task.ahead, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#fail(id, error);
      })
      .finally(() => {
        // Whatever it has opened and not read to its end.
        task.ended.abort();
        this.#tasks.delete(id);
      });
  }

  async #run(request: TaskRequest, ahead: Ahead, signal: AbortSignal): Promise<void> {
    const { ask, now } = this.#deps;
    const { id } = request;
    const tell = (reply: BrowseReply) => {
      if (!signal.aborted) this.#tell(reply);
    };
    const numbered = async (reply: { seq: number } & BrowseReply) => {
      const text = JSON.stringify(reply);
      ahead.sent(Buffer.byteLength(text));
      this.#deps.send(text);
    };
    switch (request.type) {
      case 'list':
        await followList(
          { ask, tell, now },
          request,
          async (rows: readonly KubeRow[], gone: readonly string[]) => {
            await ahead.room(signal);
            await numbered({ type: 'rows', id, seq: ahead.seq, rows: [...rows], gone: [...gone] });
          },
          signal,
        );
        return;
      case 'object':
        if (request.reveal && isSecret(request)) await this.#deps.onReveal(request);
        await followObject({ ask, tell, now }, request, signal);
        return;
      case 'logs':
        await podLogs(
          ask,
          request,
          async (text) => {
            await ahead.room(signal);
            await numbered({ type: 'piece', id, seq: ahead.seq, text });
          },
          signal,
        );
        tell({ type: 'done', id });
        return;
      case 'search': {
        const tellHits = async (hits: LogHit[], progress: SearchProgress) => {
          await ahead.room(signal);
          await numbered({ type: 'hits', id, seq: ahead.seq, hits, ...progress });
        };
        tell({ type: 'searched', id, ...(await searchLogs({ ask, tellHits, now }, request, signal)) });
        return;
      }
      case 'namespaces':
        tell({ type: 'namespaces', id, ...(await listNamespaces(ask, this.#deps.knownNamespaces, signal)) });
        return;
      case 'kinds':
        tell({ type: 'kinds', id, ...(await listKinds(ask, signal)) });
        return;
      case 'patch':
      case 'create':
        tell({ type: 'written', id, ...(await writeObject(ask, request, signal)) });
        return;
      case 'remove':
        await removeObject(ask, request, signal);
        tell({ type: 'done', id });
    }
  }

  #fail(id: number, error: unknown): void {
    this.#tell({ type: 'failed', id, ...this.#deps.failureOf(error) });
  }

  #tell(reply: BrowseReply): void {
    if (!this.#signal.aborted) this.#deps.send(JSON.stringify(reply));
  }
}
