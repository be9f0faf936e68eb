/** The terminal socket of the wire reference: a thin way in to the same terminals. Its clients neither number nor acknowledge anything. */
import { randomBytes, randomUUID } from 'node:crypto';
import { assertionResponse } from '@gatehouse/contract/identity/webauthn';
import { MACHINE_KIND } from '@gatehouse/contract/kinds/kinds';
import { osLogin } from '@gatehouse/contract/kinds/node/node-spec';
import { UNTAKEN_BYTES } from '@gatehouse/contract/reach/agents/shell-frames';
import {
  COMPAT_TERMINAL_SOCKET,
  type CompatParams,
  compatParams,
  compatResize,
} from '@gatehouse/contract/sessions/compat-terminal';
import { MAX_COLS, MAX_ROWS } from '@gatehouse/contract/sessions/screen-size';
import { MAX_INPUT_BYTES, type TerminalReply } from '@gatehouse/contract/sessions/terminal-frames';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { InputError } from '@gatehouse/tunnel/shells/writers';
import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { Identity } from '../../../identity/identity.ts';
import type { SignedInSocket } from '../../../identity/sockets/signed-in-socket.ts';
import type { Sockets } from '../../../identity/sockets/sockets.ts';
import type { Caller } from '../../../platform/http/actor.ts';
import { watchPulse } from '../../../platform/http/heartbeat.ts';
import { socketExchange } from '../../../platform/http/socket-exchange.ts';
import { SparingSocket } from '../../../platform/http/sparing-socket.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { storeFailure } from '../../../platform/storage/store-failure.ts';
import type { HostedSession } from '../../../sessions/host/hosted-session.ts';
import type { SessionHost } from '../../../sessions/host/session-host.ts';
import type { Session, SessionEnd } from '../../../sessions/host/session-store.ts';
import { requireProven } from '../../../sessions/page-on-session.ts';
import type { Terminal } from '../../../sessions/terminal/terminal.ts';
import type { InTerminal, Terminals } from '../../../sessions/terminal/terminals.ts';
import type { Viewer, ViewerWire } from '../../../sessions/terminal/viewer.ts';
import { type Waiting, WaitingInput } from '../waiting-input.ts';
import { decodeEnvelope, encodeEnvelope, WholeCharacters } from './envelope.ts';

const FACTOR_MS = 120_000;
/** What a moderator types to end the session, as with the reference. */
const END_KEY = 't';

export interface CompatSocketDeps {
  terminals: Terminals;
  host: Pick<SessionHost, 'endBy'>;
  identity: Pick<Identity, 'askForFactor' | 'proveAgain'>;
  /** As lists tell of a session. */
  describe(caller: Caller, session: Session): Promise<object | undefined>;
  log: Log;
}

export function serveCompatSocket(sockets: Sockets, deps: CompatSocketDeps): void {
  sockets.add(
    COMPAT_TERMINAL_SOCKET,
    'address',
    (opened, request) => new CompatConnection(deps, opened, request).listen(),
    {
      check: (request) => void readParams(request),
      refuse: (opened, request, why) => new CompatConnection(deps, opened, request).refuse(why),
    },
  );
}

const query = z.object({ params: z.string().max(4096) });
const keyAnswer = z.union([assertionResponse, z.object({ webauthnAssertionResponse: assertionResponse })]);

class CompatConnection {
  readonly #deps: CompatSocketDeps;
  readonly #opened: SignedInSocket;
  readonly #socket: WebSocket;
  readonly #sparing: SparingSocket;
  readonly #request: FastifyRequest;
  readonly #id = randomUUID();
  readonly #characters = new WholeCharacters();
  readonly #writer = randomBytes(8).toString('hex');
  #answer: PromiseWithResolvers<Buffer> | undefined;
  #terminal: Terminal | undefined;
  #viewer: Viewer | undefined;
  /** What was typed and the shell has not been given: it is not there yet, or reads slowly. */
  readonly #waiting = new WaitingInput();
  #typed = 0;
  #toldFlow = '';

  constructor(deps: CompatSocketDeps, opened: SignedInSocket, request: FastifyRequest) {
    this.#deps = deps;
    this.#opened = opened;
    this.#socket = opened.socket;
    this.#sparing = new SparingSocket(opened.socket);
    this.#request = request;
  }

