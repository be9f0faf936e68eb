/** Ends the use of files within two seconds of whatever takes it away: a lock, a role, a sign-out, a limit, its server. */
import { END_REASONS } from '@gatehouse/contract/identity/sign-ins';
import { z } from 'zod';
import type { AccessControl } from '../../../access/create-access.ts';
import { isElsewhere, isPinned, OTHER_ADDRESS } from '../../../identity/sign-in/tied-address.ts';
import { findStates } from '../../../identity/stores/sign-in-store.ts';
import { RESOURCE_TOPIC } from '../../../inventory/resource-changes.ts';
import type { ChangeFeed } from '../../../platform/change-feed/change-feed.ts';
import { isFrozen, isLost } from '../../../platform/change-feed/lost-store.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { Log } from '../../../platform/std/log.ts';
import { createRounds } from '../../../platform/std/rounds.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { whyNot } from '../../../sessions/host/admit.ts';
import { LOCKS_UNKNOWN, STORE_LOST } from '../../../sessions/host/freeze-lost.ts';
import { type Owners, type ReadPeople, readPeople } from '../../../sessions/host/owners.ts';
import { concerns, serversNow } from '../../../sessions/host/servers-now.ts';
import type { SessionEnd } from '../../../sessions/host/session-store.ts';
import { isUnproven, limitsOf, UNPROVEN, whyNoFiles } from './file-rights.ts';
import type { FileSession } from './file-session.ts';

const LOOK_EVERY_MS = 1_000;
/** A burst of changes is decided once. */
const SETTLE_MS = 50;
const RETRY_MS = 250;

const signInChange = z.object({ ended: z.enum(END_REASONS).optional() });
const ELSEWHERE: SessionEnd = { cause: 'denied', message: OTHER_ADDRESS };
const GONE: SessionEnd = { cause: 'denied', message: 'the user was deleted' };
const SIGNED_OUT: SessionEnd = { cause: 'signed_out', message: 'the sign-in it was opened under has ended' };

export interface WatchDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe' | 'silentMs'>;
  access: AccessControl;
  owners: Owners;
  log: Log;
}

export function watchFileSessions(deps: WatchDeps, live: Map<string, FileSession>): { close(): void } {
  const { feed, access, owners, log } = deps;
  /** Whose rights are in doubt, and whose server or sign-in is. */
  let doubted = new Set<FileSession>();
  let whole = new Set<FileSession>();
  const deciding = createRounds({
    settleMs: SETTLE_MS,
    retryMs: RETRY_MS,
    async work() {
      const [rights, everything] = [doubted, whole];
      [doubted, whole] = [new Set(), new Set()];
      try {
        await decideFiles(deps, [...rights], { read: owners.all, asksWhole: false });
        await decideFiles(deps, [...everything], { read: owners.all, asksWhole: true });
      } catch (error) {
        doubted = new Set([...doubted, ...rights]);
        whole = new Set([...whole, ...everything]);
        throw error;
      }
    },
    failed: (error) => log.error({ error }, 'files in use cannot be decided again; trying once more'),
  });
  const doubt = (isDoubted: (session: FileSession) => boolean, how: 'rights' | 'whole' = 'rights') => {
    const found = [...live.values()].filter(isDoubted);
    for (const session of found) (how === 'rights' ? doubted : whole).add(session);
    if (found.length > 0) deciding.soon();
  };
  const doubtAll = () => doubt(() => true);
  const doubtWhole = () => doubt(() => true, 'whole');
  const subscriptions = [
    feed.subscribe(['sign-in'], {
      change: ({ id, data }) =>
        signInChange.safeParse(data).data?.ended === undefined ? undefined : endSignedOut(deps, live, id),
      gap: doubtWhole,
    }),
    feed.subscribe(['user'], {
      change({ id }) {
        owners.changed(id);
        doubt(({ facts }) => facts.user === id);
      },
      gap() {
        owners.forget();
        doubtAll();
      },
    }),
    feed.subscribe([RESOURCE_TOPIC], {
      change({ id, data }) {
        const isConcerned = concerns(data);
        if (id === 'node') doubt(({ facts }) => isConcerned(facts.action), 'whole');
      },
      gap: doubtWhole,
    }),
  ];
  const forget = access.onChange(doubtAll);
  const clock = setInterval(() => {
    for (const [id, session] of live) {
      const isUnknown = session.options.lockMode === 'strict' && isLost(feed);
      const end = isUnknown ? LOCKS_UNKNOWN : isFrozen(feed) ? STORE_LOST : session.overdue();
      if (end) session.finish(end);
      else if (session.rest()) live.delete(id);
    }
  }, LOOK_EVERY_MS).unref();

  return {
    close() {
      for (const subscription of subscriptions) subscription.close();
      forget();
      deciding.close();
      clearInterval(clock);
    },
  };
}

