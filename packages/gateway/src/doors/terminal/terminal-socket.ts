/** Our own terminal socket: one browser tab on one terminal, as contract/sessions/terminal-frames.ts says. */
import { randomUUID } from 'node:crypto';
import { MACHINE_KIND } from '@gatehouse/contract/kinds/kinds';
import {
  FRAME_HEADER_BYTES,
  INPUT_FRAME,
  MAX_INPUT_BYTES,
  OUTPUT_FRAME,
  type ParticipantMode,
  TERMINAL_SOCKET,
  type TerminalCommand,
  type TerminalReply,
  type TerminalRequest,
  terminalCommand,
  terminalRequest,
} from '@gatehouse/contract/sessions/terminal-frames';
import { InputError } from '@gatehouse/tunnel/shells/writers';
import type { FastifyRequest } from 'fastify';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import { loginsIn } from '../../access/action.ts';
import type { Identity } from '../../identity/identity.ts';
import type { SignedInSocket } from '../../identity/sockets/signed-in-socket.ts';
import { SocketFactor } from '../../identity/sockets/socket-factor.ts';
import type { Sockets } from '../../identity/sockets/sockets.ts';
import type { Caller } from '../../platform/http/actor.ts';
import { watchPulse } from '../../platform/http/heartbeat.ts';
import { SparingSocket } from '../../platform/http/sparing-socket.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Joiner } from '../../sessions/host/require-join.ts';
import type { SessionHost } from '../../sessions/host/session-host.ts';
import { endWithPage, refusalOf } from '../../sessions/page-on-session.ts';
import type { Terminal } from '../../sessions/terminal/terminal.ts';
import { AGENT_BACK } from '../../sessions/terminal/terminal-options.ts';
import type { FoundTerminal, Terminals } from '../../sessions/terminal/terminals.ts';
import type { Viewer, ViewerWire } from '../../sessions/terminal/viewer.ts';
import { WaitingInput } from './waiting-input.ts';

/** Not understood; the client is wrong, and trying again will not help it. */
const BAD_MESSAGE = 1008;
/** As the websocket registry calls a service that is coming back. */
const RESTARTING = 1012;
const ROUND_TRIP_EVERY_MS = 5_000;
/** More is not copied behind its header but follows as the second part of the message: copies of all output are much garbage. */
const COPIED_BYTES = 8 * 1024;

/** A shell in something of a resource, as it was asked for. */
export interface ExecOpening {
  caller: Caller;
  address: string;
  requestId: string;
  wanted: Extract<TerminalRequest, { type: 'exec' }>;
  proveFactor(): Promise<void>;
}

export interface TerminalSocketDeps {
  /** Begins shells in pods. */
  openExec(opening: ExecOpening): Promise<Terminal>;
  terminals: Terminals;
  host: Pick<SessionHost, 'endBy'>;
  identity: Pick<Identity, 'askForFactor' | 'proveAgain'>;
  log: Log;
}

export function serveTerminalSocket(sockets: Sockets, deps: TerminalSocketDeps): void {
  sockets.add(TERMINAL_SOCKET, 'hello', (opened, request) => new TerminalConnection(deps, opened, request).listen(), {
    refuse: (opened, request, why) => new TerminalConnection(deps, opened, request).refuse(why),
  });
}

class TerminalConnection {
  readonly #deps: TerminalSocketDeps;
  readonly #opened: SignedInSocket;
  readonly #socket: WebSocket;
  readonly #sparing: SparingSocket;
  readonly #request: FastifyRequest;
  readonly #id = randomUUID();
  #asked = false;
  readonly #factor: SocketFactor;
  #terminal: Terminal | undefined;
  #viewer: Viewer | undefined;
  /** What came before there was a shell. */
  readonly #early = new WaitingInput();
  /** Of a session that was over before it was asked for. */
  #recorded = false;
  #serverMs: number | undefined;
  #measured = 0;

