/** Holds on to one terminal through lost networks, sleep and restarted gateways, without losing or repeating a byte. */
import { createInputQueue } from '@gatehouse/contract/reach/agents/input-queue';
import {
  FRAME_HEADER_BYTES,
  INPUT_FRAME,
  OUTPUT_FRAME,
  type TerminalCommand,
  type TerminalReply,
  type TerminalRequest,
  terminalReply,
  terminalRequest,
} from '@gatehouse/contract/sessions/terminal-frames';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import type { ExecTarget } from '../../../kinds/kube/connect/exec-path.ts';
import {
  createSessionLine,
  type LineControls,
  type LineTry,
  OPENING_MS,
  PING_EVERY_MS,
} from '../../../shared/session-line/session-line.ts';

/** The first say nothing: a page that has just been opened is busy with itself. */
const FIRST_PINGS = 3;
const FIRST_PINGS_EVERY_MS = 1_000;
/** Said this often, and at least each time so much was drawn. */
export const SEEN_EVERY_MS = 40;
export const SEEN_BYTES = 128 * 1024;

const MAX_QUOTED = 80;

export type SessionState = Extract<TerminalReply, { type: 'state' }>;
export type Ended = Extract<TerminalReply, { type: 'ended' }>;
export type Refused = Extract<TerminalReply, { type: 'refused' }>;
export type Challenge = Extract<TerminalReply, { type: 'factor' }>['challenge'];
export type FactorAnswer = Omit<Extract<TerminalCommand, { type: 'factor' }>, 'type'>;
/** What is only passed on: it concerns people, not bytes. */
export type TerminalNews = Extract<TerminalReply, { type: 'size' | 'program' | 'parties' | 'notice' | 'flow' }>;

export type LateScreen = Extract<TerminalReply, { type: 'screen' }>;

export type LineState = LineTry | { is: 'ended'; ended: Ended } | { is: 'refused'; refused: Refused };

export interface TerminalEvents {
  onLine(line: LineState): void;
  onState(state: SessionState): void;
  /** `drawn` is called when the bytes are on the screen. */
  onOutput(bytes: Uint8Array, drawn: () => void): void;
  /** In place of all that came before. */
  onScreen(screen: LateScreen): void;
  onTold(told: TerminalNews): void;
  onFactor(challenge: Challenge): void;
  onLatency(latency: { gatewayMs: number; serverMs: number | undefined }): void;
}

export interface TerminalSocketDeps extends TerminalEvents {
  openSocket: () => WebSocket;
  token: () => string | undefined;
  now: () => number;
  drawWriter: () => string;
}

/** Where a page left off that was reloaded. What was printed it is shown anew, by whoever has it all. */
export interface LeftOff {
  writer: string;
  input: { offset: number; bytes: Uint8Array };
}

export type Wanted =
  | { open: { server: string; login: string; request: string } }
  | { exec: ExecTarget & { request: string } }
  | { attach: { sid: string; mode?: 'observer' | 'moderator' | 'peer' }; leftOff?: LeftOff };

export interface TerminalSocket extends LineControls {
  type(bytes: Uint8Array): void;
  resize(cols: number, rows: number): void;
  answerFactor(answer: FactorAnswer): void;
  /** The person closes the terminal: the session ends. A moderator says why. */
  end(reason?: string): void;
  leftOff(): LeftOff | undefined;
}

/** Trying again will not help. */
const BAD_MESSAGE = 1008;
const NOT_UNDERSTOOD = { type: 'refused', code: 'bad_request' } as const;

/** What the gateway would not understand of the names in it, in words. Those of servers are the gateway's to judge. */
function wrongIn(asked: TerminalRequest): string | undefined {
  if (asked.type !== 'exec') return undefined;
  const issue = terminalRequest.safeParse(asked).error?.issues[0];
  if (!issue) return undefined;
  const value = (asked as Readonly<Record<string, unknown>>)[String(issue.path[0])];
  return `'${String(value ?? '').slice(0, MAX_QUOTED)}' ${issue.message}`;
}

