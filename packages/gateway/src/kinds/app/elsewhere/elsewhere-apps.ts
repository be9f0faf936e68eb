/** Applications of other clusters at hosts of this one: who has which browser is known here, what they may is said there. */
import { randomUUID } from 'node:crypto';
import type { FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import { APP_LAUNCH_PATH, APP_START_PATH } from '@gatehouse/contract/kinds/app/apps';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { Identity } from '../../../identity/identity.ts';
import { hashToken, sameText } from '../../../platform/crypto/tokens.ts';
import type { Caller } from '../../../platform/http/actor.ts';
import type { Clusters } from '../../../platform/http/cluster.ts';
import { findOwn } from '../../../platform/http/cluster.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import type { AppDirectory } from '../app-directory.ts';
import type { AppHosts } from '../app-hosts.ts';
import { findAppSession, insertLaunch, removeAppSessions, type StoredAppSession } from '../app-session-store.ts';
import type { Proof } from '../app-sessions.ts';
import type { WantedApp } from '../open-app.ts';
import { dialElsewhere } from './dial-elsewhere.ts';
import { type ElsewhereName, elsewhereHost, readElsewhereHost } from './elsewhere-host.ts';
import { ElsewhereSession, readRef, writeRef } from './elsewhere-session.ts';

export interface ElsewhereDeps {
  db: Db;
  clusters: Pick<Clusters, 'find' | 'hasLeaves'>;
  directory: Pick<AppDirectory, 'byHost'>;
  hosts: AppHosts;
  identity: Pick<Identity, 'callerOf' | 'onSignInEnd' | 'requireHere'>;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface Launching {
  path: string;
  state: string;
  factor: FactorAnswer | undefined;
  userAgent: string;
}

export interface ElsewhereApps {
  isHost(host: string): boolean;
  /** Undefined: one of this cluster is meant. */
  wanted(wanted: WantedApp): ElsewhereName | undefined;
  /** Where the browser goes next. */
  launch(caller: Caller, wanted: ElsewhereName, launching: Launching): Promise<{ url: string; fqdn: string }>;
  find(cookie: string): Promise<ElsewhereSession | undefined>;
  fits(live: ElsewhereSession, proof: Proof, address: string): boolean;
  end(live: ElsewhereSession): Promise<void>;
  close(): void;
}

const CODE_MS = 60_000;
/** What says that the session is over there, and not that its cluster is away. */
const OVER: ReadonlySet<string> = new Set(['denied', 'not_found', 'not_signed_in', 'mfa_required']);

export function createElsewhereApps(deps: ElsewhereDeps): ElsewhereApps {
  const { db, clusters, directory, hosts, identity, clusterName, log, now } = deps;
  const live = new Map<string, ElsewhereSession>();

  const finish = (session: ElsewhereSession) => {
    if (live.get(session.stored.hash) === session) live.delete(session.stored.hash);
    session.finish();
  };

  async function load(stored: StoredAppSession): Promise<ElsewhereSession | undefined> {
    const at = readRef(stored.session);
    if (!at) return undefined;
    const { user: username, signIn: signInId, address } = stored;
    const caller = identity.callerOf({ username, signInId, address } as Parameters<Identity['callerOf']>[0]);
    try {
      await caller.now();
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_signed_in') return undefined;
      throw error;
    }
    const host = elsewhereHost(hosts, at);
    const made: ElsewhereSession = new ElsewhereSession({
      ...{ stored, at, host, rules: rulesOf(host) },
      async dial() {
        try {
          return (await dialElsewhere(deps, caller, { ...at, host, userAgent: 'gatehouse' })).stream;
        } catch (error) {
          if (error instanceof AppError && OVER.has(error.code)) await end(made);
          throw error;
        }
      },
    });
    const forget = identity.onSignInEnd(signInId, () => finish(made));
    made.add(forget);
    return made;
  }

  /** What of an answer another cluster cannot say: cookies of this gateway, and of what else stands under its name. */
  const rulesOf = (host: string) => ({
    ...{ host: new URL(hosts.originOf(host)).host, reserved: new Set<string>(), lines: () => '' },
    ...{ origin: hosts.originOf(host), appHost: host, inside: new Set<string>(), gatewayHost: hosts.base() },
  });

  async function end(session: ElsewhereSession): Promise<void> {
    finish(session);
    await removeAppSessions(db, session.stored.session).catch((error: unknown) =>
      log.error({ error: errorMessage(error) }, 'the cookies of an application cannot be removed'),
    );
  }

  return {
    isHost: (host) => clusters.hasLeaves() && readElsewhereHost(hosts, host) !== undefined && !directory.byHost(host),
    wanted({ fqdn, cluster_name, public_addr }) {
      if (!clusters.hasLeaves()) return undefined;
      const [host, publicHost] = [plainHost(fqdn), plainHost(public_addr)];
      const named = readElsewhereHost(hosts, host);
      if (cluster_name === '') return named && !directory.byHost(host) ? named : undefined;
      if (findOwn(cluster_name, clusterName) !== undefined) return undefined;
      return named?.cluster === cluster_name ? named : { cluster: cluster_name, name: publicHost || host };
    },
    async launch(caller, wanted, { path, state, factor, userAgent }) {
      const isTied = /^[0-9a-f]{64}$/.test(state);
      const ref = isTied ? randomUUID() : '';
      const host = elsewhereHost(hosts, wanted);
      // Decided there, and begun; without a state only what it is called is asked for.
      const opened = await dialElsewhere(deps, caller, { ...wanted, ref, host, factor, userAgent });
      opened.stream.destroy();
      const named = { cluster: wanted.cluster, name: opened.name };
      const fqdn = elsewhereHost(hosts, named);
      const origin = hosts.originOf(fqdn);
      // Without it the code could be put into somebody else's browser, who would then work under this name.
      if (!isTied) return { url: `${origin}${APP_START_PATH}?path=${encodeURIComponent(path)}`, fqdn };
      const { username: user, signInId: signIn } = caller;
      const session = writeRef({ ref, ...named });
      const launch = { ...{ session, user, signIn, host: fqdn, path }, stateHash: state, expires: now() + CODE_MS };
      const code = await db.transaction().execute((tx) => insertLaunch(tx, launch));
      return { url: `${origin}${APP_LAUNCH_PATH}?code=${code}`, fqdn };
    },
    async find(cookie) {
      const hash = hashToken(cookie);
      const known = live.get(hash);
      if (known) return known;
      const stored = await findAppSession(db, hash, now());
      const made = stored && (await load(stored));
      // Another request of the same browser may have been quicker.
      const meanwhile = live.get(hash);
      if (meanwhile) made?.finish();
      else if (made && !made.isOver) live.set(hash, made);
      return meanwhile ?? made;
    },
    fits({ stored, isOver }, { subject, userAgent }, address) {
      if (isOver || stored.expires <= now()) return false;
      if (!sameText(stored.subjectHash, subject) || !sameText(stored.userAgent, userAgent)) return false;
      if (stored.address === address) return true;
      // Whoever holds both cookies elsewhere is told to the log where a role ties the sign-in.
      identity.requireHere(stored.signIn, { address, door: 'application' }).catch(() => undefined);
      return false;
    },
    end,
    close() {
      for (const session of [...live.values()]) finish(session);
    },
  };
}

function plainHost(text: string): string {
  return text.toLowerCase().replace(/:\d{1,5}$/, '');
}
