/** A socket to one session that is held through lost networks, sleep and restarted gateways: dialled again, and asked whether it is alive. What is said over it is for whoever holds it. */
import type { SocketHello } from '@gatehouse/contract/identity/change-frames';

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

/** `retryAt` is absent while it tries. */
export type LineTry = { is: 'connecting' | 'open' } | { is: 'reconnecting'; attempt: number; retryAt?: number };

export interface SessionLineDeps {
  openSocket: () => WebSocket;
  now: () => number;
  onLine(line: LineTry): void;
  token: () => string | undefined;
  /** What is wanted, said behind the hello over every socket that opens. */
  request(): object;
  hear(data: unknown): void;
  /** The socket is gone, for now or for good. */
  onGone?(): void;
  /** True where the gateway closed it so that trying again will not help. */
  isFinal?(code: number, reason: string): boolean;
  /** True where there is nothing to dial for. */
  isVain?(): boolean;
  /** Between the pings of a line at rest. */
  restMs?(pings: number): number;
}

/** What whoever looks at the session can do about its line. */
export interface LineControls {
  /** Does not wait for the next try; an open line is asked whether it is alive. */
  check(): void;
  /** There is no network any more: nobody waits for a silence to say so. */
  offline(): void;
  /** The page may be put away and come back: the session waits as after a lost network. */
  putAway(): void;
  /** Leaves the session as it is. */
  stop(): void;
}

/** `Command`: what may be said of the session once it is there. */
export interface SessionLine<Command extends object> extends LineControls {
  /** The session has answered: what is said goes there. */
  isOpen(): boolean;
  /** `told`: whoever holds it hears of the session before anybody hears that it is there. */
  opened(told: () => void): void;
  tell(command: Command): void;
  /** What is said before the session is there, or while it is away, is for nobody. */
  tellOpen(command: Command): void;
  answerFactor(answer: object): void;
  /** The session is to end. Where nobody is there to be told it ends by itself after its grace time. */
  end(reason?: string): void;
  send(frame: Uint8Array<ArrayBuffer>): void;
  /** Milliseconds since it was asked; undefined for an answer to nothing. */
  answered(ping: number): number | undefined;
  /** Longer than usual, before something that takes time; no number: silence is no sign of anything. */
  expect(patienceMs?: number): void;
  /** Its end is known: it is not dialled again. */
  over(): void;
  /** At once, where the line itself is good. */
  again(): void;
  /** After a while, as where the network is lost. */
  later(): void;
  /** To tell whether what comes later is of the same socket. */
  socket(): WebSocket | undefined;
  begin(): void;
}

/** Call `begin` once whoever holds it can hear. */
export function createSessionLine<Command extends object>(deps: SessionLineDeps): SessionLine<Command> {
  let socket: WebSocket | undefined;
  let isOpen = false;
  let isOver = false;
  let wasOpen = false;
  let attempt = 0;
  let pinged: { id: number; at: number } | undefined;
  let pings = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const tell = (message: object) => socket?.send(JSON.stringify(message));
  const tellOpen = (message: object) => isOpen && tell(message);

  const connect = () => {
    retry = undefined;
    if (deps.isVain?.()) return;
    deps.onLine(wasOpen || attempt > 0 ? { is: 'reconnecting', attempt } : { is: 'connecting' });
    const opened = deps.openSocket();
    opened.binaryType = 'arraybuffer';
    socket = opened;
    listenForSilence();
    opened.addEventListener('open', () => {
      if (socket !== opened) return;
      tell({ type: 'hello', token: deps.token() ?? '' } satisfies SocketHello);
      tell(deps.request());
      listenForSilence(OPENING_MS);
    });
    opened.addEventListener('message', (event: MessageEvent) => socket === opened && deps.hear(event.data));
    opened.addEventListener('close', ({ code, reason }: CloseEvent) => {
      if (socket === opened && !deps.isFinal?.(code, reason)) lost();
    });
  };

  const lost = (again = false) => {
    clearTimeout(silence);
    deps.onGone?.();
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
    const rest = deps.restMs?.(pings) ?? PING_EVERY_MS;
    silence = setTimeout(() => (isAtRest ? ping() : lost()), isAtRest ? rest : patienceMs);
  };
  const ping = (patienceMs?: number) => {
    pings += 1;
    pinged = { id: pings, at: deps.now() };
    tell({ type: 'ping', id: pings });
    listenForSilence(patienceMs);
  };

  return {
    isOpen: () => isOpen,
    socket: () => socket,
    begin: connect,
    opened(told) {
      isOpen = true;
      wasOpen = true;
      attempt = 0;
      told();
      deps.onLine({ is: 'open' });
      ping();
    },
    tell,
    tellOpen,
    answerFactor(answer) {
      tell({ type: 'factor', ...answer });
      listenForSilence(OPENING_MS);
    },
    end: (reason) => tellOpen({ type: 'end', ...(reason ? { reason } : {}) }),
    send: (frame) => socket?.send(frame),
    answered(id) {
      if (pinged?.id !== id) return undefined;
      const ms = deps.now() - pinged.at;
      pinged = undefined;
      listenForSilence();
      return ms;
    },
    expect(patienceMs) {
      if (patienceMs === undefined) clearTimeout(silence);
      else listenForSilence(patienceMs);
    },
    over() {
      isOver = true;
      lost();
    },
    again: () => !isOver && retry === undefined && lost(true),
    later: () => !isOver && retry === undefined && lost(),
    check() {
      if (isOver) return;
      if (retry !== undefined) {
        clearTimeout(retry);
        connect();
      } else if (isOpen) ping(SILENT_AFTER_SLEEP_MS);
    },
    offline: () => !isOver && retry === undefined && lost(),
    putAway: () => socket?.close(LOST_CODE),
    stop() {
      isOver = true;
      clearTimeout(retry);
      lost();
    },
  };
}
