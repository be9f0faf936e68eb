/** Whether somebody may come into a session that is open, and as what: asked by every door through which people join. */
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import type { AccessControl } from '../../access/create-access.ts';
import type { Actor, Caller } from '../../platform/http/actor.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { UNPROVEN, wantsFactor, whyNot } from './admit.ts';
import type { SessionHost } from './session-host.ts';
import { joining, maySee } from './session-rights.ts';
import type { Session } from './session-store.ts';

export interface JoinDeps {
  access: AccessControl;
  host: Pick<SessionHost, 'owner'>;
  /** Throws while nobody can tell who may still do what. */
  requireStore(): void;
}

/** Who wants to come in. */
export interface Joiner {
  caller: Caller;
  /** Asks the person for a second factor; throws why it was not taken. */
  proveFactor(): Promise<void>;
}

/** As `requireJoin`, and asks for the second factor where a role wants one at each connection. True: it was proven. Of what is over there is only its end to hear. */
export async function admitJoin(
  deps: JoinDeps,
  session: Session,
  { caller, proveFactor }: Joiner,
  mode: ParticipantMode,
): Promise<boolean> {
  const actor = await caller.now();
  await requireJoin(deps, session, actor, mode);
  if (session.ended || !wantsFactor(deps.access, actor, session)) return false;
  await proveFactor();
  // Proving took a while: what was allowed before may not be any more.
  await requireJoin(deps, session, await caller.now(), mode);
  return true;
}

/** Whoever was let in and has waited since: what was allowed before may not be any more, and what they typed meanwhile comes in with them. */
export async function requireStill(
  deps: JoinDeps,
  session: Session,
  caller: Caller,
  { mode, mfa }: { mode: ParticipantMode; mfa: boolean },
): Promise<void> {
  const actor = await caller.now();
  await requireJoin(deps, session, actor, mode);
  if (!mfa && wantsFactor(deps.access, actor, session)) throw new AppError('mfa_required', UNPROVEN);
}

/** Which they want, and as what: without a mode an owner types, and others look on. */
export interface WantedSession {
  sid: string;
  mode: ParticipantMode | undefined;
  /** Undefined for what is no session of the kind that is looked for. */
  look(): Promise<Session | undefined>;
}

/** The session that somebody may come into. Looked for again once they may: it may be over, or served by another gateway, since they looked for their key. */
export async function findToJoin(
  deps: JoinDeps,
  joiner: Joiner,
  { sid, mode: wantedMode, look }: WantedSession,
): Promise<{ session: Session; mode: ParticipantMode; mfa: boolean }> {
  const before = await look();
  if (!before) throw notFound('session', sid);
  const mode = wantedMode ?? (before.user === joiner.caller.username ? 'peer' : 'observer');
  const mfa = await admitJoin(deps, before, joiner, mode);
  return { session: (await look()) ?? before, mode, mfa };
}

/** Throws why not. Who may not know of it hears that it is not found. */
export async function requireJoin(
  { access, host, requireStore }: JoinDeps,
  session: Session,
  actor: Actor,
  mode: ParticipantMode,
): Promise<void> {
  const isOwner = session.user === actor.username;
  // Their own too: whoever comes in again may have been locked out meanwhile. Who stayed inside goes on for a while.
  requireStore();
  if (isOwner && mode === 'moderator') throw new AppError('denied', 'nobody moderates their own session');
  const owner = isOwner ? actor : await host.owner(session);
  const why = isOwner
    ? whyNot(access, actor, session.action)
    : whyNot(access, actor, joining(access, session, owner, mode));
  if (!why) return;
  throw maySee(access, actor, session, owner) ? new AppError('denied', why.message) : notFound('session', session.id);
}
