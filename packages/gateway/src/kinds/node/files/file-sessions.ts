/** Lets people use the files of servers: the same session host as for a terminal, and what roles say about copying files beside it. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AccessControl } from '../../../access/create-access.ts';
import { findResource } from '../../../inventory/resource-store.ts';
import type { Actor, Caller, Who } from '../../../platform/http/actor.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { type AdmitDeps, type Terms, whyNot } from '../../../sessions/host/admit.ts';
import type { HostedSession } from '../../../sessions/host/hosted-session.ts';
import type { Keeping } from '../../../sessions/host/hosting.ts';
import type { SessionHost } from '../../../sessions/host/session-host.ts';
import { type SessionPart, UNJOINABLE } from '../../../sessions/host/session-parts.ts';
import type { Session, SessionEnd } from '../../../sessions/host/session-store.ts';
import { findSeenNode } from '../find-node.ts';
import { connectFiles } from './connect-files.ts';
import { isUnproven, UNPROVEN, whyNoFiles } from './file-rights.ts';
import { FileSession, type NodeAction } from './file-session.ts';
import { findFileSession, insertFileSession, removeFileSession, type StoredFileSession } from './file-session-store.ts';
import type { SftpDeps } from './open-sftp.ts';

export interface FileSessionsDeps extends Pick<AdmitDeps, 'denials' | 'audit'>, SftpDeps {
  db: Db;
  access: AccessControl;
  host: Pick<SessionHost, 'open' | 'follow'>;
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
const LOOK_EVERY_MS = 1_000;
const UNUSED: SessionEnd = { cause: 'closed', message: 'it was not used for a while' };
const CLOSED: SessionEnd = { cause: 'closed', message: 'it was closed' };
const CLOSING: SessionEnd = { cause: 'gateway_stopping', message: 'the gateway is closing' };

export function createFileSessions(deps: FileSessionsDeps): FileSessions {
  const { db, access, host, clusterName, now } = deps;
  const live = new Map<string, FileSession>();
  /** Of those being opened, whose they are: a store that answers many at once would else let them all count the same. */
  const opening = new Set<{ user: string }>();
  const ofUser = (user: string) => [...live.values()].filter(({ facts }) => facts.user === user);
  const refuseTooMany = (user: string) => {
    const begun = [...opening].filter((each) => each.user === user).length;
    if (ofUser(user).length + begun >= MAX_OF_A_USER)
      throw new AppError('too_many', `you use the files of ${MAX_OF_A_USER} logins at once; close some`);
  };

  /** Kept in a table of their own: any gateway serves the next call. */
  const keeping: Keeping = {
    async insert(tx, wanted) {
      const session: Session = { ...wanted, ...UNSEEN, participants: [wanted.user], seen: wanted.created };
      const { id, cluster, action, user, signInId, created, mfa } = session;
      const { login, resource } = action as NodeAction;
      await insertFileSession(tx, { id, cluster, resourceId: resource.id, login, user, signInId, created, mfa });
      return session;
    },
    ended: ({ id }) => removeFileSession(db, id),
  };
  /** Beside the right to sign in, at each decision. */
  const newPart = (): SessionPart => ({
    whyNot(owner) {
      const message = whyNoFiles(access, owner);
      return message === undefined ? undefined : { cause: 'denied', message };
    },
  });

  const serve = (hosted: HostedSession, isOnce: boolean): FileSession => {
    const session = new FileSession(hosted, { now, isOnce, connect: (opened) => connectFiles(deps, opened) });
    live.set(hosted.id, session);
    hosted.parts.attach({ onEnd: () => live.get(hosted.id) === session && live.delete(hosted.id) });
    return session;
  };

  const clock = setInterval(() => {
    for (const session of [...live.values()]) if (session.rest()) session.hosted.letGo(UNUSED);
  }, LOOK_EVERY_MS).unref();

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
      const isOnce = wanted.call === 'scp';
      let before: FileSession | undefined;
      // A page that is loaded again goes on with what it had; a factor that was proven is for what it was asked for.
      const reusable = ({ mfa }: Terms) => {
        before = ofUser(caller.username).find((each) => !isOnce && !mfa && isSame(each, caller, action));
        if (before) return before.hosted;
        refuseTooMany(caller.username);
        opening.add(begun);
        return undefined;
      };
      const begun = { user: caller.username };
      try {
        const hosted = await host.open({
          ...wanted,
          action,
          nature: UNJOINABLE,
          part: newPart(),
          keeping: { ...keeping, before: reusable },
          request: randomUUID(),
          size: { cols: 0, rows: 0 },
          agent: undefined,
          recorded: false,
          interactive: false,
        });
        return usedFrom(before ?? serve(hosted, isOnce), wanted.address);
      } finally {
        opening.delete(begun);
      }
    },

    async find(actor, id) {
      const known = live.get(id);
      const stored = known ? undefined : await findFileSession(db, id, now());
      const { user, signInId } = known?.facts ?? stored ?? {};
      if (user !== actor.username || signInId !== actor.signInId) throw notFound('use of files', id);
      const session = known ?? (stored && (await revive(stored, actor)));
      if (!session) throw notFound('use of files', id);
      const refusal = whyNot(access, actor, session.facts.action)?.message ?? whyNoFiles(access, actor);
      if (refusal !== undefined) throw new AppError('denied', refusal);
      if (isUnproven(access, actor, session.facts)) throw new AppError('mfa_required', UNPROVEN);
      return usedFrom(session, actor.address);
    },

    underWay: () => [...live.values()].filter(({ isBusy }) => isBusy).length,

    close() {
      clearInterval(clock);
      // Another gateway, or the next one here, goes on with them.
      for (const session of [...live.values()]) session.hosted.letGo(CLOSING);
      live.clear();
    },
  };

  /** The server as it is now: it may have another address since, or be gone. */
  async function revive(stored: StoredFileSession, owner: Actor): Promise<FileSession | undefined> {
    const { resourceId, login, ...same } = stored;
    const resource = await findResource(db, { cluster: stored.cluster, kind: 'node', id: resourceId });
    if (!resource) return undefined;
    const action: NodeAction = { type: 'connect', kind: 'node', resource, login };
    const session: Session = { ...same, ...UNSEEN, action, participants: [stored.user], seen: stored.created };
    const hosted = await host.follow({ session, owner, nature: UNJOINABLE, part: newPart(), keeping });
    // Perhaps somebody closed it while it was not known here.
    if (!(await findFileSession(db, stored.id, now()))) hosted.letGo(CLOSED);
    if (hosted.end) throw new AppError('denied', hosted.end.message);
    return live.get(stored.id) ?? serve(hosted, false);
  }
}

/** Nobody watches files, and nothing of them is played. */
const UNSEEN = {
  address: '',
  request: '',
  size: { cols: 0, rows: 0 },
  agent: undefined,
  gateway: '',
  recorded: false,
  begun: 0,
  connected: 0,
  interactive: false,
  command: undefined,
  ended: undefined,
} as const;

function usedFrom(session: FileSession, address: string | undefined): FileSession {
  if (address !== undefined) session.addAddress(address);
  return session;
}

function isSame({ facts: { action, signInId }, isOnce }: FileSession, who: Who, wanted: NodeAction): boolean {
  const { resource, login } = wanted;
  // The very server that access was decided for: one that has another address since is another.
  const isServer = action.resource.id === resource.id && isDeepStrictEqual(action.resource.spec, resource.spec);
  return !isOnce && isServer && signInId === who.signInId && action.login === login;
}
