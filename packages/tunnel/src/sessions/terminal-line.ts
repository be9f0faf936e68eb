/**
 * One terminal through the gateway, for a program on somebody's machine: the client's side of contract/sessions/terminal-frames.ts.
 * Holds on through lost networks and restarted gateways, as the console does, without losing or repeating a byte.
 */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { createInputQueue } from '@gatehouse/contract/reach/agents/input-queue';
import {
  FRAME_HEADER_BYTES,
  INPUT_FRAME,
  OUTPUT_FRAME,
  type TerminalCommand,
  type TerminalReply,
  type TerminalRequest,
  terminalReply,
} from '@gatehouse/contract/sessions/terminal-frames';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import WebSocket from 'ws';
import { dialTerminal, type TerminalDoor } from './dial-terminal.ts';

const FIRST_WAIT_MS = 300;
const MAX_WAIT_MS = 10_000;
const PING_EVERY_MS = 5_000;
/** A line that says nothing for this long after it was asked is taken for dead. */
const SILENT_MS = 8_000;
/** A gateway may dial a server for a while before it can say anything. */
const OPENING_MS = 60_000;
/** Said this often, and at least each time so much was written. */
const SEEN_EVERY_MS = 40;
const SEEN_BYTES = 128 * 1024;
/** For the gateway to say that the session is over, once it is asked to end it. */
const LAST_WORDS_MS = 2_000;

/** Any but that of a page that goes away: the session then waits longer. */
const LOST_CODE = 4000;

/** What a session is in cannot be reached now. */
const UNREACHABLE = 'target_unreachable';

type State = Extract<TerminalReply, { type: 'state' }>;
type Challenge = Extract<TerminalReply, { type: 'factor' }>['challenge'];
/** What is only passed on: it concerns people, not bytes. */
export type TerminalNews = Extract<TerminalReply, { type: 'notice' | 'flow' }>;

export type TerminalEnd =
  | { is: 'ended'; cause: string; message: string; exitCode?: number | undefined }
  | { is: 'refused'; code: string; message: string; next?: string | undefined }
  /** It was left, and nobody was there to be told. */
  | { is: 'left' };

export interface TerminalLineOptions extends TerminalDoor {
  /** Read anew each time: whoever signs in again need not start this again. */
  credential(): string;
  server: string;
  login: string;
  term?: string | undefined;
  size: { cols: number; rows: number };
  /** There is a shell, for the first time or again. */
  onOpen(state: State, isFirst: boolean): void;
  /** Once for each time that the line is lost, with what is known of why. */
  onLost(why: string): void;
  /** `written` is called when the bytes have gone where they belong. */
  onOutput(bytes: Buffer, written: () => void): void;
  onNews(news: TerminalNews): void;
  /** Room for what is typed again. */
  onTaken(): void;
  onFactor(challenge: Challenge): Promise<{ code: string }>;
}

export class TerminalLine {
  readonly #options: TerminalLineOptions;
  readonly #queue = createInputQueue();
  readonly #request = randomUUID();
  readonly #over = Promise.withResolvers<TerminalEnd>();
  #writer = drawWriter();
  #size: { cols: number; rows: number };
  #socket: WebSocket | undefined;
  #sid: string | undefined;
  /** Output up to here is ours; the rest of it is written, and said to be. */
  #received = 0;
  #written = 0;
  #seen = 0;
  #isOpen = false;
  /** Nothing that is typed reaches the shell: it is not even kept. */
  #isHeld = false;
  #isOver = false;
  #isAway = false;
  #why = '';
  #attempt = 0;
  #pings = 0;
  #pinged: number | undefined;
  #retry: NodeJS.Timeout | undefined;
  #seenTimer: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(options: TerminalLineOptions) {
    this.#options = options;
    this.#size = options.size;
    // Whoever has made it hears everything.
    queueMicrotask(() => this.#connect());
  }

  /** Never rejects, but where the second factor was not given. */
  get over(): Promise<TerminalEnd> {
    return this.#over.promise;
  }

  /** Nothing of what is typed now would reach a shell. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Bytes that the shell has not been given yet. */
  get untaken(): number {
    return this.#queue.rest().bytes.length;
  }

