/** One connection of a program: who it comes for, and what it opens. A jump's inner connection is another, for whoever the outer one is. */
import type { Duplex } from 'node:stream';
import { VERSION } from '@gatehouse/contract/std/version';
import { containFollowed } from '@gatehouse/tunnel/contain';
import ssh2, { type AuthContext, type Connection, type KeyboardAuthContext } from 'ssh2';
import { boundPackets, boundWrites } from '../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import { handKnownKeys } from '../../platform/crypto/ssh/ssh2/cipher-reuse.ts';
import { wakeWriters } from '../../platform/crypto/ssh/ssh2/wake-writers.ts';
import { hearWholeIdent } from '../../platform/crypto/ssh/ssh2/whole-ident.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Arrived } from './arrived.ts';
import { asSocket } from './as-socket.ts';
import { askBrowser } from './ask-browser.ts';
import { askForFactor, FACTOR_WORDS_WITHIN, factorWords } from './ask-for-factor.ts';
import { type Bounds, boundUnproved } from './bound-unproved.ts';
import { ALGORITHMS } from './door-algorithms.ts';
import type { SshDoorDeps } from './door-deps.ts';
import { doorKeys, shownKeys } from './door-host-keys.ts';
import { readDoorName, readJump } from './door-name.ts';
import { hearGoodbye } from './hear-goodbye.ts';
import { LeafSignIn } from './leaf/leaf-sign-in.ts';
import { NAME_A_SERVER, ProgramChannels } from './program-channels.ts';
import { bySignIn, callerOf, needsFactor, type Person, provePerson, tellRefused } from './prove-person.ts';
import { rekeyNowAndThen } from './rekey-now-and-then.ts';
import { endWithWords, sendBanner } from './send-words.ts';
import { watchPerson } from './watch-person.ts';

handKnownKeys();

const LOGIN_MS = 30_000;
/** Once a browser is asked. */
const BROWSER_MS = 5 * 60_000;
const METHODS: ('publickey' | 'keyboard-interactive')[] = ['publickey', 'keyboard-interactive'];
const MAX_TRIES = 8;
/** A program that has vanished is noticed after about a minute. */
const KEEP_ALIVE = { keepaliveInterval: 15_000, keepaliveCountMax: 3 };
const LAST_WORDS_MS = 1_000;

/** Resolves when it is set up; the connection lives on by itself. */
export async function serveConnection(deps: SshDoorDeps, arrived: Arrived): Promise<void> {
  const { stream, within } = arrived;
  let grace = setTimeout(() => stream.destroy(), LOGIN_MS).unref();
  stream.once('close', () => clearTimeout(grace));
  const patience = {
    extend() {
      clearTimeout(grace);
      grace = setTimeout(() => stream.destroy(), BROWSER_MS).unref();
    },
    end: () => clearTimeout(grace),
  };
  stream.on('error', () => stream.destroy());
  let client: Connection | undefined;
  const keys = await doorKeys(deps.hostKey, arrived.names);
  if (stream.destroyed) return;
  const server = new ssh2.Server(
    {
      hostKeys: shownKeys(keys, () => client) as never,
      algorithms: ALGORITHMS as never,
      ident: `Gatehouse_${VERSION}`,
      ...KEEP_ALIVE,
    } as ConstructorParameters<typeof ssh2.Server>[0],
    (connection) => {
      client = connection;
      new DoorConnection(deps, arrived, connection, patience).begin();
    },
  );
  server.on('error', () => stream.destroy());
  boundWrites(stream);
  hearWholeIdent(stream);
  containFollowed(stream, { where: 'ssh', address: arrived.address, cut: () => stream.destroy() });
  (server as unknown as { injectSocket(stream: Duplex): void }).injectSocket(within ? asSocket(stream) : stream);
}

/** How long it is waited for who proves nothing. */
interface Patience {
  extend(): void;
  end(): void;
}

