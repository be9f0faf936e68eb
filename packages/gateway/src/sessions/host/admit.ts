/** Whether somebody may have a session with a resource, and under which terms. Everything that opens one passes here. */
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { type Action, type Connect, namesIn } from '../../access/action.ts';
import { ActionDenied } from '../../access/action-denied.ts';
import type { AccessControl } from '../../access/create-access.ts';
import { type SessionOptions, sessionOptions } from '../../access/session-options.ts';
import type { Denials } from '../../identity/explain/record-denials.ts';
import type { Actor, Caller } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { type JoinRule, joinRules } from './moderation.ts';
import type { SessionAudit } from './session-audit.ts';
import { natureOf, type SessionNature, type SessionParts } from './session-parts.ts';
import type { Session, SessionAction, SessionEnd } from './session-store.ts';

export interface AdmitDeps {
  db: Db;
  access: AccessControl;
  denials: Denials;
  audit: SessionAudit;
  log: Log;
}

export interface AdmitRequest {
  /** What they hold is asked for at each decision: between two of them somebody looks for their key. */
  caller: Caller;
  action: SessionAction;
  address: string;
  /** What the caller is shown, for looking a refusal up. */
  requestId: string;
  /** Where it was asked: `terminal`. */
  call: string;
  /** What it differs in from other sessions with that kind. */
  nature?: SessionNature;
  /** Asks the person for a second factor; throws why it was not taken. */
  proveFactor(): Promise<void>;
}

export interface Terms {
  options: SessionOptions;
  mfa: boolean;
  /** Who must be in it before anything passes. */
  rules: readonly JoinRule[];
}

export const UNPROVEN =
  'a role of yours asks for a second factor at every connection, and none was given for this one: connect again';

export async function admit(deps: AdmitDeps, asked: AdmitRequest): Promise<Terms> {
  const before = await requireConnect(deps, asked);
  if (!before?.options.requireMfa) return before ?? { options: sessionOptions({ roles: [] }), mfa: false, rules: [] };
  await asked.proveFactor();
  // Proving took a while: what was allowed before may not be any more.
  const now = await requireConnect(deps, asked);
  return { ...(now ?? before), mfa: true };
}

/** The terms under which it is allowed now; none for who owns the machine. Throws why not. */
async function requireConnect(deps: AdmitDeps, asked: AdmitRequest): Promise<Terms | undefined> {
  const { caller, action, requestId, call } = asked;
  const actor = await caller.now();
  const refusal = whyNot(deps.access, actor, action);
  if (!refusal) {
    if (actor.isOwner) return undefined;
    const held = deps.access.of(actor);
    const rules = joinRules(held, factsOf(action.kind).sessionKind);
    const { cannotWait } = natureOf(action.kind, asked.nature);
    if (cannotWait && rules.length > 0) throw new AppError('denied', unwatched(action.kind));
    return { options: sessionOptions(held), mfa: false, rules };
  }
  const { message } = refusal;
  try {
    await deps.denials.record({ id: requestId, actor, call, message, action });
    await deps.db.transaction().execute((tx) => deps.audit.denied(tx, asked, { reason: message, requestId }));
  } catch (error) {
    deps.log.error({ error }, 'a refused session could not be kept');
  }
  throw new AppError('denied', message);
}

/** Undefined while it is allowed. The words are for the person it is refused to. */
export function whyNot(access: AccessControl, actor: Actor, action: Action): SessionEnd | undefined {
  if (access.decide(actor, action).allowed) return undefined;
  if (actor.isNarrowed) return { cause: 'denied', message: 'this token may not connect anywhere' };
  const lock = access.lockFor(actor, action);
  if (lock) {
    const { target } = lock;
    // Its reason is for administrators, as the dialog says that asks for it.
    return { cause: 'locked', message: `the ${target.kind} '${target.name}' is locked` };
  }
  if (action.type === 'connect') return denied(refusal(action));
  return denied(new ActionDenied(action).message);
}

function refusal(action: Connect): string {
  const { refusedVerb = 'connect to', principals } = factsOf(action.kind);
  const names = principals.flatMap((principal) => namesIn(action, principal)).map((name) => `'${name}'`);
  const as = names.length === 0 ? '' : ` as ${names.join(', ')}`;
  return `access denied: none of your roles lets you ${refusedVerb} '${action.resource.name}'${as}`;
}

function unwatched(kind: Kind): string {
  const { watchedAt } = factsOf(kind);
  return `a role of yours lets this be done only under the eyes of a moderator${watchedAt ? `: use ${watchedAt}` : ''}`;
}

/** Whether a role wants a second factor of somebody who comes into the session of another. The owner gave theirs at its opening. */
export function wantsFactor(access: AccessControl, guest: Actor, { user }: Pick<Session, 'user'>): boolean {
  return !guest.isOwner && guest.username !== user && sessionOptions(access.of(guest)).requireMfa;
}

/** Why somebody who came into the session of another may not stay. */
export function whyOut(
  access: AccessControl,
  guest: Actor,
  { session, joining, mfa }: { session: Pick<Session, 'user'>; joining: Action; mfa: boolean },
): SessionEnd | undefined {
  const refusal = whyNot(access, guest, joining);
  if (refusal) return refusal;
  return !mfa && wantsFactor(access, guest, session) ? denied(UNPROVEN) : undefined;
}

/** Why a session that was allowed once may not go on: also for what a role has asked for since and cannot be had any more. */
export function whyOver(access: AccessControl, owner: Actor, hosted: Decidable): SessionEnd | undefined {
  const { action, mfa } = hosted.session;
  const refusal = whyNot(access, owner, action) ?? hosted.parts.whyNot(owner);
  if (refusal) return refusal;
  const held = access.of(owner);
  if (!mfa && sessionOptions(held).requireMfa) return denied(UNPROVEN);
  // What others can watch is frozen until somebody does; nothing else can be.
  const isUnwatched = hosted.nature.cannotWait && joinRules(held, factsOf(action.kind).sessionKind).length > 0;
  return isUnwatched ? denied(unwatched(action.kind)) : undefined;
}

interface Decidable {
  session: Pick<Session, 'action' | 'mfa'>;
  nature: SessionNature;
  parts: Pick<SessionParts, 'whyNot'>;
}

function denied(message: string): SessionEnd {
  return { cause: 'denied', message };
}
