/** Lets people use the files of servers: the same decision as for a terminal, and what roles say about copying files beside it. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SessionOptions } from '../../../access/session-options.ts';
import { findResource } from '../../../inventory/resource-store.ts';
import type { Actor, Caller, Who } from '../../../platform/http/actor.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import { type AdmitDeps, admit, whyNot } from '../../../sessions/host/admit.ts';
import { findSeenNode } from '../find-node.ts';
import { connectFiles, type FileConnectionDeps } from './connect-files.ts';
import { isUnproven, limitsOf, UNPROVEN, whyNoFiles } from './file-rights.ts';
import { FileSession, type FileSessionFacts, type NodeAction } from './file-session.ts';
import { findFileSession, insertFileSession, removeFileSession } from './file-session-store.ts';
import { decideOpened, type WatchDeps, watchFileSessions } from './watch-file-sessions.ts';

export interface FileSessionsDeps extends AdmitDeps, WatchDeps, FileConnectionDeps {
  clusterName: string;
  now: () => number;
}

export interface OpenFiles {
  caller: Caller;
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
  /** Uses of files in which something is on its way right now. */
  underWay(): number;
  close(): void;
}

/** Each has a connection of its own. */
const MAX_OF_A_USER = 20;

export function createFileSessions(deps: FileSessionsDeps): FileSessions {
  const { db, access, clusterName, now, log } = deps;
  const live = new Map<string, FileSession>();
  const watch = watchFileSessions(deps, live);

  const host = async (facts: FileSessionFacts, options: SessionOptions): Promise<FileSession> => {
    const session = new FileSession(facts, options, {
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
    live.set(facts.id, session);
    // Where changes find it from now on: what changed since it was decided was heard by nobody who knew of it.
    await decideOpened(deps, session);
    if (session.end) throw new AppError('denied', session.end.message);
    return session;
  };

  async function refuse(wanted: OpenFiles, actor: Actor, action: NodeAction, message: string): Promise<never> {
    const { caller, requestId, call, address } = wanted;
    await deps.denials.record({ id: requestId, actor, call, message });
    const tried = { caller, action, address };
    await db.transaction().execute((tx) => deps.audit.denied(tx, tried, { reason: message, requestId }));
    throw new AppError('denied', message);
  }

  return {
    async open(wanted) {
      const { caller, login } = wanted;
      const actor = await caller.now();
      if (actor.isOwner) throw new AppError('denied', 'sign in as a user to reach the files of servers');
      const resource = await findSeenNode({ db, access, clusterName }, actor, wanted.server);
      const action: NodeAction = { type: 'connect', kind: 'node', resource, login };
      // Who may not sign in hears that, and from the one place that says so.
      const refused = whyNot(access, actor, action) ? undefined : whyNoFiles(access, actor);
      if (refused) await refuse(wanted, actor, action, refused);
      const terms = await admit(deps, { ...wanted, action, canWait: false });
      const mine = [...live.values()].filter(({ facts }) => facts.user === caller.username);
      const isOnce = wanted.call === 'scp';
      // A page that is loaded again goes on with what it had; a factor that was proven is for what it was asked for.
      const before = mine.find(({ facts }) => !isOnce && !terms.mfa && isSame(facts, caller, action));
      if (before) return usedFrom(before, wanted.address);
      if (mine.length >= MAX_OF_A_USER)
        throw new AppError('too_many', `you use the files of ${MAX_OF_A_USER} logins at once; close some`);
      const { username: user, signInId } = caller;
      const facts = { id: randomUUID(), action, user, signInId, created: now(), mfa: terms.mfa, isOnce };
      const { id, created, mfa } = facts;
      const stored = { id, cluster: clusterName, resourceId: resource.id, login, user, signInId, created, mfa };
      await db.transaction().execute((tx) => insertFileSession(tx, stored));
      log.info({ sessionId: id, username: user, resource: resource.name }, 'use of files begins');
      return usedFrom(await host(facts, terms.options), wanted.address);
    },

    async find(actor, id) {
      const known = live.get(id);
      const stored = known ? undefined : await findFileSession(db, id, now());
      const { user, signInId } = known?.facts ?? stored ?? {};
      if (user !== actor.username || signInId !== actor.signInId) throw notFound('use of files', id);
      const session = known ?? (stored && (await revive(stored, limitsOf(access, actor))));
      if (!session) throw notFound('use of files', id);
      const refusal = whyNot(access, actor, session.facts.action)?.message ?? whyNoFiles(access, actor);
      if (refusal !== undefined) throw new AppError('denied', refusal);
      if (isUnproven(access, actor, session.facts)) throw new AppError('mfa_required', UNPROVEN);
      return usedFrom(session, actor.address);
    },

    underWay: () => [...live.values()].filter(({ isBusy }) => isBusy).length,

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
    options: SessionOptions,
  ): Promise<FileSession | undefined> {
    const { id, cluster, resourceId, login, user, signInId, created, mfa } = stored;
    const resource = await findResource(db, { cluster, kind: 'node', id: resourceId });
    if (!resource) return undefined;
    const action: NodeAction = { type: 'connect', kind: 'node', resource, login };
    return live.get(id) ?? host({ id, action, user, signInId, created, mfa, isOnce: false }, options);
  }
}

function usedFrom(session: FileSession, address: string | undefined): FileSession {
  if (address !== undefined) session.addAddress(address);
  return session;
}

function isSame({ action, signInId, isOnce }: FileSessionFacts, who: Who, wanted: NodeAction): boolean {
  const { resource, login } = wanted;
  // The very server that access was decided for: one that has another address since is another.
  const isServer = action.resource.id === resource.id && isDeepStrictEqual(action.resource.spec, resource.spec);
  return !isOnce && isServer && signInId === who.signInId && action.login === login;
}
