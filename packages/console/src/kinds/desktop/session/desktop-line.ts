/** Holds on to one desktop through lost networks, sleep and restarted gateways. */
import type { SocketHello } from '@gatehouse/contract/identity/change-frames';
import {
  type DesktopCommand,
  type DesktopReply,
  type DesktopRequest,
  desktopReply,
  FILES_FRAME,
  PICTURE_FRAME,
  SOUND_FRAME,
} from '@gatehouse/contract/sessions/desktop-frames';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import type { PictureSize } from '../../../shared/desktop-picture/picture-client.ts';

export const FIRST_WAIT_MS = 300;
export const MAX_WAIT_MS = 10_000;
export const PING_EVERY_MS = 5_000;
/** A line that says nothing for this long after it was asked is taken for dead. */
export const SILENT_MS = 8_000;
/** A gateway may dial a host for a while before it can say anything. */
export const OPENING_MS = 60_000;
/** The same after a sleep or a change of network, when most lines are dead. */
export const SILENT_AFTER_SLEEP_MS = 2_500;

const LOST_CODE = 4000;

export type SessionState = Extract<DesktopReply, { type: 'state' }>;
export type Ended = Extract<DesktopReply, { type: 'ended' }>;
export type Refused = Extract<DesktopReply, { type: 'refused' }>;
export type Challenge = Extract<DesktopReply, { type: 'factor' }>['challenge'];
export type FactorAnswer = Omit<Extract<DesktopCommand, { type: 'factor' }>, 'type'>;
/** What is only passed on: it concerns people, not pictures. */
export type DesktopNews = Extract<
  DesktopReply,
  { type: 'size' | 'parties' | 'notice' | 'clipboard' | 'shared' | 'transfer' | 'ticket' | 'flow' }
>;

export type LineState =
  | { is: 'connecting' | 'open' }
  /** `retryAt` is absent while it tries. */
  | { is: 'reconnecting'; attempt: number; retryAt?: number }
  | { is: 'ended'; ended: Ended }
  | { is: 'refused'; refused: Refused };

export type Wanted =
  | { open: { desktop: string; login: string; keyboard: number; request: string; password?: string } }
  | { attach: { sid: string; mode?: ParticipantMode } };

export interface DesktopLineDeps {
  openSocket: () => WebSocket;
  token: () => string | undefined;
  now: () => number;
  onLine(line: LineState): void;
  onState(state: SessionState): void;
  /** What follows is for a new client. */
  onSegment(size: PictureSize): void;
  onPicture(bytes: Uint8Array): void;
  onFiles(bytes: Uint8Array): void;
  onSound(bytes: Uint8Array): void;
  onTold(told: DesktopNews): void;
  onFactor(challenge: Challenge): void;
  onLatency(ms: number): void;
}

export interface DesktopLine {
  /** Bytes of the client of this page for the host. */
  send(bytes: Uint8Array): void;
  /** A message about the folder that is shared. */
  sendFiles(bytes: Uint8Array): void;
  unshare(): void;
  /** About the transfer folder. False: there is no line at this moment. */
  tellTransfer(command: Extract<DesktopCommand, { type: 'transfer' | 'upload' | 'download' }>): boolean;
  resize(size: PictureSize, scale: number): void;
  watch(isHidden: boolean): void;
  /** Whether this page plays what the host plays. */
  sound(isOn: boolean): void;
  answerFactor(answer: FactorAnswer): void;
  /** The owner closes it, or a moderator says why. */
  end(reason?: string): void;
  /** Does not wait for the next try; an open line is asked whether it is alive. */
  check(): void;
  /** There is no network any more: nobody waits for a silence to say so. */
  offline(): void;
  /** The page may be put away and come back: the session waits as after a lost network. */
  putAway(): void;
  /** The client of this page has lost its thread: it is told everything anew. */
  again(): void;
  /** Leaves the session as it is. */
  stop(): void;
}

