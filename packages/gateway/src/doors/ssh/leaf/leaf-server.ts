/**
 * A server of another cluster, as the door speaks to it: SSH with the door of that cluster, through its tunnel. That cluster decides,
 * records and dials; whom it is for is said by a passport, so no key of theirs is shown there.
 */
import { randomUUID } from 'node:crypto';
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { SSH_SOCKET } from '@gatehouse/contract/sessions/ssh-socket';
import { VERSION } from '@gatehouse/contract/std/version';
import { pathFor } from '@gatehouse/contract/wire/route';
import { containFollowed } from '@gatehouse/tunnel/contain';
import { TcpStream, TcpStreamError } from '@gatehouse/tunnel/sessions/tcp-stream';
import { Client } from 'ssh2';
import { boundPackets, boundWrites } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import { hearWholeIdent } from '../../../platform/crypto/ssh/ssh2/whole-ident.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { asSocket } from '../as-socket.ts';
import { ALGORITHMS } from '../door-algorithms.ts';
import type { FoundServer, LeafConnection, LeafTarget } from '../leaf-target.ts';
import type { Person } from '../prove-person.ts';
import { LeafQuestions, type LeafStage } from './leaf-questions.ts';
import { leafWords } from './leaf-words.ts';

const REACH_MS = 30_000;
const CLOSE_MS = 1_000;
/** One that has vanished is noticed by its tunnel, and before that by this. */
const KEEP_ALIVE = { keepaliveInterval: 15_000, keepaliveCountMax: 3 };

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
  readonly #questions: LeafQuestions;
  #late: NodeJS.Timeout | undefined;
  #stream: TcpStream | undefined;
  #failure: AppError | undefined;
  #isLost = false;

  constructor(found: FoundServer, asker: Asker) {
    this.found = found;
    this.#asker = asker;
    this.#questions = new LeafQuestions(found.login, () => clearTimeout(this.#late));
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
    return this.#questions.stage();
  }

  /** After `asks`. */
  answer(code: string): Promise<LeafStage> {
    if (!this.#questions.answer(code)) this.#fail(this.#lost());
    return this.stage();
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
    const { login, cluster } = this.found;
    const client = this.#client;
    this.#late = setTimeout(() => {
      this.#fail(new AppError('target_unreachable', `'${cluster}' did not answer in time`));
      stream.destroy();
    }, REACH_MS).unref();
    stream.on('error', (error) => {
      // The one word there is before SSH: it takes nobody, or not this one.
      if (error instanceof TcpStreamError) this.#fail(new AppError('denied', leafWords(error)));
    });
    // What is none of SSH: ssh2 says so, and goes on listening to it.
    client.on('error', () => stream.destroy());
    client.once('ready', () => {
      clearTimeout(this.#late);
      this.#questions.over();
    });
    client.once('close', () => {
      clearTimeout(this.#late);
      this.#fail(this.#lost());
    });
    boundWrites(stream);
    hearWholeIdent(stream);
    containFollowed(stream, { where: 'ssh of a leaf', address: cluster, cut: () => stream.destroy() });
    client.connect({
      ...{ sock: asSocket(stream), username: login, ident: `Gatehouse_${VERSION}`, readyTimeout: 0, ...KEEP_ALIVE },
      algorithms: { ...ALGORITHMS, serverHostKey: ['ssh-ed25519'] },
      // The stream is one of its tunnel, and that was proved by the key that is trusted.
      hostVerifier: () => true,
      authHandler: this.#questions.signIn,
    } as never);
    boundPackets(client as never, () => stream.destroy());
  }

  /** The first one counts. */
  #fail(error: AppError): void {
    this.#failure ??= error;
    this.#questions.over();
  }

  #lost(): AppError {
    if (this.#questions.isUsedUp) return new AppError('mfa_required', 'that was no code that counts: connect again');
    return new AppError('target_unreachable', `the connection to '${this.found.cluster}' was lost`);
  }
}
