/** One socket to a Kubernetes cluster: numbers what is asked, brings each answer to whoever asked, and asks again after it was lost. */
import type { SocketHello } from '@gatehouse/contract/identity/change-frames';
import type { AuthenticateChallenge, FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import {
  type BrowseOpening,
  type BrowseReply,
  type BrowseRequest,
  browseReply,
} from '@gatehouse/contract/kinds/kube/browse';
import { parseJson } from '@gatehouse/contract/std/parse-json';

export const FIRST_WAIT_MS = 500;
export const MAX_WAIT_MS = 10_000;
/** A gateway that has not heard of the end of a line says nothing on the next one either. */
export const OPENING_MS = 60_000;

/** What was said is not understood; trying again will not help. */
const BAD_MESSAGE = 1008;

export type Ready = Extract<BrowseReply, { type: 'ready' }>;
export type Refused = Extract<BrowseReply, { type: 'refused' }>;
export type Ended = Extract<BrowseReply, { type: 'ended' }>;
export type Failed = Extract<BrowseReply, { type: 'failed' }>;
export type Answer = Extract<BrowseReply, { id: number }>;
type Numbered = Exclude<Extract<BrowseRequest, { id: number }>, { type: 'ack' | 'cancel' }>;
type WithoutId<Request> = Request extends { id: number } ? Omit<Request, 'id'> : never;
export type Question = WithoutId<Numbered>;

/** What is told to whoever waits for an answer that cannot come any more. */
export const LINE_LOST = 'LineLost';

/** Said in the words of whoever shows it. */
export const NO_FACTOR = '';

export type LineState =
  | { is: 'connecting' }
  | { is: 'ready'; ready: Ready }
  /** `retryAt` is absent while it tries. */
  | { is: 'lost'; attempt: number; retryAt?: number }
  | { is: 'ended'; ended: Ended }
  | { is: 'refused'; refused: Refused };

export interface LineDeps {
  openSocket: () => WebSocket;
  token: () => string | undefined;
  now: () => number;
  opening: Omit<BrowseOpening, 'type'>;
  onLine: (line: LineState) => void;
  onFactor: (challenge: AuthenticateChallenge) => void;
}

/** True: nothing more is expected. */
export type Hear = (answer: Answer) => boolean;

export interface BrowseLine {
  /** The id, or nothing while there is nobody to ask. */
  ask(question: Question, hear: Hear): number | undefined;
  /** Nobody wants to hear more of it. */
  cancel(id: number): void;
  answerFactor(answer: FactorAnswer): void;
  /** Does not wait for the next try; after an end, begins anew. */
  again(): void;
  /** Nobody answers for a second factor: it is as if the gateway had refused. */
  refuse(): void;
  stop(): void;
}

export function connectBrowse(deps: LineDeps): BrowseLine {
  const waiting = new Map<number, Hear>();
  let socket: WebSocket | undefined;
  let isReady = false;
  let isOver = false;
  let wasReady = false;
  let attempt = 0;
  let last = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const send = (message: object) => socket?.send(JSON.stringify(message));

  const connect = () => {
    retry = undefined;
    isOver = false;
    deps.onLine(wasReady || attempt > 0 ? { is: 'lost', attempt } : { is: 'connecting' });
    const opened = deps.openSocket();
    socket = opened;
    beSilentFor(OPENING_MS);
    opened.addEventListener('open', () => {
      if (socket !== opened) return;
      send({ type: 'hello', token: deps.token() ?? '' } satisfies SocketHello);
      send({ type: 'open', ...deps.opening } satisfies BrowseOpening);
      beSilentFor(OPENING_MS);
    });
    opened.addEventListener('message', (event: MessageEvent) => socket === opened && hear(event.data));
    opened.addEventListener('close', ({ code, reason }: CloseEvent) => {
      if (socket !== opened) return;
      if (code === BAD_MESSAGE)
        over({ is: 'refused', refused: { type: 'refused', code: 'bad_request', message: reason } });
      else lost();
    });
  };

  const beSilentFor = (ms: number | undefined) => {
    clearTimeout(silence);
    silence = ms === undefined ? undefined : setTimeout(lost, ms);
  };

  const hear = (data: unknown) => {
    const reply = browseReply.safeParse(parseJson(data)).data;
    if (!reply) return;
    switch (reply.type) {
      case 'ready':
        beSilentFor(undefined);
        isReady = true;
        wasReady = true;
        attempt = 0;
        return deps.onLine({ is: 'ready', ready: reply });
      case 'factor':
        // Somebody looks for their key now: silence is no sign of anything.
        beSilentFor(undefined);
        return deps.onFactor(reply.challenge);
      case 'ended':
        return over({ is: 'ended', ended: reply });
      case 'refused':
        return over({ is: 'refused', refused: reply });
      default:
        if (waiting.get(reply.id)?.(reply)) waiting.delete(reply.id);
        // Taken: the gateway may send more.
        if ('seq' in reply) send({ type: 'ack', id: reply.id, seq: reply.seq } satisfies BrowseRequest);
    }
  };

  /** Whoever waits hears it: an answer will not come on another line. */
  const letGo = (message: string) => {
    beSilentFor(undefined);
    isReady = false;
    const closed = socket;
    socket = undefined;
    closed?.close();
    const asked = [...waiting];
    waiting.clear();
    for (const [id, hearLast] of asked) hearLast({ type: 'failed', id, status: 0, reason: LINE_LOST, message });
  };

  const lost = () => {
    letGo('');
    if (isOver) return;
    attempt += 1;
    const longest = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
    // Spread out, so that a gateway that comes back is not met by everybody at once.
    const wait = longest * (0.5 + Math.random() / 2);
    retry = setTimeout(connect, wait);
    deps.onLine({ is: 'lost', attempt, retryAt: deps.now() + wait });
  };

  const over = (line: Extract<LineState, { is: 'ended' | 'refused' }>) => {
    isOver = true;
    letGo(line.is === 'ended' ? line.ended.message : line.refused.message);
    deps.onLine(line);
  };

  connect();
  return {
    ask(question, hearAnswer) {
      if (!isReady) return undefined;
      last += 1;
      waiting.set(last, hearAnswer);
      send({ ...question, id: last });
      return last;
    },
    cancel(id) {
      if (waiting.delete(id) && isReady) send({ type: 'cancel', id } satisfies BrowseRequest);
    },
    answerFactor(answer) {
      send({ type: 'factor', ...answer });
      beSilentFor(OPENING_MS);
    },
    again() {
      if (isOver) attempt = 0;
      if (isOver || retry !== undefined) {
        clearTimeout(retry);
        connect();
      }
    },
    refuse: () => over({ is: 'refused', refused: { type: 'refused', code: 'mfa_required', message: NO_FACTOR } }),
    stop() {
      isOver = true;
      clearTimeout(retry);
      letGo('');
    },
  };
}
