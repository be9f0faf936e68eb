/** One session while this gateway serves it: who is in it, how long it may go on, and its end, which comes once. */
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import type { Actor } from '../../access/actor.ts';
import type { SessionOptions } from '../../access/session-options.ts';
import type { Session, SessionEnd } from './session-store.ts';

export interface Participant {
  id: string;
  actor: Actor;
  address: string;
  mode: ParticipantMode;
  since: number;
  lastActive: number;
  /** Shown the door: the session goes on without them. */
  onRemoved(end: SessionEnd): void;
}

/** How long a session waits for somebody to come back. */
export const GRACE_MS = {
  /** The page was closed or loaded again. */
  left: 30_000,
  /** The network, the browser or the whole laptop is gone. */
  lost: 5 * 60_000,
} as const;

export interface HostedDeps {
  session: Session;
  options: SessionOptions;
  now: () => number;
  onEnd(hosted: HostedSession, end: SessionEnd): void;
  onEnter(hosted: HostedSession, who: Participant): void;
  onLeave(hosted: HostedSession, who: Participant): void;
}

export class HostedSession {
  readonly session: Session;
  options: SessionOptions;
  /** Where a role lets sessions end with the sign-in they were opened under. */
  expires: number | undefined;
  readonly participants = new Map<string, Participant>();
  readonly #deps: HostedDeps;
  readonly #over = new AbortController();
  readonly #warned = new Set<string>();
  #end: SessionEnd | undefined;
  #lastActive: number;
  #aloneUntil: number;
  /** Another gateway has it now; nothing of it is ended from here. */
  released = false;

  constructor(deps: HostedDeps) {
    this.#deps = deps;
    this.session = deps.session;
    this.options = deps.options;
    this.#lastActive = deps.now();
    this.#aloneUntil = deps.now() + GRACE_MS.lost;
  }

  get id(): string {
    return this.session.id;
  }

  /** Aborted when it is over: whatever was opened for it is closed by this. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get end(): SessionEnd | undefined {
    return this.#end;
  }

  get lastActive(): number {
    return this.#lastActive;
  }

  enter(who: Omit<Participant, 'since' | 'lastActive'>): Participant {
    const now = this.#deps.now();
    const participant = { ...who, since: now, lastActive: now };
    this.participants.set(who.id, participant);
    this.#deps.onEnter(this, participant);
    return participant;
  }

  leave(id: string, how: keyof typeof GRACE_MS): void {
    const who = this.participants.get(id);
    if (!who) return;
    this.participants.delete(id);
    if (this.participants.size === 0) this.#aloneUntil = this.#deps.now() + GRACE_MS[how];
    this.#deps.onLeave(this, who);
  }

  /** Somebody did something. */
  active(id: string): void {
    const now = this.#deps.now();
    this.#lastActive = now;
    this.#warned.delete('idle');
    const who = this.participants.get(id);
    if (who) who.lastActive = now;
  }

  /** The first end is the end. */
  finish(end: SessionEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#over.abort(end);
    this.#deps.onEnd(this, end);
  }

  /** Why it should be over by now, if it should. */
  overdue(): SessionEnd | undefined {
    const now = this.#deps.now();
    const { maxSessionMs, idleTimeoutMs } = this.options;
    if (maxSessionMs !== undefined && now - this.session.created >= maxSessionMs)
      return { cause: 'max_length', message: `a role of yours lets sessions last ${tell(maxSessionMs)} at most` };
    if (this.expires !== undefined && now >= this.expires)
      return { cause: 'max_length', message: 'the sign-in it was opened under has expired' };
    if (idleTimeoutMs !== undefined && now - this.#lastActive >= idleTimeoutMs)
      return { cause: 'idle', message: `nothing was typed for ${tell(idleTimeoutMs)}` };
    if (this.participants.size === 0 && now >= this.#aloneUntil)
      return { cause: 'grace_over', message: 'nobody came back to it' };
    return undefined;
  }

  /** What its people should be told a minute before it happens, once. */
  soon(withinMs: number): { kind: 'ends_soon' | 'idle_soon'; text: string } | undefined {
    const now = this.#deps.now();
    const { maxSessionMs, idleTimeoutMs } = this.options;
    const once = (key: string) => !this.#warned.has(key) && this.#warned.add(key);
    if (maxSessionMs !== undefined && this.session.created + maxSessionMs - now <= withinMs && once('length'))
      return { kind: 'ends_soon', text: `this session ends in a minute: a role lets it last ${tell(maxSessionMs)}` };
    if (idleTimeoutMs === undefined || idleTimeoutMs <= 2 * withinMs) return undefined;
    if (this.#lastActive + idleTimeoutMs - now <= withinMs && once('idle'))
      return { kind: 'idle_soon', text: 'nothing was typed for a while: this session ends in a minute' };
    return undefined;
  }
}

function tell(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (ms < 60_000) return `${Math.round(ms / 1000)} seconds`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} minutes`;
}
