/** Holds on to one desktop through lost networks, sleep and restarted gateways. */
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
import { NO_FACTOR } from '../../../shared/line/numbered-line.ts';
import {
  createSessionLine,
  type LineControls,
  type LineTry,
  OPENING_MS,
} from '../../../shared/session-line/session-line.ts';

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

export type LineState = LineTry | { is: 'ended'; ended: Ended } | { is: 'refused'; refused: Refused };

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

export interface DesktopLine extends LineControls {
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
  /** Nobody answers for a second factor: it is as if the gateway had refused. */
  refuse(): void;
  /** The owner closes it, or a moderator says why. */
  end(reason?: string): void;
  /** The client of this page has lost its thread: it is told everything anew. */
  again(): void;
}

export function connectDesktop(
  wanted: Wanted,
  first: PictureSize & { scale: number },
  deps: DesktopLineDeps,
): DesktopLine {
  let shape = first;
  let sid = 'attach' in wanted ? wanted.attach.sid : undefined;

  const request = (): DesktopRequest => {
    const { width, height, scale } = shape;
    if (sid === undefined && 'open' in wanted) return { type: 'open', ...wanted.open, width, height, scale };
    const mode = 'attach' in wanted && wanted.attach.mode ? { mode: wanted.attach.mode } : {};
    return { type: 'attach', sid: sid ?? '', ...mode, width, height };
  };

  const sendFrame = (type: number, bytes: Uint8Array) => {
    if (!line.isOpen()) return;
    const frame = new Uint8Array(1 + bytes.length);
    frame[0] = type;
    frame.set(bytes, 1);
    line.send(frame);
  };

  const hearBytes = (frame: Uint8Array) => {
    if (!line.isOpen()) return;
    if (frame[0] === PICTURE_FRAME) deps.onPicture(frame.subarray(1));
    else if (frame[0] === FILES_FRAME) deps.onFiles(frame.subarray(1));
    else if (frame[0] === SOUND_FRAME) deps.onSound(frame.subarray(1));
  };

  const hearReply = (reply: DesktopReply) => {
    switch (reply.type) {
      case 'state':
        sid = reply.sid;
        return line.opened(() => deps.onState(reply));
      case 'segment':
        return deps.onSegment({ width: reply.width, height: reply.height });
      case 'pong': {
        const ms = line.answered(reply.id);
        return ms === undefined ? undefined : deps.onLatency(ms);
      }
      case 'factor':
        // Somebody looks for their key now: silence is no sign of anything.
        line.expect();
        return deps.onFactor(reply.challenge);
      case 'ended':
        return over({ is: 'ended', ended: reply });
      case 'refused':
        return over({ is: 'refused', refused: reply });
      default:
        if (!line.isOpen()) line.expect(OPENING_MS);
        return deps.onTold(reply);
    }
  };

  const over = (state: LineState) => {
    line.over();
    deps.onLine(state);
  };

  const line = createSessionLine<DesktopCommand>({
    ...{ openSocket: deps.openSocket, token: deps.token, now: deps.now, onLine: deps.onLine },
    request,
    hear(data) {
      if (data instanceof ArrayBuffer) return hearBytes(new Uint8Array(data));
      const reply = desktopReply.safeParse(parseJson(data)).data;
      if (reply) hearReply(reply);
    },
  });
  line.begin();
  return {
    send: (bytes) => sendFrame(PICTURE_FRAME, bytes),
    sendFiles: (bytes) => sendFrame(FILES_FRAME, bytes),
    unshare: () => line.tellOpen({ type: 'unshare' }),
    tellTransfer(command) {
      line.tellOpen(command);
      return line.isOpen();
    },
    resize(size, scale) {
      shape = { ...size, scale };
      line.tellOpen({ type: 'resize', ...size, scale });
    },
    watch: (isHidden) => line.tellOpen({ type: 'watch', isHidden }),
    sound: (isOn) => line.tellOpen({ type: 'sound', isOn }),
    answerFactor: line.answerFactor,
    refuse: () => over({ is: 'refused', refused: { type: 'refused', code: 'mfa_required', message: NO_FACTOR } }),
    end: line.end,
    check: line.check,
    offline: line.offline,
    putAway: line.putAway,
    again: line.again,
    stop: line.stop,
  };
}