  constructor(deps: TerminalSocketDeps, opened: SignedInSocket, request: FastifyRequest) {
    this.#deps = deps;
    this.#opened = opened;
    this.#socket = opened.socket;
    this.#sparing = new SparingSocket(opened.socket);
    this.#request = request;
    this.#factor = new SocketFactor({
      ...{ identity: deps.identity, caller: opened.caller, request },
      ask: (challenge) => this.#tell({ type: 'factor', challenge }),
    });
  }

  listen(): void {
    this.#socket.on('message', (data: RawData, isBinary: boolean) => {
      this.#orClose(() => this.#hear(data as Buffer, isBinary));
    });
    this.#socket.on('close', (code) => this.#closed(code));
  }

  #orClose(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      const known = error instanceof z.ZodError || error instanceof SyntaxError || error instanceof InputError;
      if (!known) this.#deps.log.error({ error }, 'a message of a terminal cannot be handled');
      const why = error instanceof InputError ? error.message : 'the message is not understood';
      this.#socket.close(known ? BAD_MESSAGE : 1011, why.slice(0, 120));
    }
  }

  #hear(data: Buffer, isBinary: boolean): void {
    if (isBinary) {
      this.#type(data);
      return;
    }
    const message: unknown = JSON.parse(data.toString());
    if (this.#asked) {
      this.#obey(terminalCommand.parse(message));
      return;
    }
    const wanted = terminalRequest.parse(message);
    this.#asked = true;
    this.#opened.asked();
    void this.#begin(wanted).catch((error: unknown) => this.refuse(error));
  }

  #type(data: Buffer): void {
    const { length } = data;
    if (data[0] !== INPUT_FRAME || length < FRAME_HEADER_BYTES || length > FRAME_HEADER_BYTES + MAX_INPUT_BYTES)
      throw new InputError('no frame of input');
    this.#opened.active();
    const offset = Number(data.readBigUInt64BE(1));
    const bytes = data.subarray(FRAME_HEADER_BYTES);
    if (this.#terminal && this.#viewer) this.#terminal.input(this.#viewer, offset, bytes);
    else this.#early.push({ bytes, offset });
  }

  #obey(command: TerminalCommand): void {
    const [terminal, viewer] = [this.#terminal, this.#viewer];
    switch (command.type) {
      case 'factor':
        this.#factor.answer(command);
        return;
      case 'seen':
        viewer?.see(command.offset);
        return;
      case 'resize':
        if (viewer) terminal?.resize(viewer, { cols: command.cols, rows: command.rows });
        else this.#early.push({ size: { cols: command.cols, rows: command.rows } });
        return;
      case 'ping':
        this.#pong(command.id);
        return;
      case 'end':
        this.#leave(command.reason?.trim());
        return;
      default:
        command satisfies never;
    }
  }

  async #begin(wanted: TerminalRequest): Promise<void> {
    const found = wanted.type === 'attach' ? await this.#find(wanted) : await this.#open(wanted);
    if (!found.terminal) {
      this.#recorded = found.session.recorded;
      this.#wire.end(found.ended);
      return;
    }
    const { terminal, mode, mfa } = found;
    const wasAway = terminal.away;
    if (wasAway !== undefined) this.#tell({ type: 'notice', kind: 'agent_lost', text: wasAway });
    await this.#deps.terminals.whenReady(found, this.#opened.caller);
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    // It came back before they were among its people, who are told.
    if (wasAway !== undefined && terminal.away === undefined) this.#tell(AGENT_BACK);
    const from = wanted.type === 'attach' ? wanted.from : 0;
    const start = terminal.startFor(from);
    if (start === undefined)
      throw new AppError('bad_request', 'this page shows more than the session has printed; load it again');
    this.#enter(terminal, { ...wanted, mode, mfa, from }, start);
    if (from !== undefined && from < start)
      this.#tell({ type: 'notice', kind: 'skipped', text: `${start - from} bytes of output are not shown here` });
    if (this.#viewer) terminal.begin(this.#viewer);
    this.#orClose(() => this.#handEarly());
  }

  #handEarly(): void {
    const [terminal, viewer] = [this.#terminal, this.#viewer];
    if (!terminal || !viewer) return;
    this.#early.flush((one) => {
      if ('size' in one) terminal.resize(viewer, one.size);
      else terminal.input(viewer, one.offset ?? 0, one.bytes);
      return 'size' in one ? 0 : one.bytes.length;
    });
  }

  async #open(wanted: Extract<TerminalRequest, { type: 'open' | 'exec' }>): Promise<FoundTerminal> {
    const opening = {
      ...this.#person,
      address: this.#request.ip ?? '',
      requestId: this.#request.id,
    };
    if (wanted.type === 'exec') return own(await this.#deps.openExec({ ...opening, wanted }));
    const { kind = MACHINE_KIND, server, login, term, cols, rows, request } = wanted;
    const program = term === undefined ? {} : { program: { term } };
    const terminal = await this.#deps.terminals.open({
      ...opening,
      target: { kind, resource: server, login, ...program },
      size: { cols, rows },
      request,
    });
    return own(terminal);
  }

  async #find({ sid, mode }: Extract<TerminalRequest, { type: 'attach' }>): Promise<FoundTerminal> {
    return this.#deps.terminals.find(this.#person, sid, mode);
  }

  get #person(): Joiner {
    return { caller: this.#opened.caller, proveFactor: () => this.#factor.prove() };
  }

  #enter(
    terminal: Terminal,
    wanted: TerminalRequest & { mode: ParticipantMode; mfa: boolean; from: number | undefined },
    start: number,
  ): void {
    const { hosted } = terminal;
    const { username, signInId } = this.#opened.caller;
    const { mode, mfa, writer, from, cols, rows } = wanted;
    const viewer = terminal.attach({ id: this.#id, wire: this.#wire, mode, writer, size: { cols, rows }, from });
    this.#terminal = terminal;
    this.#viewer = viewer;
    const { session } = hosted;
    this.#tell({
      type: 'state',
      sid: session.id,
      server: { id: session.action.resource.id, name: session.action.resource.name },
      login: loginsIn(session.action)[0] ?? '',
      user: session.user,
      mode,
      created: new Date(session.created).toISOString(),
      from: start,
      taken: terminal.takenBy(writer),
      ...terminal.sizeAt(start),
      recorded: session.recorded,
      survives: terminal.survives,
    });
    if (!hosted.end)
      hosted.enter({
        id: this.#id,
        username,
        signInId,
        address: this.#request.ip ?? '',
        mode,
        mfa,
        onRemoved: (end) => viewer.endNow(end),
      });
    if (mode === 'moderator') watchPulse(this.#socket);
  }

  readonly #wire: ViewerWire = {
    output: (offset, bytes) => {
      const isSmall = bytes.length <= COPIED_BYTES;
      const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + (isSmall ? bytes.length : 0));
      frame[0] = OUTPUT_FRAME;
      frame.writeBigUInt64BE(BigInt(offset), 1);
      if (isSmall) frame.set(bytes, FRAME_HEADER_BYTES);
      this.#sparing.send(frame, { fin: isSmall });
      if (!isSmall) this.#sparing.send(bytes);
    },
    picture: (picture) => this.#tell({ type: 'screen', ...picture }),
    tell: (message) => this.#tell(message),
    end: ({ cause, message, exitCode }) => {
      const recorded = this.#terminal?.hosted.session.recorded ?? this.#recorded;
      this.#tell({ type: 'ended', cause, message, recorded, ...(exitCode === undefined ? {} : { exitCode }) });
      this.#socket.close(1000, 'ended');
    },
    moved: () => this.#socket.close(RESTARTING, 'the session goes on elsewhere: attach again'),
  };

  #tell(message: TerminalReply): void {
    if (isNews(message)) this.#sparing.latest(message.type, () => JSON.stringify(message));
    else this.#sparing.send(JSON.stringify(message));
  }

  /** At once: the browser measures its own way by it. The way to the server is what was measured last. */
  #pong(id: number): void {
    this.#tell({ type: 'pong', id, ...(this.#serverMs === undefined ? {} : { serverMs: this.#serverMs }) });
    const now = performance.now();
    if (this.#measured !== 0 && now - this.#measured < ROUND_TRIP_EVERY_MS) return;
    this.#measured = now;
    void this.#terminal?.roundTrip().then((ms) => {
      this.#serverMs = ms;
    });
  }

  #leave(reason: string | undefined): void {
    const { terminals, host } = this.#deps;
    const closed = {
      ...{ caller: this.#opened.caller, hosted: this.#terminal?.hosted, id: this.#id },
      ...{ mode: this.#viewer?.mode, reason, host },
      asModerator: (joiner: Joiner, sid: string) => terminals.find(joiner, sid, 'moderator'),
    };
    endWithPage(closed).then(
      (isEnded) => isEnded || this.#socket.close(1000),
      (error: unknown) => this.refuse(error),
    );
  }

  refuse(error: unknown): void {
    const told = refusalOf(error, (unknown) =>
      this.#deps.log.error({ error: unknown, requestId: this.#request.id }, 'a terminal cannot be served'),
    );
    this.#tell({ type: 'refused', ...told, requestId: this.#request.id });
    this.#socket.close(1000, 'refused');
  }

  #closed(code: number): void {
    this.#factor.abandon();
    const [terminal, viewer] = [this.#terminal, this.#viewer];
    if (!terminal || !viewer) return;
    terminal.hosted.leave(this.#id, code === 1000 || code === 1001 ? 'left' : 'lost');
    terminal.detach(viewer);
  }
}

/** Opened by them: what they proved is known of the session. */
function own(terminal: Terminal): FoundTerminal {
  return { terminal, mode: 'peer', mfa: terminal.hosted.session.mfa };
}

/** Where only the newest counts; everything else has its place between the pieces of output. */
function isNews({ type }: TerminalReply): boolean {
  return type === 'program' || type === 'parties' || type === 'taken' || type === 'flow' || type === 'pong';
}
