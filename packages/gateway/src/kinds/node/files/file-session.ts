/** The files of one server in use by one person as one login: a part of a session, with the connection its calls share. */

import { AppError } from '../../../platform/std/app-error.ts';
import { clientKey } from '../../../platform/std/client-key.ts';
import type { HostedSession } from '../../../sessions/host/hosted-session.ts';
import type { SessionAction, SessionEnd } from '../../../sessions/host/session-store.ts';
import type { SftpClient } from './sftp/sftp-client.ts';
import { SftpBroken } from './sftp/sftp-error.ts';

/** An agent keeps a process for each: not for longer than somebody looks around. */
const KEEP_CONNECTION_MS = 60_000;
const FORGET_MS = 15 * 60_000;
/** Of two addresses that differ, one is not what the sign-in is tied to: no more are kept. */
const MAX_ADDRESSES = 2;

export type NodeAction = Extract<SessionAction, { kind: 'node' }>;

export interface FileSessionFacts {
  id: string;
  action: NodeAction;
  user: string;
  signInId: string;
  created: number;
  mfa: boolean;
}

interface FileSessionDeps {
  connect(session: FileSession): Promise<SftpClient>;
  now: () => number;
}

export class FileSession {
  readonly hosted: HostedSession;
  /** For one copy alone, and over with it. */
  readonly isOnce: boolean;
  /** Uploads under way by where they go: a second try of one takes the place of the first. */
  readonly uploads = new Map<string, { cut(): void; done: Promise<unknown> }>();
  readonly #deps: FileSessionDeps;
  readonly #over = new AbortController();
  #running = 0;
  #lastUsed: number;
  #connection: Promise<SftpClient> | undefined;

  constructor(hosted: HostedSession, deps: FileSessionDeps & { isOnce?: boolean }) {
    this.hosted = hosted;
    this.isOnce = deps.isOnce ?? false;
    this.#deps = deps;
    this.#lastUsed = deps.now();
    hosted.parts.attach({
      onEnd: (end) => this.#cut(hosted.released ? new SftpBroken(end.message) : over(end)),
      isBusy: () => this.#running > 0,
    });
  }

  /** As the inventory has its server now. */
  get facts(): FileSessionFacts {
    const { id, action, user, signInId, created, mfa } = this.hosted.session;
    return { id, action: action as NodeAction, user, signInId, created, mfa };
  }

  addAddress(address: string): void {
    const { hosted } = this;
    const id = `${hosted.id} ${clientKey(address)}`;
    if (hosted.end || hosted.participants.has(id) || hosted.participants.size >= MAX_ADDRESSES) return;
    const { user: username, signInId } = hosted.session;
    // Whatever of it runs from another address than its sign-in is tied to takes the rest with it.
    hosted.enter({ id, username, signInId, address, mode: 'peer', onRemoved: (end) => hosted.finish(end) });
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get end(): SessionEnd | undefined {
    return this.hosted.end;
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
    if (this.end) throw over(this.end);
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
    this.hosted.active(this.hosted.id);
  }

  async client(): Promise<SftpClient> {
    if (this.end) throw over(this.end);
    const known = await this.#connection?.catch(() => undefined);
    if (known && !known.broken) return known;
    this.#connection = this.#deps.connect(this);
    const client = await this.#connection;
    if (this.end) client.end();
    return client;
  }

  explain(error: unknown): unknown {
    if (this.end && !this.hosted.released) return over(this.end);
    if (!(error instanceof SftpBroken)) return error;
    const { name } = this.facts.action.resource;
    return new AppError('target_unreachable', `the files of '${name}' cannot be reached: ${error.message}`, {
      cause: error,
      fields: { next: 'try again in a moment' },
    });
  }

  finish(end: SessionEnd): void {
    this.hosted.finish(end);
  }

  /** Gives back what nobody uses; true when all of it may be forgotten: another call finds it in the store. */
  rest(): boolean {
    const restedMs = this.#running > 0 ? 0 : this.#deps.now() - this.#lastUsed;
    if (restedMs >= KEEP_CONNECTION_MS) this.#letGo(new SftpBroken('it was not used for a while'));
    // What is found in the store again has rested for no time: where a role counts that, it is counted here.
    return restedMs >= FORGET_MS && this.hosted.options.idleTimeoutMs === undefined;
  }

  #cut(reason: Error): void {
    this.#over.abort(reason);
    this.#letGo(reason);
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
