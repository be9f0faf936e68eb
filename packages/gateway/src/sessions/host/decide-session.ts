/** Decides about a session that is open, and about the people in it, by what they hold now. */
import { KINDS } from '@gatehouse/contract/kinds/kinds';
import type { Actor, Who } from '../../access/actor.ts';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import { isLocalActor } from '../../auth/sign-in/local-actor.ts';
import { findSignIn } from '../../auth/sign-in/sign-in-store.ts';
import type { Db } from '../../storage/tables.ts';
import { findUser } from '../../users/user-store.ts';
import { whyNot, whyOver } from './admit.ts';
import type { HostedSession, Participant } from './hosted-session.ts';
import { joinRules, waysFor } from './moderation.ts';
import { joining } from './session-rights.ts';
import type { Session, SessionEnd } from './session-store.ts';
import { outlivesSignIn, signedOut } from './signed-out.ts';

export interface DecideDeps {
  db: Db;
  access: AccessControl;
}

/** Reads somebody; a round over many sessions asks for each person once. */
export type ReadPerson = (session: Pick<Session, 'user' | 'signInId'>) => Promise<Actor | undefined>;

const GONE: SessionEnd = { cause: 'denied', message: 'the user was deleted' };
const UNKNOWN: SessionEnd = { cause: 'failed', message: 'the gateway cannot tell whether you may be here' };

/** Ends it, shows people out, or lets it go on under the terms of now. */
export async function decideSession(
  deps: DecideDeps,
  hosted: HostedSession,
  read: ReadPerson = (session) => ownerOf(deps, session),
): Promise<void> {
  const { session } = hosted;
  // Whoever owns the machine the gateway runs on is no user, and holds no roles that could change.
  if (isLocalActor({ username: session.user })) return;
  const owner = await read(session);
  if (!owner) return hosted.finish(GONE);
  const held = deps.access.of(owner);
  const options = sessionOptions(held);
  const rules = joinRules(held, KINDS[session.action.kind].sessionKind);
  const expires = options.disconnectExpired ? (await findSignIn(deps.db, session.signInId))?.expires : undefined;
  const counts = new Map<string, ReadonlySet<string>>();
  for (const who of [...hosted.participants.values()]) {
    const person = who.username === session.user ? owner : await read({ user: who.username, signInId: who.signInId });
    const out = whyOut(deps.access, hosted, who, owner, person);
    if (out) hosted.remove(who, out);
    else if (person) counts.set(who.id, waysFor(rules, person, who.mode));
  }
  // Without a wait after it: what is applied is what was decided.
  const over = whyOver(deps.access, owner, session);
  if (over) hosted.finish(over);
  else hosted.apply({ options, rules, expires, counts });
}

/** Once it is where changes find it: what changed between the decision and now was heard by nobody who knew of it. */
export async function decideAfterOpening(deps: DecideDeps, hosted: HostedSession): Promise<void> {
  await decideSession(deps, hosted);
  await endIfSignedOut(deps, hosted);
}

/** Sign-outs that nobody heard of, because the session or the connection to the store was not there yet. */
export async function endIfSignedOut({ db }: Pick<DecideDeps, 'db'>, hosted: HostedSession): Promise<void> {
  const { signInId } = hosted.session;
  if (signInId === '' || hosted.end) return;
  const ended = (await findSignIn(db, signInId))?.ended;
  if (ended && !outlivesSignIn(ended.reason)) hosted.finish(signedOut(ended.reason));
}

/** Somebody came in: they were allowed to a moment ago, and count for nothing before it is known that they still are. */
export async function decidePerson(deps: DecideDeps, hosted: HostedSession, who: Participant): Promise<void> {
  const { session } = hosted;
  if (who.username === session.user) return;
  try {
    const owner = await ownerOf(deps, session);
    const person = await ownerOf(deps, { user: who.username, signInId: who.signInId });
    const out = owner ? whyOut(deps.access, hosted, who, owner, person) : GONE;
    if (out || !person) hosted.remove(who, out ?? GONE);
    else hosted.counts(who.id, waysFor(hosted.rules, person, who.mode));
  } catch (error) {
    hosted.remove(who, UNKNOWN);
    throw error;
  }
}

function whyOut(
  access: AccessControl,
  { session }: HostedSession,
  { username, mode }: Participant,
  owner: Actor,
  person: Actor | undefined,
): SessionEnd | undefined {
  if (username === session.user) return undefined;
  return person ? whyNot(access, person, joining(session, owner, mode)) : GONE;
}

/** The user as they are now, under the sign-in the session stands on. */
export async function ownerOf(
  { db, access }: DecideDeps,
  { user, signInId }: { user: string } & Pick<Who, 'signInId'>,
): Promise<Actor | undefined> {
  const found = await findUser(db, user);
  if (!found) return undefined;
  const subject = { username: found.name, roles: found.roles, traits: found.traits };
  return {
    ...subject,
    signInId,
    signInKind: 'browser',
    authType: found.authType === 'local' ? 'local' : 'sso',
    acl: access.aclOf(subject),
  };
}
