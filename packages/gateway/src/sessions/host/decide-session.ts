/** Decides about sessions that are open, and about the people in them, by what they hold now: everybody is read together, the rest is memory. */
import { setImmediate as turn } from 'node:timers/promises';
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import { isLocalActor } from '../../identity/sign-in/local-actor.ts';
import { findStates } from '../../identity/stores/sign-in-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { whyNot, whyOut, whyOver } from './admit.ts';
import type { HostedSession, Participant } from './hosted-session.ts';
import { leaveElsewhere, tiedSignIns } from './leave-elsewhere.ts';
import { joinRules, waysFor } from './moderation.ts';
import { type Owned, type ReadPeople, readPeople } from './owners.ts';
import { joining } from './session-rights.ts';
import type { SessionEnd } from './session-store.ts';
import { endsBy, signedOut } from './signed-out.ts';

/** Between so many, others have their turn: terminals go on while thousands are decided. */
const A_TURN = 100;

export interface DecideDeps {
  db: Db;
  access: AccessControl;
  now: () => number;
}

type OwnerOf = (owned: Owned) => Actor | undefined;

const GONE: SessionEnd = { cause: 'denied', message: 'the user was deleted' };
const UNKNOWN: SessionEnd = { cause: 'failed', message: 'the gateway cannot tell whether you may be here' };

/** Ends them, shows people out, or lets them go on under the terms of now. */
export async function decideSessions(
  { db, access }: DecideDeps,
  given: readonly HostedSession[],
  read: ReadPeople,
): Promise<void> {
  // Whoever owns the machine the gateway runs on is no user, and holds no roles that could change.
  const sessions = given.filter(({ session, end }) => !end && !isLocalActor({ username: session.user }));
  if (sessions.length === 0) return;
  const people = new Set(peopleOf(sessions));
  const ownerOf = await read(people);
  // Who came since is not among them, and is decided by themselves.
  const present = ({ participants }: HostedSession) =>
    [...participants.values()].filter(({ username }) => people.has(username));
  // A lock is the quickest there is to ask, and the most urgent: nobody waits behind the roles of others.
  for (const hosted of sessions) endLocked(access, hosted, present(hosted), ownerOf);
  const asked = [...signInsAsked(access, sessions, ownerOf), ...tiedSignIns(access, sessions, ownerOf)];
  const states = await findStates(db, [...new Set(asked)]);
  for (const [at, hosted] of sessions.entries()) {
    if (at % A_TURN === A_TURN - 1) await turn();
    if (!hosted.end) leaveElsewhere(access, hosted, ownerOf, states);
    if (hosted.end) continue;
    decideOne(access, hosted, {
      present: present(hosted),
      ownerOf,
      expires: states.get(hosted.session.signInId)?.expires,
    });
  }
}

/** What a lock ends, at once: it waits for no round that is under way. */
export async function endLockedSessions(
  { access }: Pick<DecideDeps, 'access'>,
  sessions: readonly HostedSession[],
  read: ReadPeople,
): Promise<void> {
  const ownerOf = await read(peopleOf(sessions));
  for (const hosted of sessions) if (!hosted.end) endLocked(access, hosted, [...hosted.participants.values()], ownerOf);
}

export async function decideSession(deps: DecideDeps, hosted: HostedSession): Promise<void> {
  await decideSessions(deps, [hosted], readPeople(deps));
}

/** Once it is where changes find it: what changed between the decision and now was heard by nobody who knew of it. */
export async function decideAfterOpening(deps: DecideDeps, hosted: HostedSession): Promise<void> {
  await Promise.all([decideSession(deps, hosted), endIfSignedOut(deps, [hosted])]);
}