class DoorConnection {
  readonly #deps: SshDoorDeps;
  readonly #arrived: Arrived;
  readonly #client: Connection;
  readonly #patience: Patience;
  readonly #onOver: (() => void)[] = [];
  #person: Person | undefined;
  /** The key is proved, and a second factor is asked for. */
  #isHalfway = false;
  #name = '';
  /** Fingerprint of the plain key that it proved. */
  #key: string | undefined;
  #tries = 0;
  #bounds: Bounds | undefined;
  #saidGoodbye = false;
  #isClosed = false;
  /** Undefined: nobody is known yet. */
  #opened: ProgramChannels | undefined;
  /** Where the server is one of another cluster. */
  readonly #elsewhere: LeafSignIn;

  constructor(deps: SshDoorDeps, arrived: Arrived, client: Connection, patience: Patience) {
    this.#deps = deps;
    this.#arrived = arrived;
    this.#client = client;
    this.#elsewhere = new LeafSignIn(deps, (words) => sendBanner(client, words));
    this.#patience = patience;
    this.#person = arrived.within?.person;
  }

  begin(): void {
    const client = this.#client;
    this.#bounds = boundUnproved(client, { now: this.#deps.now, cut: () => this.#arrived.stream.destroy() });
    boundPackets(client, () => this.#arrived.stream.destroy());
    wakeWriters(client);
    hearGoodbye(client, () => {
      this.#saidGoodbye = true;
    });
    client.on('error', () => {});
    client.on('authentication', (context) => {
      this.#authenticate(context).catch((error: unknown) => {
        this.#deps.log.error({ error }, 'the SSH door made a mistake');
        this.#arrived.stream.destroy();
      });
    });
    client.once('ready', () => this.#ready());
    client.once('close', () => this.#closed());
  }

  async #authenticate(context: AuthContext): Promise<void> {
    const { within } = this.#arrived;
    this.#name = context.username;
    if (within && !within.asksFactor && !this.#elsewhere.asks) {
      if (context.method !== 'none') return context.reject(['none' as never]);
      return await this.#letIn(context, within.person);
    }
    this.#tries += 1;
    if (this.#tries > MAX_TRIES) {
      this.#client.end();
      return;
    }
    if (this.#elsewhere.asks && this.#person) return await this.#letIn(context, this.#person);
    if (within) return await this.#byOuter(context, within.person);
    if (context.method === 'publickey') return await this.#byCertificate(context);
    if (context.method === 'keyboard-interactive')
      return this.#isHalfway ? await this.#byCode(context) : await this.#byBrowser(context);
    context.reject(this.#isHalfway ? ['keyboard-interactive'] : METHODS);
  }

  /** Who it is has been said on the way; a second factor has not been given yet. */
  async #byOuter(context: AuthContext, person: Person): Promise<void> {
    if (context.method === 'keyboard-interactive' && this.#isHalfway) return await this.#byCode(context);
    this.#isHalfway = await needsFactor(this.#deps, person);
    if (this.#isHalfway && this.#tries === 1) sendBanner(this.#client, FACTOR_WORDS_WITHIN);
    if (!this.#isHalfway && context.method === 'none') return await this.#letIn(context, person);
    context.reject([this.#isHalfway ? 'keyboard-interactive' : ('none' as never)]);
  }

  async #byCertificate(context: Extract<AuthContext, { method: 'publickey' }>): Promise<void> {
    const { address } = this.#arrived;
    try {
      const shown = await provePerson(this.#deps, context, address);
      if (!shown.isProved) return context.accept();
      if ('key' in shown) {
        this.#key = shown.key;
        return context.reject(['keyboard-interactive'], true);
      }
      await this.#known(context, shown.person);
    } catch (error) {
      sendBanner(this.#client, `gatehouse: ${await tellRefused(this.#deps, error, address)}`);
      context.reject(METHODS);
    }
  }

  /** In one step with the answer: what was asked before, and is answered late, must not be whom this one is let in as. */
  async #known(context: AuthContext, person: Person): Promise<void> {
    const isHalfway = await needsFactor(this.#deps, person);
    this.#person = person;
    this.#isHalfway = isHalfway;
    if (!isHalfway) return await this.#letIn(context, person);
    sendBanner(this.#client, factorWords(this.#deps.clusterName));
    context.reject(['keyboard-interactive'], true);
  }

  /** What it says it is for, to be shown to who is asked. */
  #wants(): { login: string; server: string } | undefined {
    const [{ within }, { clusterName }] = [this.#arrived, this.#deps];
    const named = within ? readJump(this.#name, within.host, clusterName) : readDoorName(this.#name, clusterName);
    return named && { login: named.login, server: named.servers.at(-1) ?? '' };
  }

  /** Without a certificate: somebody says yes in the browser. */
  async #byBrowser(context: KeyboardAuthContext): Promise<void> {
    const [{ address }, what] = [this.#arrived, this.#wants()];
    try {
      // Without a server it is a jump; what is none at all names neither.
      if (!what && this.#name.includes('@'))
        throw new AppError('not_signed_in', `${NAME_A_SERVER}, or sign in first: gatehouse login`);
      this.#patience.extend();
      const client = what ? `ssh ${what.login}@${what.server}` : 'ssh, a jump';
      const who = await askBrowser(this.#deps, context, { ...what, client, address, key: this.#key });
      const caller = await callerOf(this.#deps, who, address);
      // Saying yes with a device is a second factor, too.
      await this.#known(context, { ...bySignIn(caller), factor: who.byDevice ? this.#deps.now() : undefined });
    } catch (error) {
      sendBanner(this.#client, `gatehouse: ${await tellRefused(this.#deps, error, address)}`);
      // Nothing more to try: a program would ask the browser once more by itself.
      context.reject();
      this.#client.end();
    }
  }

  async #byCode(context: KeyboardAuthContext): Promise<void> {
    const person = this.#person;
    if (!person) return context.reject(METHODS);
    this.#patience.extend();
    const { address } = this.#arrived;
    const words = await askForFactor(this.#deps, context, { who: person.caller, address, wants: this.#wants() });
    if (words !== undefined) {
      sendBanner(this.#client, `gatehouse: ${words}`);
      context.reject(['keyboard-interactive']);
      return;
    }
    this.#person = { ...person, factor: this.#deps.now() };
    await this.#letIn(context, this.#person);
  }

  /** It is known who it is. A cluster whose server is wanted may ask for a code of its own. */
  async #letIn(context: AuthContext, person: Person): Promise<void> {
    const { within, address } = this.#arrived;
    if (context.method === 'keyboard-interactive') this.#patience.extend();
    await this.#elsewhere.letIn(context, { person, name: this.#name, host: within?.host, address });
  }

  #ready(): void {
    const person = this.#person;
    // What was asked for meanwhile, and is answered late, must not be where this one is led.
    if (!person || !this.#elsewhere.isFor(person, this.#name)) {
      this.#arrived.stream.destroy();
      return;
    }
    this.#patience.end();
    this.#bounds?.proved();
    this.#arrived.onProved();
    const { leaf } = this.#elsewhere;
    this.#opened = new ProgramChannels(this.#deps, {
      ...{ arrived: this.#arrived, client: this.#client, person, name: this.#name, leaf },
      hasLeft: () => this.#saidGoodbye || !this.#isClosed,
      serve: (within) => serveConnection(this.#deps, within),
    });
    this.#opened.begin();
    if (!this.#arrived.within) this.#onOver.push(...watchPerson(this.#deps, person, (words) => this.#cut(words)));
    this.#onOver.push(rekeyNowAndThen({ client: this.#client, stream: this.#arrived.stream, now: this.#deps.now }));
  }

  #cut(words: string): void {
    this.#opened?.cut(words);
    setTimeout(() => endWithWords(this.#client, words), LAST_WORDS_MS).unref();
    setTimeout(() => this.#arrived.stream.destroy(), 2 * LAST_WORDS_MS).unref();
  }

  #closed(): void {
    this.#isClosed = true;
    for (const over of this.#onOver.splice(0)) over();
    this.#opened?.stopForwards();
    this.#elsewhere.close(this.#saidGoodbye);
    this.#opened?.close();
  }
}
