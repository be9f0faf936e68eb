/** A store full of people, each with an open session that one watch decides again: for tests of work done, and for measuring. */
import { randomUUID } from 'node:crypto';
import type { KyselyPlugin } from 'kysely';
import { type AccessControl, createAccess } from '../../src/access/create-access.ts';
import { insertRole } from '../../src/access/role-store.ts';
import { sessionOptions } from '../../src/access/session-options.ts';
import { insertUser, updateUser } from '../../src/identity/stores/user-store.ts';
import { putResources, type Resource } from '../../src/inventory/resource-store.ts';
import { nodeLife } from '../../src/kinds/node/node-life.ts';
import { createAudit, GATEWAY_CHAIN } from '../../src/platform/audit/emit.ts';
import { type ChangeFeed, openChangeFeed } from '../../src/platform/change-feed/change-feed.ts';
import { publish } from '../../src/platform/change-feed/publish.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import type { Db } from '../../src/platform/storage/tables.ts';
import { HostedSession } from '../../src/sessions/host/hosted-session.ts';
import { createOwners, type Owners } from '../../src/sessions/host/owners.ts';
import { insertSession, type SessionEnd } from '../../src/sessions/host/session-store.ts';
import { createSessionWatch } from '../../src/sessions/host/watch-sessions.ts';

export const CLUSTER = 'localhost';
const CHUNK = 500;

export interface ManySessions {
  db: Db;
  feed: ChangeFeed;
  access: AccessControl;
  owners: Owners;
  live: Map<string, HostedSession>;
  /** The session of a user, by the user's number. */
  of(number: number): HostedSession;
  /** Resolves with how it ended and when, by `performance.now()`. */
  ended(number: number): Promise<{ end: SessionEnd; at: number }>;
  setRoles(number: number, roles: readonly string[]): Promise<void>;
  /** Queries asked since the last call. */
  queries(): string[];
  close(): Promise<void>;
}

export interface ManyOptions {
  storage: Storage;
  people: number;
  now?: () => number;
  /** Servers of agents, so many sessions on each; without it each session has a server that was entered. */
  sessionsOfAgent?: number;
}

export function userName(number: number): string {
  return `user-${number}`;
}

export function serverOf(number: number, perAgent?: number): Resource {
  const server = perAgent === undefined ? number : Math.floor(number / perAgent);
  const id = `node-${server}`;
  const spec =
    perAgent === undefined
      ? { type: 'openssh', hostname: id, addr: `10.0.0.1:${1 + (server % 65_000)}`, hostKeys: [], hostAuthorities: [] }
      : { type: 'agent', hostname: id };
  const labels = { env: 'dev', team: `team-${server % 20}`, region: 'eu', os: 'debian', tier: 'web' };
  const owner = perAgent === undefined ? '' : `agent-${server}`;
  return { cluster: CLUSTER, kind: 'node', id, name: id, labels, spec, owner, expires: undefined };
}

export async function startManySessions(options: ManyOptions): Promise<ManySessions> {
  const { storage, people, now = Date.now, sessionsOfAgent } = options;
  const asked: string[] = [];
  const db = storage.db.withPlugin(counting(asked));
  const feed = await openChangeFeed({ storage, log: silentLog, now });
  const audit = createAudit({ now, clusterName: CLUSTER, chain: GATEWAY_CHAIN });
  const access = await createAccess({ db, feed, audit, log: silentLog, now });
  const owners = createOwners({ db, feed, access });
  const content =
    'kind: role\nversion: v6\nmetadata: {name: dev}\nspec: {allow: {logins: [root], node_labels: {env: dev}}}\n';
  await db.transaction().execute((tx) => insertRole(tx, { name: 'dev', content, by: 'test', now: now() }));
  const live = new Map<string, HostedSession>();
  const ofUser = new Map<string, HostedSession>();
  const waiting = new Map<string, PromiseWithResolvers<{ end: SessionEnd; at: number }>>();
  for (let from = 0; from < people; from += CHUNK)
    await db.transaction().execute(async (tx) => {
      const numbers = Array.from({ length: Math.min(CHUNK, people - from) }, (_, at) => from + at);
      const servers = new Map(
        numbers.map((number) => serverOf(number, sessionsOfAgent)).map((each) => [each.id, each]),
      );
      await putResources(tx, [...servers.values()], now());
      for (const number of numbers) {
        const name = userName(number);
        // Traits of their own, so that nothing of one is worked out for another.
        await insertUser(tx, { name, roles: ['dev'], traits: { logins: [name] }, created: 0, createdBy: 'test' });
        const resource = serverOf(number, sessionsOfAgent);
        const session = await insertSession(tx, {
          id: randomUUID(),
          cluster: CLUSTER,
          action: { type: 'connect', kind: 'node', resource, login: 'root' },
          user: name,
          signInId: `sign-in-${number}`,
          address: '127.0.0.1',
          request: randomUUID(),
          created: now(),
          size: { cols: 80, rows: 24 },
          agent: resource.owner || undefined,
          gateway: 'another',
          mfa: false,
          recorded: true,
          begun: now(),
        });
        const hosted = new HostedSession({
          session,
          options: sessionOptions({ roles: [] }),
          rules: [],
          now,
          onEnd({ id }, end) {
            live.delete(id);
            waiting.get(name)?.resolve({ end, at: performance.now() });
          },
          onEnter() {},
          onLeave() {},
          onRemove() {},
          onConnected() {},
          onResize() {},
          onFlow() {},
        });
        waiting.set(name, Promise.withResolvers());
        ofUser.set(name, hosted);
        live.set(hosted.id, hosted);
      }
    });
  await feed.settled();
  const watch = createSessionWatch({
    ...{ db, feed, access, owners, live, log: silentLog, kinds: { node: { life: nodeLife } }, now: Date.now },
    tick: async () => {},
    changed: async () => {},
    relabelled() {},
  });
  const known = <T>(found: T | undefined): T => {
    if (found === undefined) throw new Error('there is no such user');
    return found;
  };
  return {
    ...{ db, feed, access, owners, live },
    of: (number) => known(ofUser.get(userName(number))),
    ended: (number) => known(waiting.get(userName(number))).promise,
    async setRoles(number, roles) {
      await storage.db.transaction().execute(async (tx) => {
        await updateUser(tx, userName(number), { roles, traits: {} });
        await publish(tx, { topic: 'user', id: userName(number) });
      });
    },
    queries: () => asked.splice(0),
    async close() {
      watch.close();
      owners.close();
      access.close();
      await feed.close();
      await storage.close();
    },
  };
}

function counting(asked: string[]): KyselyPlugin {
  return {
    transformQuery({ node }) {
      asked.push(node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}