export function connectTerminal(
  wanted: Wanted,
  size: { cols: number; rows: number },
  deps: TerminalSocketDeps,
): TerminalSocket {
  const before = 'leftOff' in wanted ? wanted.leftOff : undefined;
  const queue = createInputQueue(before?.input);
  let writer = before?.writer ?? deps.drawWriter();
  let { cols, rows } = size;
  let sid = 'attach' in wanted ? wanted.attach.sid : undefined;
  /** It was heard of: no address made it up. */
  let wasThere = false;
  /** Output up to here is ours; unknown before the first state of a session that others began. */
  let received: number | undefined;
  let drawn = 0;
  let seen = 0;
  /** Nothing that is typed reaches the shell: it is not even kept. */
  let isHeld = false;
  let isOver = false;
  let seenTimer: ReturnType<typeof setTimeout> | undefined;

  const request = (): TerminalRequest => {
    if (sid === undefined && 'open' in wanted) return { type: 'open', ...wanted.open, cols, rows, writer };
    if (sid === undefined && 'exec' in wanted) return { type: 'exec', ...wanted.exec, cols, rows, writer };
    const mode = 'attach' in wanted && wanted.attach.mode ? { mode: wanted.attach.mode } : {};
    const from = received === undefined ? {} : { from: received };
    return { type: 'attach', sid: sid ?? '', ...from, ...mode, cols, rows, writer };
  };

  const hear = (data: unknown) => {
    if (data instanceof ArrayBuffer) return hearOutput(new Uint8Array(data));
    const reply = terminalReply.safeParse(parseJson(data)).data;
    if (reply) hearReply(reply);
  };

  const hearReply = (reply: TerminalReply) => {
    switch (reply.type) {
      case 'state':
        return hearState(reply);
      case 'screen':
        return hearScreen(reply);
      case 'taken':
        queue.taken(reply.offset);
        return sendInput();
      case 'pong':
        return hearPong(reply);
      case 'factor':
        // Somebody looks for their key now: silence is no sign of anything.
        line.expect();
        return deps.onFactor(reply.challenge);
      case 'flow':
        return hearFlow(reply);
      case 'ended':
        return over({ is: 'ended', ended: reply });
      case 'refused':
        // The leaf it is in restarts: the session waits there as it does while a network is lost.
        if (wasThere && reply.code === 'target_unreachable') return line.later();
        return over({ is: 'refused', refused: reply });
      default:
        if (!line.isOpen()) line.expect(OPENING_MS);
        return deps.onTold(reply);
    }
  };

  const hearPong = ({ id, serverMs }: Extract<TerminalReply, { type: 'pong' }>) => {
    const gatewayMs = line.answered(id);
    if (gatewayMs !== undefined) deps.onLatency({ gatewayMs, serverMs });
  };

  const hearFlow = (told: Extract<TerminalNews, { type: 'flow' }>) => {
    const wasHeld = isHeld;
    isHeld = told.flow !== 'live';
    deps.onTold(told);
    if (isHeld || !wasHeld) return;
    // What was on its way when it was held up was passed over.
    if (queue.resend(told.taken)) sendInput();
    else drawAgain();
  };

  /** The holder has forgotten this writer: what is left goes out under another one. */
  const drawAgain = () => {
    writer = deps.drawWriter();
    queue.renumber();
    line.again();
  };

  const hearState = (state: SessionState) => {
    sid = state.sid;
    wasThere = true;
    isHeld = false;
    if (!queue.resend(state.taken)) return drawAgain();
    if (received === undefined || state.from > received) {
      received = state.from;
      drawn = received;
    }
    // What was on its way to the screen before counts as seen: it was asked for from behind it.
    seen = received;
    line.opened(() => deps.onState(state));
    if (state.cols !== cols || state.rows !== rows) line.tell({ type: 'resize', cols, rows });
    sendInput();
  };

  const hearScreen = (screen: LateScreen) => {
    if (!line.isOpen()) return;
    received = screen.offset;
    drawn = screen.offset;
    seen = screen.offset;
    deps.onScreen(screen);
  };

  const hearOutput = (frame: Uint8Array) => {
    if (!line.isOpen() || received === undefined || frame[0] !== OUTPUT_FRAME || frame.length < FRAME_HEADER_BYTES)
      return;
    const offset = Number(new DataView(frame.buffer, frame.byteOffset).getBigUint64(1));
    const bytes = frame.subarray(FRAME_HEADER_BYTES);
    // A hole would be seen as garbage: ask again from where it begins.
    if (offset > received) return line.again();
    const fresh = bytes.subarray(received - offset);
    if (fresh.length === 0) return;
    received += fresh.length;
    const end = received;
    const from = line.socket();
    deps.onOutput(fresh, () => {
      drawn = Math.max(drawn, end);
      if (line.socket() === from && line.isOpen()) tellSeen();
    });
  };

  const tellSeen = () => {
    if (drawn - seen >= SEEN_BYTES) return sendSeen();
    seenTimer ??= setTimeout(sendSeen, SEEN_EVERY_MS);
  };
  const sendSeen = () => {
    clearTimeout(seenTimer);
    seenTimer = undefined;
    if (!line.isOpen() || drawn <= seen) return;
    seen = drawn;
    line.tell({ type: 'seen', offset: seen });
  };

  const sendInput = () => {
    if (!line.isOpen() || isHeld) return;
    for (const { offset, bytes } of queue.next()) line.send(inputFrame(offset, bytes));
  };

  const over = (state: LineState) => {
    isOver = true;
    line.over();
    deps.onLine(state);
  };

  const line = createSessionLine<TerminalCommand>({
    ...{ openSocket: deps.openSocket, token: deps.token, now: deps.now, onLine: deps.onLine },
    request,
    hear,
    onGone() {
      clearTimeout(seenTimer);
      seenTimer = undefined;
    },
    isVain() {
      const wrong = wrongIn(request());
      // An address may say anything: what no gateway understands is told once, and not tried again.
      if (wrong !== undefined) over({ is: 'refused', refused: { ...NOT_UNDERSTOOD, message: wrong } });
      return wrong !== undefined;
    },
    isFinal(code, reason) {
      if (code === BAD_MESSAGE) over({ is: 'refused', refused: { ...NOT_UNDERSTOOD, message: reason } });
      return code === BAD_MESSAGE;
    },
    restMs: (pings) => (pings < FIRST_PINGS ? FIRST_PINGS_EVERY_MS : PING_EVERY_MS),
  });
  line.begin();
  return {
    type(bytes) {
      if (isOver || isHeld) return;
      queue.push(bytes);
      sendInput();
    },
    resize(nextCols, nextRows) {
      if (nextCols === cols && nextRows === rows) return;
      cols = nextCols;
      rows = nextRows;
      line.tellOpen({ type: 'resize', cols, rows });
    },
    answerFactor: line.answerFactor,
    end: line.end,
    check: line.check,
    offline: line.offline,
    putAway: line.putAway,
    stop() {
      isOver = true;
      line.stop();
    },
    leftOff: () => (sid === undefined || isOver ? undefined : { writer, input: queue.rest() }),
  };
}

export function inputFrame(offset: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(FRAME_HEADER_BYTES + bytes.length);
  frame[0] = INPUT_FRAME;
  new DataView(frame.buffer).setBigUint64(1, BigInt(offset));
  frame.set(bytes, FRAME_HEADER_BYTES);
  return frame;
}
