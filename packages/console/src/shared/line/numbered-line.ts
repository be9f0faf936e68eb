/** One socket to a thing people work in from a page: numbers what is asked, brings each answer to whoever asked, and tries again when it was lost. */
import type { SocketHello } from '@gatehouse/contract/identity/change-frames';
import type { AuthenticateChallenge, FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import type { endedFrame, refusedFrame } from '@gatehouse/contract/wire/last-frames';
import type { z } from 'zod';

export const FIRST_WAIT_MS = 500;
export const MAX_WAIT_MS = 10_000;
/** A gateway that has not heard of the end of a line says nothing on the next one either. */
export const OPENING_MS = 60_000;

/** What was said is not understood; trying again will not help. */
const BAD_MESSAGE = 1008;

/** Said in the words of whoever shows it. */
export const NO_FACTOR = '';

export type LineEnd = Omit<z.output<typeof endedFrame>, 'type'>;
export type LineRefusal = Omit<z.output<typeof refusedFrame>, 'type'>;

export type LineState<Ready> =
  | { is: 'connecting' }
  | { is: 'ready'; ready: Ready }
  /** `retryAt` is absent while it tries. */
  | { is: 'lost'; attempt: number; retryAt?: number }
  | { is: 'ended'; ended: LineEnd }
  | { is: 'refused'; refused: LineRefusal };

/** A question before it has its number. */
export type WithoutId<Request> = Request extends { id: number } ? Omit<Request, 'id'> : never;

/** What is said of the line itself, whatever is asked over it. */
export type LineReply<Ready extends { type: 'ready' }> =
  | Ready
  | { type: 'factor'; challenge: AuthenticateChallenge }
  | z.output<typeof endedFrame>
  | z.output<typeof refusedFrame>;

/** Where the replies of the gateway go, whatever a kind calls them. */
export interface LineEars<Ready, Answer> {
  ready(ready: Ready): void;
  factor(challenge: AuthenticateChallenge): void;
  ended(end: LineEnd): void;
  refused(refusal: LineRefusal): void;
  answer(answer: Answer): void;
  /** It waits for others, for as long as they take. */
  waits(): void;
}

export interface NumberedLineDeps<Ready, Answer extends { id: number }> {
  openSocket: () => WebSocket;
  token: () => string | undefined;
  now: () => number;
  /** Said behind the hello. */
  opening: object;
  /** Passes what the gateway says on to one of the ears, or to none. */
  hear: (data: unknown, ears: LineEars<Ready, Answer>) => void;
  /** What whoever waits is told in the place of an answer that cannot come any more. */
  lost: (id: number, message: string) => Answer;
  onLine: (line: LineState<Ready>) => void;
  onFactor: (challenge: AuthenticateChallenge) => void;
}

export interface NumberedLine<Answer> {
  /** The id, or nothing while there is nobody to ask. `hear` is true when nothing more is expected. */
  ask(question: object, hear: (answer: Answer) => boolean): number | undefined;
  /** About something that was asked before. */
  tell(message: object): void;
  /** Nobody wants to hear more of it. Says whether an answer was still awaited. */
  forget(id: number): boolean;
  answerFactor(answer: FactorAnswer): void;
  /** Does not wait for the next try; after an end, begins anew. */
  again(): void;
  /** Nobody answers for a second factor: it is as if the gateway had refused. */
  refuse(): void;
  stop(): void;
}

export function isOfLine<Reply extends { type: string }>(
  reply: Reply,
): reply is Extract<Reply, { type: 'ready' | 'factor' | 'ended' | 'refused' }> {
  return reply.type === 'ready' || reply.type === 'factor' || reply.type === 'ended' || reply.type === 'refused';
}

export function hearOfLine<Ready extends { type: 'ready' }, Answer>(
  reply: LineReply<Ready>,
  ears: LineEars<Ready, Answer>,
): void {
  switch (reply.type) {
    case 'ready':
      ears.ready(reply);
      break;
    case 'factor':
      ears.factor(reply.challenge);
      break;
    case 'ended':
      ears.ended(reply);
      break;
    case 'refused':
      ears.refused(reply);
      break;
    default:
      reply satisfies never;
  }
}

export function connectLine<Ready, Answer extends { id: number }>(
  deps: NumberedLineDeps<Ready, Answer>,
): NumberedLine<Answer> {
  const waiting = new Map<number, (answer: Answer) => boolean>();
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
      send({ type: 'open', ...deps.opening });
      beSilentFor(OPENING_MS);
    });
    opened.addEventListener('message', (event: MessageEvent) => socket === opened && deps.hear(event.data, ears));
    opened.addEventListener('close', ({ code, reason }: CloseEvent) => {
      if (socket !== opened) return;
      if (code === BAD_MESSAGE) over({ is: 'refused', refused: { code: 'bad_request', message: reason } });
      else lost();
    });
  };

  const beSilentFor = (ms: number | undefined) => {
    clearTimeout(silence);
    silence = ms === undefined ? undefined : setTimeout(lost, ms);
  };

  const ears: LineEars<Ready, Answer> = {
    ready(ready) {
      beSilentFor(undefined);
      isReady = true;
      wasReady = true;
      attempt = 0;
      deps.onLine({ is: 'ready', ready });
    },
    factor(challenge) {
      // Somebody looks for their key now: silence is no sign of anything.
      beSilentFor(undefined);
      deps.onFactor(challenge);
    },
    waits: () => beSilentFor(undefined),
    ended: (ended) => over({ is: 'ended', ended }),
    refused: (refused) => over({ is: 'refused', refused }),
    answer(answer) {
      if (waiting.get(answer.id)?.(answer)) waiting.delete(answer.id);
    },
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
    for (const [id, hearLast] of asked) hearLast(deps.lost(id, message));
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

  const over = (line: Extract<LineState<Ready>, { is: 'ended' | 'refused' }>) => {
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
    tell: (message) => isReady && send(message),
    forget: (id) => waiting.delete(id),
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
    refuse: () => over({ is: 'refused', refused: { code: 'mfa_required', message: NO_FACTOR } }),
    stop() {
      isOver = true;
      clearTimeout(retry);
      letGo('');
    },
  };
}
