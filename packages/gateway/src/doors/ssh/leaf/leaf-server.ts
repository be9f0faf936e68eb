/**
 * A server of another cluster, as the door speaks to it: SSH with the door of that cluster, through its tunnel. That cluster decides,
 * records and dials; whom it is for is said by a passport, so no key of theirs is shown there.
 */
import { randomUUID } from 'node:crypto';
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { SSH_SOCKET } from '@gatehouse/contract/sessions/ssh-socket';
import { printable } from '@gatehouse/contract/std/printable';
import { VERSION } from '@gatehouse/contract/std/version';
import { pathFor } from '@gatehouse/contract/wire/route';
import { containFollowed } from '@gatehouse/tunnel/contain';
import { TcpStream, TcpStreamError } from '@gatehouse/tunnel/sessions/tcp-stream';
import { Client } from 'ssh2';
import { boundPackets, boundWrites } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { asSocket } from '../as-socket.ts';
import { ALGORITHMS } from '../door-algorithms.ts';
import type { FoundServer, LeafConnection, LeafTarget } from '../leaf-target.ts';
import type { Person } from '../prove-person.ts';

const REACH_MS = 30_000;
const CLOSE_MS = 1_000;
/** Codes that are passed on; that cluster counts them too, and the one that checks them. */
const MAX_CODES = 3;
const MAX_WORDS = 300;
/** One that has vanished is noticed by its tunnel, and before that by this. */
const KEEP_ALIVE = { keepaliveInterval: 15_000, keepaliveCountMax: 3 };

/** `asks`: for a code, and nothing goes on before it. */
export type LeafStage = 'in' | 'asks';

export interface Asker {
  person: Person;
  /** What the program called itself. */
  name: string;
}

export class LeafServer implements LeafTarget {
  readonly found: FoundServer;
  readonly #asker: Asker;
  readonly closed: Promise<void>;
  readonly #client = new Client();
  #stage = Promise.withResolvers<LeafStage>();
  #stream: TcpStream | undefined;
  #failure: AppError | undefined;
  #answer: ((code: string) => void) | undefined;
  #codes = 0;
  #isLost = false;

  constructor(found: FoundServer, asker: Asker) {
    this.found = found;
    this.#asker = asker;
    this.closed = new Promise((resolve) => void this.#client.once('close', () => resolve()));
  }

  /** Whether it was reached for them, and by that name. */
  isFor({ caller }: Person, name: string): boolean {
    return this.#asker.person.caller === caller && this.#asker.name === name && !this.#isLost;
  }

  /** As approvals for one session name it. */
  named(): { login: string; servers: string[] } {
    const { login, server, cluster } = this.found;
    return { login, servers: [`${server}.${cluster}`, `${server}+${cluster}`] };
  }

  /** Resolves whatever becomes of it: why nothing is reached is told by what asks for something. */
  async begin(actor: Actor): Promise<void> {
    const { leaf, server } = this.found;
    try {
      const url = pathFor(SSH_SOCKET, { clusterId: CURRENT_CLUSTER, name: server });
      const socket = await leaf.openSocket({ url, requestId: randomUUID(), userAgent: `gatehouse/${VERSION}` }, actor);
      this.#connect(new TcpStream(socket));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#fail(error);
    }
  }

  stage(): Promise<LeafStage> {
    return this.#stage.promise;
  }

  /** After `asks`. */
  answer(code: string): Promise<LeafStage> {
    this.#stage = Promise.withResolvers();
    const give = this.#answer;
    this.#answer = undefined;
    if (give) give(code);
    else this.#fail(this.#lost());
    return this.#stage.promise;
  }

  /** Throws in words why there is none. */
  connection(): LeafConnection {
    if (this.#failure) throw this.#failure;
    return { client: this.#client, closed: this.closed, close: () => this.close() };
  }

  /** With a goodbye: what was opened there is over. */
  close(): void {
    this.#client.end();
    setTimeout(() => this.lose(), CLOSE_MS).unref();
  }

  /** Without: as that cluster does with who is lost. */
  lose(): void {
    this.#isLost = true;
    this.#stream?.destroy();
  }

  #connect(stream: TcpStream): void {
    this.#stream = stream;
    const { login } = this.found;
    const client = this.#client;
    const late = setTimeout(() => {
      this.#fail(new AppError('target_unreachable', `'${this.found.cluster}' did not answer in time`));
      stream.destroy();
    }, REACH_MS).unref();
    const settle = (stage: LeafStage) => {
      clearTimeout(late);
      this.#stage.resolve(stage);
    };
    stream.on('error', (error) => {
      // The one word there is before SSH: it takes nobody, or not this one.
      if (error instanceof TcpStreamError) this.#fail(new AppError('denied', words(error)));
    });
    client.on('error', () => {});
    client.once('ready', () => settle('in'));
    client.once('close', () => {
      clearTimeout(late);
      this.#fail(this.#lost());
    });
    const prompt = (
      _name: string,
      _told: string,
      _lang: string,
      prompts: unknown[],
      finish: (given: string[]) => void,
    ) => {
      // What it would have asked is not shown: only this gateway asks its people, and for nothing but a code.
      if (prompts.length !== 1) return finish([]);
      this.#answer = (code) => finish([code]);
      settle('asks');
    };
    boundWrites(stream);
    containFollowed(stream, { where: 'ssh of a leaf', address: this.found.cluster, cut: () => stream.destroy() });
    client.connect({
      ...{ sock: asSocket(stream), username: login, ident: `Gatehouse_${VERSION}`, readyTimeout: 0, ...KEEP_ALIVE },
      algorithms: { ...ALGORITHMS, serverHostKey: ['ssh-ed25519'] },
      // The stream is one of its tunnel, and that was proved by the key that is trusted.
      hostVerifier: () => true,
      authHandler: (methods: string[] | null, _partial: boolean | null, next: (how: unknown) => void) => {
        if (methods === null) return next({ type: 'none', username: login });
        this.#codes += 1;
        const mayTry = methods.includes('keyboard-interactive') && this.#codes <= MAX_CODES;
        next(mayTry ? { type: 'keyboard-interactive', username: login, prompt } : false);
      },
    } as never);
    boundPackets(client as never, () => stream.destroy());
  }

  /** The first one counts. */
  #fail(error: AppError): void {
    this.#failure ??= error;
    this.#stage.resolve('in');
  }

  #lost(): AppError {
    if (this.#codes > MAX_CODES) return new AppError('mfa_required', 'that was no code that counts: connect again');
    return new AppError('target_unreachable', `the connection to '${this.found.cluster}' was lost`);
  }
}

/** Of another cluster: not more of them than a line, and nothing that steers a terminal. */
function words({ message }: Error): string {
  return printable(message.slice(0, MAX_WORDS));
}
