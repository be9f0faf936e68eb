/** One session while this gateway serves it: who is in it, whether anything may pass, how long it may go on, and its end, which comes once. */
import type { Flow, ParticipantMode, SessionNeed } from '@gatehouse/contract/sessions/terminal-frames';
import type { SessionOptions } from '../../access/session-options.ts';
import type { Actor, Who } from '../../platform/http/actor.ts';
import { endsWhenUnmet, type JoinRule, needsOf, type Present, unmetRules } from './moderation.ts';
import { Presence } from './presence.ts';
import { type SessionNature, SessionParts } from './session-parts.ts';
import type { Session, SessionEnd } from './session-store.ts';
import type { Resize } from './tell-resizes.ts';

export interface Participant extends Who {
  id: string;
  address: string;
  mode: ParticipantMode;
  /** They proved a second factor when they came. Of the owner the session itself says it. */
  mfa?: boolean;
  since: number;
  lastActive: number;
  /** The wishes of roles that they fulfil by being here, as was last decided. */
  counts: ReadonlySet<string>;
  /** Shown the door: the session goes on without them. */
  onRemoved(end: SessionEnd): void;
}

/** Bytes as the far end counts them: what it sent to people, and what it had from them. */
export interface Traffic {
  sent: number;
  received: number;
}

/** What was decided about a session and, by their ids, about the people in it. */
export interface Decided {
  options: SessionOptions;
  rules: readonly JoinRule[];
  expires: number | undefined;
  counts: ReadonlyMap<string, ReadonlySet<string>>;
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
  nature?: SessionNature;
  /** Who must be in it before anything passes. */
  rules: readonly JoinRule[];
  now: () => number;
  onEnd(hosted: HostedSession, end: SessionEnd): void;
  onEnter(hosted: HostedSession, who: Participant): void;
  onLeave(hosted: HostedSession, who: Participant): void;
  /** Shown out by the gateway; `onLeave` follows. */
  onRemove(hosted: HostedSession, who: Participant, why: SessionEnd): void;
  /** Once, when what was dialled is there. */
  onConnected(hosted: HostedSession): void;
  /** A part failed at what it was told. */
  onFault?(hosted: HostedSession, error: unknown): void;
  onResize(hosted: HostedSession, resize: Resize): void;
  /** After every other listener of `onFlow`. */
  onFlow(hosted: HostedSession): void;
}

/** Somebody came or left, counts for what roles ask for, or began or stopped typing. */
export type OnPeople = (what: 'came' | 'left' | 'counts' | 'typing', who: Participant) => void;

/** What an engine asks and hears. It calls `mayType` and `mayWatch` for every piece of input and output it moves. */
export interface SessionPeople {
  onPeople(listener: OnPeople): void;
  /** Called before the next byte can pass. */
  onFlow(listener: (flow: Flow) => void): void;
}

const LEFT_ALONE: SessionEnd = {
  cause: 'moderator_left',
  message: 'a moderator left, without whom a role does not let this session go on',
};

export class HostedSession implements SessionPeople {
  readonly session: Session;
  options: SessionOptions;
  /** Where a role lets sessions end with the sign-in they were opened under. */
  expires: number | undefined;
  readonly participants = new Map<string, Participant>();
  readonly nature: SessionNature;
  readonly parts = new SessionParts();
  readonly #deps: HostedDeps;
  readonly #over = new AbortController();
  readonly #warned = new Set<string>();
  #end: SessionEnd | undefined;
  #lastActive: number;
  #aloneUntil: number;
  #rules: readonly JoinRule[];
  #flow: Flow;
  #flowSince: number;
  #suspended = false;
  /** By a gateway that knows not who was there before. */
  #isFoundFrozen: boolean;
  readonly #begun = Promise.withResolvers<void>();
  readonly #flowListeners: ((flow: Flow) => void)[] = [];
  readonly #peopleListeners: OnPeople[] = [];
  readonly #presence = new Presence((id) => this.#tellPeople('typing', id));
  /** Another gateway has it now; nothing of it is ended from here. */
  released = false;
  /** Asked of the engine when it is over. */
  traffic: () => Traffic | undefined = () => undefined;

