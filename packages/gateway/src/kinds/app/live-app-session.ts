/** One session with an application on this gateway: its connections, what is under way in it, and its end, which comes once. */
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { appSessionChunk, appSessionRequest } from '@gatehouse/contract/kinds/app/app-events';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import type { Log } from '../../platform/std/log.ts';
import { createUpstreamPool, type UpstreamPool, type Use } from '../../reach/http/upstream-pool.ts';
import type { Session, SessionEnd } from '../../sessions/host/session-store.ts';
import type { ListedApp } from './app-directory.ts';
import type { StoredAppSession } from './app-session-store.ts';
import type { RequestRules } from './engine/request-head.ts';
import type { ResponseRules } from './engine/response-rules.ts';
import { appSessionFields } from './session-audit.ts';

/** What happens within so long is one part of the session. */
const CHUNK_MS = 5 * 60_000;

export interface LiveAppSessionOptions {
  stored: StoredAppSession;
  session: Session;
  app: ListedApp;
  rules: RequestRules & ResponseRules;
  /** A role asks for an event of every request. */
  tellsRequests: boolean;
  dial(signal: AbortSignal, use: Use): Promise<Duplex>;
  events: Pick<EventStream, 'write'>;
  log: Log;
  now: () => number;
}

export interface ToldRequest {
  method: string;
  url: string;
  status: number;
}

export class LiveAppSession {
  readonly stored: StoredAppSession;
  readonly session: Session;
  readonly app: ListedApp;
  /** As the person's roles and traits are now. */
  rules: RequestRules & ResponseRules;
  tellsRequests: boolean;
  readonly pool: UpstreamPool;
  /** When it was last told that somebody uses it. */
  touched = 0;
  readonly #options: LiveAppSessionOptions;
  readonly #cuts = new Set<() => void>();
  readonly #over = new AbortController();
  #end: SessionEnd | undefined;
  #chunk = { id: '', until: 0 };

  constructor(options: LiveAppSessionOptions) {
    this.#options = options;
    this.stored = options.stored;
    this.session = options.session;
    this.app = options.app;
    this.rules = options.rules;
    this.tellsRequests = options.tellsRequests;
    this.pool = createUpstreamPool((use) => options.dial(this.#over.signal, use));
  }

  get end(): SessionEnd | undefined {
    return this.#end;
  }

  /** Cut when it ends; at once if it has. */
  add(cut: () => void): void {
    if (this.#end) cut();
    else this.#cuts.add(cut);
  }

  /** It is over by itself. */
  remove(cut: () => void): void {
    this.#cuts.delete(cut);
  }

  get underWay(): number {
    return this.#cuts.size;
  }

  finish(end: SessionEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#over.abort();
    for (const cut of [...this.#cuts]) cut();
    this.#cuts.clear();
    this.pool.close();
  }

  /** Before a request goes out: a new part of the session is told, and where a role wants it the request itself when it is over. */
  begin(): void {
    const { now, events, log } = this.#options;
    if (now() < this.#chunk.until) return;
    this.#chunk = { id: randomUUID(), until: now() + CHUNK_MS };
    events
      .write(appSessionChunk, { ...appSessionFields(this.session), session_chunk_id: this.#chunk.id }, this.#context())
      .catch((error: unknown) => log.error({ error }, 'a part of a session cannot be written'));
  }

  tell({ method, url, status }: ToldRequest): void {
    const { events, log } = this.#options;
    if (!this.tellsRequests) return;
    const cut = url.indexOf('?');
    const fields = {
      ...appSessionFields(this.session),
      session_chunk_id: this.#chunk.id,
      method,
      path: cut < 0 ? url : url.slice(0, cut),
      raw_query: cut < 0 ? '' : url.slice(cut + 1),
      status_code: status,
    };
    events
      .write(appSessionRequest, fields, this.#context())
      .catch((error: unknown) => log.error({ error }, 'a request cannot be written to the log'));
  }

  #context() {
    return { sessionId: this.session.id, signInId: this.session.signInId };
  }
}