  listen(): void {
    this.#socket.on('message', (data: Buffer) => {
      this.#orClose(() => this.#hear(data));
    });
    this.#socket.on('close', (code) => this.#closed(code));
    // All that is wanted stands in the address.
    this.#opened.asked();
    void this.#begin().catch((error: unknown) => this.refuse(error));
  }

  /** Who sends more than can wait is told, on the screen and by the close. */
  #orClose(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      const isInput = error instanceof InputError;
      if (!isInput) this.#deps.log.error({ error }, 'a message of a reference terminal cannot be handled');
      const why = isInput ? error.message : 'the gateway failed; its log says why';
      this.#print(`The connection is closed: ${why}.`);
      this.#socket.close(isInput ? 1008 : 1011, why.slice(0, 120));
    }
  }

  #hear(data: Buffer): void {
    const envelope = decodeEnvelope(data);
    if (!envelope) {
      this.#socket.close(1008, 'no envelope');
      return;
    }
    // Whatever its letter, the one message after a challenge is the answer.
    if (this.#answer) {
      this.#answer.resolve(envelope.payload);
      return;
    }
    if (envelope.type === 'r') this.#type(envelope.payload);
    if (envelope.type === 'w') this.#resize(envelope.payload);
    if (envelope.type === 'c') this.#type(Buffer.from([0x04]));
  }

  #type(bytes: Buffer): void {
    this.#opened.active();
    this.#waiting.push({ bytes });
    this.#flush();
  }

  /** These clients number nothing and are told nothing: it waits here until it can be handed on. */
  #flush(): void {
    const [terminal, viewer] = [this.#terminal, this.#viewer];
    if (terminal && viewer) this.#waiting.flush((one) => this.#hand(terminal, viewer, one));
  }

  #hand(terminal: Terminal, viewer: Viewer, one: Waiting): number {
    if ('size' in one) {
      terminal.resize(viewer, one.size);
      return 0;
    }
    if (viewer.mode !== 'peer') {
      if (viewer.mode === 'moderator' && one.bytes.toString() === END_KEY) this.#endAsModerator();
      return one.bytes.length;
    }
    let at = 0;
    while (at < one.bytes.length) {
      const room = UNTAKEN_BYTES - (this.#typed - terminal.takenBy(this.#writer));
      const part = one.bytes.subarray(at, at + Math.min(room, MAX_INPUT_BYTES));
      if (part.length === 0) break;
      // They do not send again what was passed over.
      if (terminal.input(viewer, this.#typed, part)) this.#typed += part.length;
      at += part.length;
    }
    return at;
  }

  #endAsModerator(): void {
    const hosted = this.#terminal?.hosted;
    if (hosted)
      void this.#endBy(hosted).catch((error: unknown) => {
        if (!(error instanceof AppError)) this.#deps.log.error({ error }, 'a session cannot be ended');
      });
  }

  /** Who moderated when they came need not any more. */
  async #endBy(hosted: HostedSession): Promise<void> {
    const { session } = hosted;
    const { caller } = this.#opened;
    const proveFactor = async () => requireProven(hosted, this.#id);
    await this.#deps.terminals.find({ caller, proveFactor }, session.id, 'moderator');
    await this.#deps.host.endBy(caller, session, undefined);
  }

  #resize(payload: Buffer): void {
    const read = compatResize.safeParse(parseJson(payload));
    if (!read.success) return;
    const [cols = 80, rows = 24] = read.data.size.split(':').map(Number);
    this.#waiting.push({ size: { cols: Math.min(cols, MAX_COLS), rows: Math.min(rows, MAX_ROWS) } });
    this.#flush();
  }

  async #begin(): Promise<void> {
    const params = readParams(this.#request);
    const found = params.sid ? await this.#find(params.sid, params) : await this.#open(params);
    const { terminal, mode, mfa } = found;
    if (params.sid) await this.#tellSession(terminal.hosted.session);
    await this.#deps.terminals.whenReady(found, this.#opened.caller);
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const size = { cols: params.term.w, rows: params.term.h };
    const from = params.sid ? undefined : 0;
    const viewer = terminal.attach({ id: this.#id, wire: this.#wire, mode, writer: this.#writer, size, from });
    this.#terminal = terminal;
    this.#viewer = viewer;
    const { hosted } = terminal;
    if (!hosted.end)
      hosted.enter({
        id: this.#id,
        username: this.#opened.caller.username,
        signInId: this.#opened.caller.signInId,
        address: this.#request.ip ?? '',
        mode,
        mfa,
        onRemoved: (end) => viewer.endNow(end),
      });
    if (mode === 'moderator') {
      watchPulse(this.#socket);
      this.#print(`You moderate this session of ${hosted.session.user}. Type ${END_KEY} to end it.`);
    }
    terminal.begin(viewer);
    this.#orClose(() => this.#flush());
  }

  async #open({ server_id, login, term }: CompatParams): Promise<InTerminal> {
    const name = osLogin.safeParse(login);
    if (!server_id || !name.success) throw new AppError('bad_request', 'a server and a login are needed');
    const terminal = await this.#deps.terminals.open({
      caller: this.#opened.caller,
      address: this.#request.ip ?? '',
      requestId: this.#request.id,
      // Clients add the port they would dial.
      target: { kind: MACHINE_KIND, resource: server_id.replace(/:\d+$/, ''), login: name.data },
      size: { cols: term.w, rows: term.h },
      request: randomUUID(),
      proveFactor: () => this.#proveFactor(),
      onSession: (session) => this.#tellSession(session),
    });
    return { terminal, mode: 'peer', mfa: terminal.hosted.session.mfa };
  }

  async #find(sid: string, { mode }: CompatParams): Promise<InTerminal> {
    const joiner = { caller: this.#opened.caller, proveFactor: () => this.#proveFactor() };
    const found = await this.#deps.terminals.find(joiner, sid, mode || undefined);
    if (!found.terminal) throw notFound('session', sid);
    return found;
  }

  async #tellSession(session: Session): Promise<void> {
    const told = await this.#deps.describe(this.#opened.caller, session);
    if (told) this.#send('s', Buffer.from(JSON.stringify({ session: told })));
  }

  readonly #wire: ViewerWire = {
    output: (offset, bytes) => {
      const pieces = this.#characters.push(bytes);
      const seen = () => setImmediate(() => this.#viewer?.see(offset + bytes.length));
      if (pieces.length === 0) seen();
      const { socket } = this.#request.raw;
      // Clients read little at a time; the system need not be asked for each.
      socket.cork();
      // They say nothing: what the network has taken counts as seen.
      pieces.forEach((piece, index) => {
        const isLast = index === pieces.length - 1;
        this.#sparing.send(encodeEnvelope('r', piece), isLast ? { done: seen } : {});
      });
      socket.uncork();
    },
    picture: ({ cols, rows, ansi }) => {
      this.#send('a', Buffer.from(JSON.stringify({ event: 'resize', size: `${cols}:${rows}` })));
      for (const piece of this.#characters.push(Buffer.from(ansi))) this.#send('r', piece);
    },
    tell: (message) => {
      if (message.type === 'size') {
        const size = `${message.cols}:${message.rows}`;
        this.#send('a', Buffer.from(JSON.stringify({ event: 'resize', size })));
      }
      if (message.type === 'notice') this.#print(message.text);
      if (message.type === 'flow') this.#tellFlow(message);
      if (message.type === 'taken') this.#orClose(() => this.#flush());
    },
    end: (end) => this.#end(end),
    moved: () => this.#socket.close(1012),
  };

  #tellFlow({ flow, needs, could }: Extract<TerminalReply, { type: 'flow' }>): void {
    const [need] = needs;
    const who = could.length > 0 ? ` These could join: ${could.join(', ')}.` : '';
    const waits = need ? ` ${need.missing} more must join as ${need.modes.join(' or ')}.` : '';
    const text = flow === 'live' ? 'The session goes on.' : `The session is ${flow}.${waits}${who}`;
    // Names come after the rest, and nobody wants to read it twice.
    if (text === this.#toldFlow) return;
    this.#toldFlow = text;
    this.#print(text);
  }

  #end({ cause, message }: SessionEnd): void {
    if (cause !== 'exited') this.#print(message);
    this.#send('c');
    this.#socket.close(1000);
  }

  #print(text: string): void {
    for (const piece of this.#characters.push(Buffer.from(`\r\n${text}\r\n`))) this.#send('r', piece);
  }

  #send(type: string, payload?: Buffer): void {
    this.#sparing.send(encodeEnvelope(type, payload));
  }

  async #proveFactor(): Promise<void> {
    const { identity } = this.#deps;
    const challenge = await identity.askForFactor(this.#opened.caller);
    if (!challenge.webauthn_challenge)
      throw new AppError('mfa_required', 'a role of yours asks for a key at every connection: add one to your account');
    this.#answer = Promise.withResolvers();
    const timer = setTimeout(
      () => this.#answer?.reject(new AppError('mfa_required', 'no second factor was given in time')),
      FACTOR_MS,
    );
    this.#send('n', Buffer.from(JSON.stringify(challenge)));
    try {
      const read = keyAnswer.safeParse(parseJson(await this.#answer.promise));
      if (!read.success) throw new AppError('mfa_required', 'the answer of the key is not understood');
      const key = 'webauthnAssertionResponse' in read.data ? read.data.webauthnAssertionResponse : read.data;
      await identity.proveAgain(this.#opened.caller, { key, code: undefined }, socketExchange(this.#request));
    } finally {
      clearTimeout(timer);
      this.#answer = undefined;
    }
  }

  refuse(given: unknown): void {
    const error = storeFailure(given) ?? given;
    const known = error instanceof AppError;
    if (!known) this.#deps.log.error({ error, requestId: this.#request.id }, 'a reference terminal cannot be served');
    const message = known ? error.message : 'the gateway failed; its log says why';
    this.#send('e', Buffer.from(message));
    // Older clients know no `e`: they show what is printed.
    this.#print(message);
    this.#socket.close(1000);
  }

  #closed(code: number): void {
    this.#answer?.reject(new AppError('mfa_required', 'the page went away before a second factor was given'));
    const [terminal, viewer] = [this.#terminal, this.#viewer];
    if (!terminal || !viewer) return;
    terminal.hosted.leave(this.#id, code === 1000 || code === 1001 ? 'left' : 'lost');
    terminal.detach(viewer);
  }
}

function readParams(request: FastifyRequest): CompatParams {
  const given = query.safeParse(request.query).data;
  const read = given && compatParams.safeParse(parseJson(Buffer.from(given.params)));
  if (!read?.success) throw new AppError('bad_request', 'the parameters of the terminal are missing or not understood');
  return read.data;
}