export function connectDesktop(
  wanted: Wanted,
  first: PictureSize & { scale: number },
  deps: DesktopLineDeps,
): DesktopLine {
  let shape = first;
  let socket: WebSocket | undefined;
  let sid = 'attach' in wanted ? wanted.attach.sid : undefined;
  let isOpen = false;
  let isOver = false;
  let wasOpen = false;
  let attempt = 0;
  let pinged: { id: number; at: number } | undefined;
  let pings = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const request = (): DesktopRequest => {
    const { width, height, scale } = shape;
    if (sid === undefined && 'open' in wanted) return { type: 'open', ...wanted.open, width, height, scale };
    const mode = 'attach' in wanted && wanted.attach.mode ? { mode: wanted.attach.mode } : {};
    return { type: 'attach', sid: sid ?? '', ...mode, width, height };
  };
  const tell = (message: DesktopCommand | DesktopRequest | SocketHello) => socket?.send(JSON.stringify(message));

  const sendFrame = (type: number, bytes: Uint8Array) => {
    if (!isOpen) return;
    const frame = new Uint8Array(1 + bytes.length);
    frame[0] = type;
    frame.set(bytes, 1);
    socket?.send(frame);
  };

  const connect = () => {
    retry = undefined;
    deps.onLine(wasOpen || attempt > 0 ? { is: 'reconnecting', attempt } : { is: 'connecting' });
    const opened = deps.openSocket();
    opened.binaryType = 'arraybuffer';
    socket = opened;
    listenForSilence();
    opened.addEventListener('open', () => {
      if (socket !== opened) return;
      tell({ type: 'hello', token: deps.token() ?? '' });
      tell(request());
      listenForSilence(OPENING_MS);
    });
    opened.addEventListener('message', (event: MessageEvent) => socket === opened && hear(event.data));
    opened.addEventListener('close', () => socket === opened && lost());
  };

  /** `again` at once where the line itself is good. */
  const lost = (again = false) => {
    clearTimeout(silence);
    pinged = undefined;
    isOpen = false;
    const closed = socket;
    socket = undefined;
    // Any other code than that of a page that goes away: the session then waits longer.
    closed?.close(isOver ? 1000 : LOST_CODE);
    if (isOver) return;
    attempt += 1;
    if (again) return connect();
    const longest = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
    // Spread out, so that a gateway that comes back is not met by everybody at once.
    const wait = longest * (0.5 + Math.random() / 2);
    deps.onLine({ is: 'reconnecting', attempt, retryAt: deps.now() + wait });
    retry = setTimeout(connect, wait);
  };

  const listenForSilence = (patienceMs = SILENT_MS) => {
    clearTimeout(silence);
    const isAtRest = isOpen && !pinged;
    silence = setTimeout(() => (isAtRest ? ping() : lost()), isAtRest ? PING_EVERY_MS : patienceMs);
  };
  const ping = (patienceMs?: number) => {
    pings += 1;
    pinged = { id: pings, at: deps.now() };
    tell({ type: 'ping', id: pings });
    listenForSilence(patienceMs);
  };

  const hear = (data: unknown) => {
    if (data instanceof ArrayBuffer) return hearBytes(new Uint8Array(data));
    const reply = desktopReply.safeParse(parseJson(data)).data;
    if (reply) hearReply(reply);
  };

  const hearBytes = (frame: Uint8Array) => {
    if (!isOpen) return;
    if (frame[0] === PICTURE_FRAME) deps.onPicture(frame.subarray(1));
    else if (frame[0] === FILES_FRAME) deps.onFiles(frame.subarray(1));
    else if (frame[0] === SOUND_FRAME) deps.onSound(frame.subarray(1));
  };

  const hearReply = (reply: DesktopReply) => {
    switch (reply.type) {
      case 'state':
        sid = reply.sid;
        isOpen = true;
        wasOpen = true;
        attempt = 0;
        deps.onState(reply);
        deps.onLine({ is: 'open' });
        return ping();
      case 'segment':
        return deps.onSegment({ width: reply.width, height: reply.height });
      case 'pong':
        if (pinged?.id !== reply.id) return;
        deps.onLatency(deps.now() - pinged.at);
        pinged = undefined;
        return listenForSilence();
      case 'factor':
        // Somebody looks for their key now: silence is no sign of anything.
        clearTimeout(silence);
        return deps.onFactor(reply.challenge);
      case 'ended':
        return over({ is: 'ended', ended: reply });
      case 'refused':
        return over({ is: 'refused', refused: reply });
      default:
        if (!isOpen) listenForSilence(OPENING_MS);
        return deps.onTold(reply);
    }
  };

  const over = (line: LineState) => {
    isOver = true;
    lost();
    deps.onLine(line);
  };

  connect();
  return {
    send: (bytes) => sendFrame(PICTURE_FRAME, bytes),
    sendFiles: (bytes) => sendFrame(FILES_FRAME, bytes),
    unshare() {
      if (isOpen) tell({ type: 'unshare' });
    },
    tellTransfer(command) {
      if (isOpen) tell(command);
      return isOpen;
    },
    resize(size, scale) {
      shape = { ...size, scale };
      if (isOpen) tell({ type: 'resize', ...size, scale });
    },
    watch(isHidden) {
      if (isOpen) tell({ type: 'watch', isHidden });
    },
    sound(isOn) {
      if (isOpen) tell({ type: 'sound', isOn });
    },
    answerFactor(answer) {
      tell({ type: 'factor', ...answer });
      listenForSilence(OPENING_MS);
    },
    end(reason) {
      // Nobody is there to be told: the session ends by itself after its grace time.
      if (isOpen) tell({ type: 'end', ...(reason ? { reason } : {}) });
    },
    check() {
      if (isOver) return;
      if (retry !== undefined) {
        clearTimeout(retry);
        connect();
      } else if (isOpen) ping(SILENT_AFTER_SLEEP_MS);
    },
    offline: () => !isOver && retry === undefined && lost(),
    putAway: () => socket?.close(LOST_CODE),
    again: () => !isOver && retry === undefined && lost(true),
    stop() {
      isOver = true;
      clearTimeout(retry);
      lost();
    },
  };
}