  constructor(deps: HostedDeps) {
    this.#deps = deps;
    this.session = deps.session;
    this.options = deps.options;
    this.nature = deps.nature ?? {};
    this.#lastActive = deps.now();
    this.#aloneUntil = deps.now() + this.graceMs('lost');
    this.#rules = this.nature.isUnmoderated ? [] : deps.rules;
    this.#flow = this.#wantedFlow();
    this.#flowSince = deps.now();
    this.#isFoundFrozen = this.#flow === 'frozen';
    if (this.#flow !== 'waiting') this.#begun.resolve();
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

  /** A role lets it go on only while it is recorded. */
  get isStrictlyRecorded(): boolean {
    return this.options.recording[this.session.action.kind] === 'strict';
  }

  get lastActive(): number {
    return this.#lastActive;
  }

  /** `waiting`: nothing was dialled yet. `frozen`: it was, and neither input nor output passes. */
  get flow(): Flow {
    return this.#flow;
  }

  get flowSince(): number {
    return this.#flowSince;
  }

  /** Resolves when it may begin; never for one that ends before. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  get rules(): readonly JoinRule[] {
    return this.#rules;
  }

  /** At once: between two halves of a decision nothing may pass. */
  apply({ options, rules, expires, counts }: Decided): void {
    this.options = options;
    this.expires = expires;
    this.#rules = this.nature.isUnmoderated ? [] : rules;
    for (const who of this.participants.values()) who.counts = counts.get(who.id) ?? who.counts;
    this.reconsider();
  }

  /** Tells its parts the terms of now; one that cannot take them has no terms to go on under. */
  tellTerms(owner: Actor): void {
    const errors = this.parts.tellTerms(owner);
    for (const error of errors) this.#deps.onFault?.(this, error);
    if (errors.length > 0)
      this.finish({ cause: 'failed', message: 'the gateway cannot tell under which terms it goes on' });
  }

  counts(id: string, counts: ReadonlySet<string>): void {
    const who = this.participants.get(id);
    if (!who) return;
    who.counts = counts;
    this.reconsider();
    if (counts.size > 0) this.#tellPeople('counts', id);
  }

  /** Shown out. They count no longer from now on, however long their line takes to close. */
  remove(who: Participant, why: SessionEnd): void {
    if (this.participants.has(who.id)) this.#deps.onRemove(this, who, why);
    who.onRemoved(why);
    this.leave(who.id, 'left');
  }

  /** Who is still to come. */
  get needs(): SessionNeed[] {
    const present = this.#present();
    return needsOf(unmetRules(this.#rules, this.session.user, present), this.session.user, present);
  }

  /** Held up by the gateway itself, whoever is there. */
  get isSuspended(): boolean {
    return this.#suspended;
  }

  /** While nobody can tell who may still be here. */
  suspend(suspended: boolean): void {
    this.#suspended = suspended;
    this.reconsider();
  }

  onFlow(listener: (flow: Flow) => void): void {
    this.#flowListeners.push(listener);
  }

  onPeople(listener: OnPeople): void {
    this.#peopleListeners.push(listener);
  }

  mayType(id: string): boolean {
    return this.#flow === 'live' && !this.#end && this.participants.get(id)?.mode === 'peer';
  }

  /** A moderator goes on seeing what others do not see meanwhile. */
  mayWatch(id: string): boolean {
    if (this.#suspended) return false;
    if (this.#flow !== 'frozen') return this.#flow === 'live';
    const who = this.participants.get(id);
    return who?.mode === 'moderator' && who.username !== this.session.user;
  }

  isTyping(id: string): boolean {
    return this.#presence.isTyping(id);
  }

  enter(who: Omit<Participant, 'since' | 'lastActive' | 'counts'>): Participant {
    const now = this.#deps.now();
    const participant: Participant = { ...who, since: now, lastActive: now, counts: new Set() };
    this.participants.set(who.id, participant);
    this.#deps.onEnter(this, participant);
    this.reconsider();
    this.#tellPeople('came', who.id);
    return participant;
  }

  /** A role may want less patience with who is lost than is usual, or more. */
  graceMs(how: keyof typeof GRACE_MS): number {
    return (how === 'lost' ? this.options.graceMs : undefined) ?? GRACE_MS[how];
  }

  leave(id: string, how: keyof typeof GRACE_MS): void {
    const who = this.participants.get(id);
    if (!who) return;
    const before = this.#present();
    const wasKept = this.#isKept();
    this.participants.delete(id);
    this.#presence.left(id);
    if (wasKept && !this.#isKept()) this.#aloneUntil = this.#deps.now() + this.graceMs(how);
    // First of all: not one byte more than they have seen.
    this.reconsider(before);
    this.#deps.onLeave(this, who);
    for (const listener of this.#peopleListeners) listener('left', who);
  }

  /** They may be counted otherwise than before: somebody came or went, or roles have changed. */
  reconsider(before?: readonly Present[]): void {
    const flow = this.#wantedFlow();
    if (flow !== this.#flow && !this.#end) {
      this.#flow = flow;
      this.#flowSince = this.#deps.now();
      this.#isFoundFrozen = false;
      this.session.frozen = flow === 'frozen';
      if (flow === 'live') this.session.begun ??= this.#deps.now();
      for (const listener of this.#flowListeners) listener(flow);
      if (flow === 'live') this.#begun.resolve();
      this.#deps.onFlow(this);
    }
    if (flow === 'frozen' && before && this.#endsWithout(before)) this.finish(LEFT_ALONE);
  }

  /** Somebody did something. */
  active(id: string): void {
    const now = this.#deps.now();
    this.#lastActive = now;
    this.#warned.delete('idle');
    const who = this.participants.get(id);
    if (!who) return;
    who.lastActive = now;
    this.#presence.typed(id);
  }

  /** What was dialled answered and let them in. */
  connected(): void {
    if (this.session.connected !== undefined) return;
    this.session.connected = this.#deps.now();
    this.#deps.onConnected(this);
  }

  resized(resize: Resize): void {
    this.#deps.onResize(this, resize);
  }

  /** The first end is the end. */
  finish(end: SessionEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#presence.close();
    this.#over.abort(end);
    for (const error of this.parts.finish(end)) this.#deps.onFault?.(this, error);
    this.#deps.onEnd(this, end);
  }

  /** Over on this gateway; whoever keeps it knows what becomes of it. */
  letGo(end: SessionEnd): void {
    this.released = true;
    this.finish(end);
  }

  /** Why it should be over by now, if it should. */
  overdue(): SessionEnd | undefined {
    const now = this.#deps.now();
    const { maxSessionMs, idleTimeoutMs } = this.options;
    if (maxSessionMs !== undefined && now - this.session.created >= maxSessionMs)
      return { cause: 'max_length', message: `a role of yours lets sessions last ${tell(maxSessionMs)} at most` };
    if (this.expires !== undefined && now >= this.expires)
      return { cause: 'max_length', message: 'the sign-in it was opened under has expired' };
    if (idleTimeoutMs !== undefined && now - this.#lastActive >= idleTimeoutMs && this.#mayBeIdle())
      return {
        cause: 'idle',
        message: `nothing was ${this.nature.cannotWait ? 'done' : 'typed'} for ${tell(idleTimeoutMs)}`,
      };
    // Of a guest only who keeps it knows whether somebody is there.
    if (!this.nature.isGuest && !this.#isKept() && now >= this.#aloneUntil)
      return { cause: 'grace_over', message: 'nobody came back to it' };
    if (this.#isFoundFrozen && now - this.#flowSince >= GRACE_MS.left && this.#endsWithout(undefined))
      return LEFT_ALONE;
    return undefined;
  }

  #mayBeIdle(): boolean {
    return !this.nature.neverIdle && !this.parts.isBusy();
  }

  /** Who only looks on keeps nothing running. */
  isKeptBy(id: string): boolean {
    const who = this.participants.get(id);
    return who !== undefined && (who.mode === 'peer' || who.username === this.session.user);
  }

  #isKept(): boolean {
    return [...this.participants.keys()].some((id) => this.isKeptBy(id));
  }

  #present(): Present[] {
    // Copies: what they count for is compared with what it was.
    return [...this.participants.values()].map(({ username, counts }) => ({ username, counts }));
  }

  #wantedFlow(): Flow {
    const unmet = unmetRules(this.#rules, this.session.user, this.#present());
    if (unmet.length === 0 && !this.#suspended) return 'live';
    return this.session.begun === undefined ? 'waiting' : 'frozen';
  }

  #endsWithout(before: readonly Present[] | undefined): boolean {
    const { user } = this.session;
    const unmet = unmetRules(this.#rules, user, this.#present());
    return unmet.some((rule) => endsWhenUnmet(rule, user, before));
  }

  #tellPeople(what: 'came' | 'counts' | 'typing', id: string): void {
    const who = this.participants.get(id);
    if (who) for (const listener of this.#peopleListeners) listener(what, who);
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
