/** The files of one server in use by one person as one login: the connection they share, what runs, and the end, which comes once. */
import type { SessionOptions } from '../../../access/session-options.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { clientKey } from '../../../platform/std/client-key.ts';
import type { SessionAction, SessionEnd } from '../../../sessions/host/session-store.ts';
import type { SftpClient } from './sftp/sftp-client.ts';
import { SftpBroken } from './sftp/sftp-error.ts';

/** An agent keeps a process for each: not for longer than somebody looks around. */
const KEEP_CONNECTION_MS = 60_000;
const FORGET_MS = 15 * 60_000;

export type NodeAction = Extract<SessionAction, { kind: 'node' }>;

export interface FileSessionFacts {
  id: string;
  action: NodeAction;
  user: string;
  signInId: string;
  created: number;
  mfa: boolean;
  /** For one copy alone, and over with it. */
  isOnce: boolean;
}

interface FileSessionDeps {
  connect(session: FileSession): Promise<SftpClient>;
  onEnd(session: FileSession): void;
  now: () => number;
}

export class FileSession {
  readonly facts: FileSessionFacts;
  /** Limits of the roles as they are now. */
  options: SessionOptions;
  /** Where a role lets sessions end with the sign-in they were opened under. */
  expires: number | undefined;
  /** Uploads under way by where they go: a second try of one takes the place of the first. */
  readonly uploads = new Map<string, { cut(): void; done: Promise<unknown> }>();
  /** By what sign-ins are tied to. */
  readonly #usedFrom = new Map<string, string>();
  readonly #deps: FileSessionDeps;
  readonly #over = new AbortController();
  #end: SessionEnd | undefined;
  #running = 0;
  #lastUsed: number;
  #connection: Promise<SftpClient> | undefined;

  constructor(facts: FileSessionFacts, options: SessionOptions, deps: FileSessionDeps) {
    this.facts = facts;
    this.options = options;
    this.#deps = deps;
    this.#lastUsed = deps.now();
  }

  /** Addresses it is used from: of two that differ, one is not what its sign-in is tied to, so that no more are kept. */
  get usedFrom(): readonly string[] {
    return [...this.#usedFrom.values()];
  }

  addAddress(address: string): void {
    if (this.#usedFrom.size < 2) this.#usedFrom.set(clientKey(address), address);
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get end(): SessionEnd | undefined {
    return this.#end;
  }

  get isBusy(): boolean {
    return this.#running > 0 || this.uploads.size > 0;
  }

  /** Uses the connection, opened when it is not there; what is lost in between is told in words. */
  async use<T>(work: (client: SftpClient) => Promise<T>): Promise<T> {
    const release = this.hold();
    try {
      return await work(await this.client());
    } catch (error) {
      throw this.explain(error);
    } finally {
      release();
    }
  }

  /** Keeps the connection for something that goes on; gives back how to let go. */
  hold(): () => void {
    if (this.#end) throw over(this.#end);
    this.#running += 1;
    this.active();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#running -= 1;
      this.active();
    };
  }

  /** Somebody does something. */
  active(): void {
    this.#lastUsed = this.#deps.now();
  }

  async client(): Promise<SftpClient> {
    if (this.#end) throw over(this.#end);
    const known = await this.#connection?.catch(() => undefined);
    if (known && !known.broken) return known;
    this.#connection = this.#deps.connect(this);
    const client = await this.#connection;
    if (this.#end) client.end();
    return client;
  }

  explain(error: unknown): unknown {
    if (this.#end) return over(this.#end);
    if (!(error instanceof SftpBroken)) return error;
    const { name } = this.facts.action.resource;
    return new AppError('target_unreachable', `the files of '${name}' cannot be reached: ${error.message}`, {
      cause: error,
      fields: { next: 'try again in a moment' },
    });
  }

  finish(end: SessionEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#over.abort(over(end));
    this.#letGo(over(end));
    this.#deps.onEnd(this);
  }

  /** Cuts what runs, because this gateway goes away; nothing is over by that. */
  release(): void {
    const stopping = new SftpBroken('the gateway is closing');
    this.#over.abort(stopping);
    this.#letGo(stopping);
  }

  /** Why it should be over by now. */
  overdue(): SessionEnd | undefined {
    const now = this.#deps.now();
    const { maxSessionMs, idleTimeoutMs, fileCopy } = this.options;
    if (!fileCopy) return { cause: 'denied', message: NO_COPY };
    if (maxSessionMs !== undefined && now - this.facts.created >= maxSessionMs)
      return { cause: 'max_length', message: 'a role of yours lets sessions last no longer' };
    if (this.expires !== undefined && now >= this.expires)
      return { cause: 'max_length', message: 'the sign-in it was opened under has expired' };
    if (idleTimeoutMs !== undefined && this.#running === 0 && now - this.#lastUsed >= idleTimeoutMs)
      return { cause: 'idle', message: 'nothing was done with these files for a while' };
    return undefined;
  }

  /** Gives back what nobody uses; true when all of it may be forgotten: another call finds it in the store. */
  rest(): boolean {
    const restedMs = this.#running > 0 ? 0 : this.#deps.now() - this.#lastUsed;
    if (restedMs >= KEEP_CONNECTION_MS) this.#letGo(new SftpBroken('it was not used for a while'));
    return restedMs >= FORGET_MS;
  }

  #letGo(reason: Error): void {
    void this.#connection?.then(
      (client) => client.end(reason),
      () => undefined,
    );
    this.#connection = undefined;
  }
}

export const NO_COPY = 'a role of yours does not let files be copied';

export function over({ message }: SessionEnd): AppError {
  return new AppError('denied', `the use of these files has ended: ${message}`, { fields: { ended: true } });
}