  type(bytes: Uint8Array): void {
    if (this.#isOver || this.#isHeld) return;
    this.#queue.push(bytes);
    this.#sendInput();
  }

  resize(cols: number, rows: number): void {
    if (cols === this.#size.cols && rows === this.#size.rows) return;
    this.#size = { cols, rows };
    if (this.#isOpen) this.#tell({ type: 'resize', cols, rows });
  }

  /** The shell ends. Where nobody can be told, it does so by itself after its grace time. */
  end(): void {
    if (this.#isOver) return;
    if (!this.#isOpen) {
      this.#finish({ is: 'left' });
      return;
    }
    this.#tell({ type: 'end' });
    setTimeout(() => this.#finish({ is: 'left' }), LAST_WORDS_MS).unref();
  }

  #connect(): void {
    this.#retry = undefined;
    if (this.#isOver) return;
    let token: string;
    try {
      token = this.#options.credential();
    } catch (error) {
      this.#fail(error);
      return;
    }
    const ifCurrent =
      <Args extends unknown[]>(handle: (...args: Args) => void) =>
      (...args: Args) => {
        if (this.#socket === socket) handle(...args);
      };
    const socket: WebSocket = dialTerminal(this.#options, token, {
      onOpen: ifCurrent(() => {
        this.#tell(this.#wanted());
        this.#listenForSilence(OPENING_MS);
      }),
      onMessage: ifCurrent((data: Buffer, isBinary: boolean) => this.#hear(data, isBinary)),
      onLost: ifCurrent((why: string) => this.#lost(why)),
      onRefused: ifCurrent((refusal: { code: string; message: string }) => this.#finish({ is: 'refused', ...refusal })),
    });
    this.#socket = socket;
  }

  #wanted(): TerminalRequest {
    const { server, login, term } = this.#options;
    const own = { ...this.#size, writer: this.#writer };
    if (this.#sid !== undefined) return { type: 'attach', sid: this.#sid, from: this.#received, ...own };
    return { type: 'open', server, login, request: this.#request, ...(term === undefined ? {} : { term }), ...own };
  }

  #tell(message: TerminalCommand | TerminalRequest): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** `again` at once where the line itself is good. */
  #lost(why: string, again = false): void {
    this.#drop(LOST_CODE);
    if (this.#isOver) return;
    this.#attempt += 1;
    if (again) {
      this.#connect();
      return;
    }
    if (!this.#isAway || (why !== '' && this.#why === '')) this.#options.onLost(why);
    this.#isAway = true;
    this.#why = why;
    const longest = Math.min(FIRST_WAIT_MS * 2 ** Math.min(this.#attempt - 1, 10), MAX_WAIT_MS);
    // Spread out, so that a gateway that comes back is not met by everybody at once.
    this.#retry = setTimeout(() => this.#connect(), randomInt(longest / 2, longest));
  }

  #drop(code: number): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#seenTimer);
    clearTimeout(this.#retry);
    this.#seenTimer = undefined;
    this.#pinged = undefined;
    this.#isOpen = false;
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) return;
    // Closing what is not open yet is an error, as `ws` has it.
    if (socket.readyState !== WebSocket.OPEN) {
      socket.terminate();
      return;
    }
    socket.close(code);
    setTimeout(() => socket.terminate(), LAST_WORDS_MS).unref();
  }

  #finish(end: TerminalEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#drop(1000);
    this.#over.resolve(end);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#drop(1000);
    this.#over.reject(error);
  }

  #listenForSilence(patienceMs = SILENT_MS): void {
    clearTimeout(this.#silence);
    const isAtRest = this.#isOpen && this.#pinged === undefined;
    this.#silence = setTimeout(
      () => (isAtRest ? this.#ping() : this.#lost('it does not answer')),
      isAtRest ? PING_EVERY_MS : patienceMs,
    );
  }

  #ping(): void {
    this.#pings += 1;
    this.#pinged = this.#pings;
    this.#tell({ type: 'ping', id: this.#pings });
    this.#listenForSilence();
  }

  #hear(data: Buffer, isBinary: boolean): void {
    if (isBinary) {
      this.#hearOutput(data);
      return;
    }
    const reply = terminalReply.safeParse(parseJson(data.toString())).data;
    if (reply) this.#hearReply(reply);
  }

  #hearReply(reply: TerminalReply): void {
    switch (reply.type) {
      case 'state':
        this.#hearState(reply);
        return;
      case 'taken':
        this.#queue.taken(reply.offset);
        this.#sendInput();
        this.#options.onTaken();
        return;
      case 'pong':
        if (this.#pinged !== reply.id) return;
        this.#pinged = undefined;
        this.#listenForSilence();
        return;
      case 'factor':
        this.#askFactor(reply.challenge);
        return;
      case 'flow':
        this.#hearFlow(reply);
        return;
      case 'ended':
        this.#finish({ is: 'ended', ...reply });
        return;
      case 'refused':
        // The leaf it is in restarts: the session waits there as it does while a network is lost.
        if (this.#sid !== undefined && reply.code === UNREACHABLE) this.#lost(reply.message);
        else this.#finish({ is: 'refused', ...reply });
        return;
      case 'notice':
        if (!this.#isOpen) this.#listenForSilence(OPENING_MS);
        this.#options.onNews(reply);
        return;
      default:
    }
  }

  #askFactor(challenge: Challenge): void {
    // Somebody looks for their code now: silence is no sign of anything.
    clearTimeout(this.#silence);
    const socket = this.#socket;
    this.#options.onFactor(challenge).then(
      (answer) => {
        if (this.#socket !== socket) return;
        this.#tell({ type: 'factor', ...answer });
        this.#listenForSilence(OPENING_MS);
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #hearFlow(told: Extract<TerminalReply, { type: 'flow' }>): void {
    const wasHeld = this.#isHeld;
    this.#isHeld = told.flow !== 'live';
    this.#options.onNews(told);
    if (this.#isHeld || !wasHeld) return;
    // What was on its way when it was held up was passed over.
    if (this.#queue.resend(told.taken)) this.#sendInput();
    else this.#drawAgain();
  }

  /** The holder has forgotten this writer: what is left goes out under another one. */
  #drawAgain(): void {
    this.#writer = drawWriter();
    this.#queue.renumber();
    this.#lost('', true);
  }

  #hearState(state: State): void {
    const isFirst = this.#sid === undefined;
    this.#sid = state.sid;
    this.#isHeld = false;
    if (!this.#queue.resend(state.taken)) {
      this.#drawAgain();
      return;
    }
    if (state.from > this.#received) {
      this.#received = state.from;
      this.#written = state.from;
    }
    // What was on its way before counts as seen: it was asked for from behind it.
    this.#seen = this.#received;
    this.#isOpen = true;
    this.#isAway = false;
    this.#why = '';
    this.#attempt = 0;
    this.#options.onOpen(state, isFirst);
    const { cols, rows } = this.#size;
    if (state.cols !== cols || state.rows !== rows) this.#tell({ type: 'resize', cols, rows });
    this.#sendInput();
    this.#options.onTaken();
    this.#ping();
  }

  #hearOutput(frame: Buffer): void {
    if (!this.#isOpen || frame.length < FRAME_HEADER_BYTES || frame[0] !== OUTPUT_FRAME) return;
    const offset = Number(frame.readBigUInt64BE(1));
    // A hole would be seen as garbage: it is asked for again from where it begins.
    if (offset > this.#received) {
      this.#lost('', true);
      return;
    }
    const fresh = frame.subarray(FRAME_HEADER_BYTES + this.#received - offset);
    if (fresh.length === 0) return;
    this.#received += fresh.length;
    const [end, socket] = [this.#received, this.#socket];
    this.#options.onOutput(fresh, () => {
      this.#written = Math.max(this.#written, end);
      if (this.#socket === socket && this.#isOpen) this.#tellSeen();
    });
  }

  #tellSeen(): void {
    if (this.#written - this.#seen >= SEEN_BYTES) {
      this.#sendSeen();
      return;
    }
    this.#seenTimer ??= setTimeout(() => this.#sendSeen(), SEEN_EVERY_MS);
  }

  #sendSeen(): void {
    clearTimeout(this.#seenTimer);
    this.#seenTimer = undefined;
    if (!this.#isOpen || this.#written <= this.#seen) return;
    this.#seen = this.#written;
    this.#tell({ type: 'seen', offset: this.#seen });
  }

  #sendInput(): void {
    if (!this.#isOpen || this.#isHeld) return;
    for (const { offset, bytes } of this.#queue.next()) {
      const head = Buffer.alloc(FRAME_HEADER_BYTES);
      head[0] = INPUT_FRAME;
      head.writeBigUInt64BE(BigInt(offset), 1);
      this.#socket?.send(Buffer.concat([head, bytes]));
    }
  }
}

function drawWriter(): string {
  return randomBytes(8).toString('hex');
}
