/** Lets people use the files of servers: the same decision as for a terminal, and what roles say about copying files beside it. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../access/actor.ts';
import { requiredJoins, sessionOptions } from '../access/session-options.ts';
import { findResource } from '../inventory/resource-store.ts';
import { findSeenNode } from '../nodes/find-node.ts';
import { type AdmitDeps, admit, whyNot } from '../sessions/host/admit.ts';
import { AppError, notFound } from '../std/app-error.ts';
import { connectFiles, type FileConnectionDeps } from './connect-files.ts';
import { FileSession, type FileSessionFacts, NO_COPY, type NodeAction } from './file-session.ts';
import { findFileSession, insertFileSession, removeFileSession } from './file-session-store.ts';
import { limitsOf, refreshLimits, type WatchDeps, watchFileSessions } from './watch-file-sessions.ts';

export interface FileSessionsDeps extends AdmitDeps, WatchDeps, FileConnectionDeps {
  clusterName: string;
  now: () => number;
}

export interface OpenFiles {
  actor: Actor;
  /** Id, name or host name. */
  server: string;
  login: string;
  address: string;
  requestId: string;
  /** Where it was asked; what `scp` opens is for one copy. */
  call: 'files' | 'scp';
  proveFactor(): Promise<void>;
}

export interface FileSessions {
  /** Throws why not, which is audited. */
  open(wanted: OpenFiles): Promise<FileSession>;
  /** One that was opened before, on this gateway or another, decided again; what is not the actor's is not found. */
  find(actor: Actor, id: string): Promise<FileSession>;
  close(): void;
}

/** Each has a connection of its own. */
const MOST_OF_A_USER = 20;

export function createFileSessions(deps: FileSessionsDeps): FileSessions {
  const { db, access, clusterName, now, log } = deps;
  const live = new Map<string, FileSession>();
  const watch = watchFileSessions(deps, live);

  const host = async (facts: FileSessionFacts, owner: Actor): Promise<FileSession> => {
    const session = new FileSession(facts, limitsOf(access, owner), {
      now,
      connect: (opened) => connectFiles(deps, opened),
      onEnd({ end }) {
        live.delete(facts.id);
        log.info({ sessionId: facts.id, username: facts.user, cause: end?.cause }, 'use of files ended');
        void removeFileSession(db, facts.id).catch((error: unknown) =>
          log.error({ error, sessionId: facts.id }, 'the end of a use of files could not be written'),
        );
      },
    });
    await refreshLimits(deps, session, owner);
    live.set(facts.id, session);
    return session;
  };

  /** Roles that let somebody sign in may still forbid this. */
  const whyNoFiles = (actor: Actor): string | undefined => {
    const held = access.of(actor);
    if (!sessionOptions(held).fileCopy) return NO_COPY;
    if (requiredJoins(held, 'ssh').length > 0)
      return 'a role of yours lets you on servers only under the eyes of a moderator, and nobody can watch files being copied';
    return undefined;
  };

  async function refuse(wanted: OpenFiles, action: NodeAction, message: string): Promise<never> {
    const { actor, requestId, call, address } = wanted;
    await deps.denials.record({ id: requestId, actor, call, message });
    const tried = { actor, action, address };
    await db.transaction().execute((tx) => deps.audit.denied(tx, tried, { reason: message, requestId }));
    throw new AppError('denied', message);
  }

  return {
    async open(wanted) {
      const { actor, login } = wanted;
      if (actor.isOwner) throw new AppError('denied', 'sign in as a user to reach the files of servers');
      const resource = await findSeenNode({ db, access, clusterName }, actor, wanted.server);
      const action: NodeAction = { type: 'connect', kind: 'node', resource, login };
      // Who may not sign in hears that, and from the one place that says so.
      const refused = whyNot(access, actor, action) ? undefined : whyNoFiles(actor);
      if (refused) await refuse(wanted, action, refused);
      const terms = await admit(deps, { ...wanted, action, canWait: false });
      const mine = [...live.values()].filter(({ facts }) => facts.user === actor.username);
      const isOnce = wanted.call === 'scp';
      // A page that is loaded again goes on with what it had; a factor that was proven is for what it was asked for.
      const before = mine.find(({ facts }) => !isOnce && !terms.mfa && isSame(facts, actor, action));
      if (before) return before;
      if (mine.length >= MOST_OF_A_USER)
        throw new AppError('too_many', `you use the files of ${MOST_OF_A_USER} logins at once; close some`);
      const { username: user, signInId } = actor;
      const facts = { id: randomUUID(), action, user, signInId, created: now(), mfa: terms.mfa, isOnce };
      const { id, created, mfa } = facts;
      const stored = { id, cluster: clusterName, resourceId: resource.id, login, user, signInId, created, mfa };
      await db.transaction().execute((tx) => insertFileSession(tx, stored));
      log.info({ sessionId: id, username: user, resource: resource.name }, 'use of files begins');
      return host(facts, actor);
    },

    async find(actor, id) {
      const known = live.get(id);
      const stored = known ? undefined : await findFileSession(db, id, now());
      const { user, signInId } = known?.facts ?? stored ?? {};
      if (user !== actor.username || signInId !== actor.signInId) throw notFound('use of files', id);
      const session = known ?? (stored && (await revive(stored, actor)));
      if (!session) throw notFound('use of files', id);
      const refusal = whyNot(access, actor, session.facts.action)?.message ?? whyNoFiles(actor);
      if (refusal !== undefined) throw new AppError('denied', refusal);
      if (!session.facts.mfa && sessionOptions(access.of(actor)).requireMfa)
        throw new AppError('mfa_required', 'a role of yours asks for a second factor now: open the files again');
      return session;
    },

    close() {
      watch.close();
      // Another gateway, or the next one here, goes on with them.
      for (const session of live.values()) session.release();
      live.clear();
    },
  };

  /** The server as it is now: it may have another address since, or be gone. */
  async function revive(
    stored: NonNullable<Awaited<ReturnType<typeof findFileSession>>>,
    owner: Actor,
  ): Promise<FileSession | undefined> {
    const { id, cluster, resourceId, login, user, signInId, created, mfa } = stored;
    const resource = await findResource(db, { cluster, kind: 'node', id: resourceId });
    if (!resource) return undefined;
    const action: NodeAction = { type: 'connect', kind: 'node', resource, login };
    return live.get(id) ?? host({ id, action, user, signInId, created, mfa, isOnce: false }, owner);
  }
}

function isSame({ action, signInId, isOnce }: FileSessionFacts, actor: Actor, wanted: NodeAction): boolean {
  const { resource, login } = wanted;
  // The very server that access was decided for: one that has another address since is another.
  const isServer = action.resource.id === resource.id && isDeepStrictEqual(action.resource.spec, resource.spec);
  return !isOnce && isServer && signInId === actor.signInId && action.login === login;
}