async function endSignedOut(deps: WatchDeps, live: ReadonlyMap<string, FileSession>, signInId: string): Promise<void> {
  const ended = [...live.values()].filter(({ facts }) => facts.signInId === signInId);
  if (ended.length === 0) return;
  // A lock ends sign-ins too: then the lock is what has to be told.
  const ownerOf = await deps.owners.all(ended.map(({ facts }) => facts.user)).catch(() => undefined);
  for (const session of ended) {
    const owner = ownerOf?.(session.facts);
    session.finish((owner && whyNot(deps.access, owner, session.facts.action)) ?? SIGNED_OUT);
  }
}

/** Once it is where changes find it: what changed between the decision and now was heard by nobody who knew of it. */
export async function decideOpened(deps: Pick<WatchDeps, 'db' | 'access'>, session: FileSession): Promise<void> {
  await decideFiles(deps, [session], { read: readPeople(deps), asksWhole: true });
}

interface AccessQueryDeps {
  read: ReadPeople;
  /** Its server may have other labels by now, or be gone, and its sign-in may be over. */
  asksWhole: boolean;
}

/** Ends them, and what is being copied, or lets them go on under the terms of now. */
async function decideFiles(
  { db, access }: Pick<WatchDeps, 'db' | 'access'>,
  given: readonly FileSession[],
  { read, asksWhole }: AccessQueryDeps,
): Promise<void> {
  const sessions = given.filter(({ end }) => !end);
  if (sessions.length === 0) return;
  const ownerOf = await read(sessions.map(({ facts }) => facts.user));
  const serverNow = asksWhole
    ? await serversNow(
        db,
        sessions.map(({ facts }) => facts.action),
      )
    : () => undefined;
  const isAsked = ({ facts }: FileSession) => {
    const owner = ownerOf(facts);
    return asksWhole || (owner && (limitsOf(access, owner).disconnectExpired || isPinned(access, owner)));
  };
  const states = await findStates(db, [...new Set(sessions.filter(isAsked).map(({ facts }) => facts.signInId))]);
  // Without a wait after it: what is applied is what was decided.
  for (const session of sessions) {
    const { facts } = session;
    const [owner, server, signIn] = [ownerOf(facts), serverNow(facts.action), states.get(facts.signInId)];
    if (server && 'resource' in server) facts.action = { ...facts.action, resource: server.resource };
    const end = whyOver(access, owner, facts) ?? (server && 'end' in server ? server.end : undefined);
    if (end || !owner) session.finish(end ?? GONE);
    else if (asksWhole && (!signIn || signIn.ended)) session.finish(SIGNED_OUT);
    else if (signIn && isPinned(access, owner) && isOut(session, signIn)) session.finish(ELSEWHERE);
    else {
      session.options = limitsOf(access, owner);
      session.expires = session.options.disconnectExpired ? signIn?.expires : undefined;
      const over = session.overdue();
      if (over) session.finish(over);
    }
  }
}

/** Whatever of it runs from another address than its sign-in is tied to takes the rest with it. */
function isOut({ usedFrom }: FileSession, signIn: { tiedTo: string | undefined }): boolean {
  return usedFrom.some((address) => isElsewhere(signIn, address));
}

function whyOver(access: AccessControl, owner: Actor | undefined, facts: FileSession['facts']): SessionEnd | undefined {
  if (!owner) return GONE;
  const refusal = whyNot(access, owner, facts.action);
  if (refusal) return refusal;
  const message = whyNoFiles(access, owner) ?? (isUnproven(access, owner, facts) ? UNPROVEN : undefined);
  return message === undefined ? undefined : { cause: 'denied', message };
}