/** Sign-outs that nobody heard of, because the session or the connection to the store was not there yet. */
export async function endIfSignedOut(
  { db, now }: Pick<DecideDeps, 'db' | 'now'>,
  sessions: readonly HostedSession[],
): Promise<void> {
  // Whoever works on the machine of the gateway itself has no sign-in that could end.
  const asked = sessions.filter(({ end, session }) => !end && session.signInId !== '');
  const states = await findStates(db, [...new Set(asked.map(({ session }) => session.signInId))]);
  for (const hosted of asked) {
    const { ended, expires } = states.get(hosted.session.signInId) ?? { ended: 'expired', expires: 0 };
    if (ended ? endsBy(hosted.nature, ended) : hosted.nature.endsWithSignIn && expires <= now())
      hosted.finish(signedOut(ended ?? 'expired'));
  }
}

/** Somebody came in: they were allowed to a moment ago, and count for nothing before it is known that they still are. */
export async function decidePerson(deps: DecideDeps, hosted: HostedSession, who: Participant): Promise<void> {
  const { session } = hosted;
  if (who.username === session.user) return;
  try {
    const ownerOf = await readPeople(deps)([session.user, who.username]);
    const person = ownerOf(asOwned(who));
    const out = whyShownOut(deps.access, hosted, who, ownerOf);
    if (out || !person) hosted.remove(who, out ?? GONE);
    else hosted.counts(who.id, waysFor(hosted.rules, person, { mode: who.mode, access: deps.access }));
  } catch (error) {
    hosted.remove(who, UNKNOWN);
    throw error;
  }
}

interface Known {
  present: readonly Participant[];
  ownerOf: OwnerOf;
  expires: number | undefined;
}

function decideOne(access: AccessControl, hosted: HostedSession, { present, ownerOf, expires }: Known): void {
  const { session } = hosted;
  const owner = ownerOf(session);
  if (!owner) {
    hosted.finish(GONE);
    return;
  }
  const held = access.of(owner);
  const options = sessionOptions(held);
  const rules = joinRules(held, factsOf(session.action.kind).sessionKind);
  const counts = new Map<string, ReadonlySet<string>>();
  for (const who of present) {
    const person = ownerOf(asOwned(who));
    const out = whyShownOut(access, hosted, who, ownerOf);
    if (out) hosted.remove(who, out);
    else if (person) counts.set(who.id, waysFor(rules, person, { mode: who.mode, access }));
  }
  const over = whyOver(access, owner, hosted);
  if (over) {
    hosted.finish(over);
    return;
  }
  hosted.apply({ options, rules, expires: options.disconnectExpired ? expires : undefined, counts });
  if (!hosted.end) hosted.tellTerms(owner);
}

function endLocked(
  access: AccessControl,
  hosted: HostedSession,
  present: readonly Participant[],
  ownerOf: OwnerOf,
): void {
  const { session } = hosted;
  const owner = ownerOf(session);
  const why = owner && access.lockFor(owner, session.action) && whyNot(access, owner, session.action);
  if (why) hosted.finish(why);
  for (const who of present) {
    const person = ownerOf(asOwned(who));
    const out = person && access.lockOn(person) && whyShownOut(access, hosted, who, ownerOf);
    if (out) hosted.remove(who, out);
  }
}

function whyShownOut(
  access: AccessControl,
  { session }: HostedSession,
  who: Participant,
  ownerOf: OwnerOf,
): SessionEnd | undefined {
  if (who.username === session.user) return undefined;
  const [owner, person] = [ownerOf(session), ownerOf(asOwned(who))];
  if (!owner || !person) return GONE;
  return whyOut(access, person, {
    ...{ session, joining: joining(access, session, owner, who.mode) },
    mfa: who.mfa === true,
  });
}

/** Of those whose role lets sessions end with their sign-in. */
function* signInsAsked(access: AccessControl, sessions: readonly HostedSession[], ownerOf: OwnerOf): Generator<string> {
  for (const { session, end } of sessions) {
    const owner = end ? undefined : ownerOf(session);
    if (owner && sessionOptions(access.of(owner)).disconnectExpired) yield session.signInId;
  }
}

function* peopleOf(sessions: readonly HostedSession[]): Generator<string> {
  for (const { session, participants } of sessions) {
    yield session.user;
    for (const { username } of participants.values()) yield username;
  }
}

function asOwned({ username, signInId }: Participant): Owned {
  return { user: username, signInId };
}
