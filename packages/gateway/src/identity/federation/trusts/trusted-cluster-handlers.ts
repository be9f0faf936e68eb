/** Answers the calls about roots that are trusted here, and those by which other clusters join. */
import { X509Certificate } from 'node:crypto';
import {
  clusterRefused,
  federationKeyRotated,
  trustedClusterCreated,
  trustedClusterDeleted,
  trustedClusterTokenCreated,
  trustedClusterUpdated,
} from '@gatehouse/contract/audit/trusted-cluster-events';
import { isLoopbackName } from '@gatehouse/contract/identity/connectors/connector-document';
import type { FederationKey, trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { OK } from '@gatehouse/contract/wire/ack';
import type { AccessControl } from '../../../access/create-access.ts';
import { mayReach, requireOnCluster, requireReach } from '../../../access/reach.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { Handlers } from '../../../platform/http/call.ts';
import { contextOf } from '../../../platform/http/context-of.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { createOncePer } from '../../../platform/std/throttle.ts';
import { isUniqueViolation } from '../../../platform/storage/errors.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { countRemoteUsers, listRemoteUsers } from '../../stores/remote-user-store.ts';
import type { FederationParts } from '../federation-parts.ts';
import type { KeptRows } from '../kept-rows.ts';
import type { FederationKeys } from '../key/federation-keys.ts';
import { keyFingerprintOf } from '../key/key-fingerprint.ts';
import type { ClusterLinks } from '../links.ts';
import { holdLocks } from '../locks/root-locks.ts';
import { insertClusterToken } from '../stores/cluster-token-store.ts';
import {
  deleteTrust,
  findNameHolder,
  findTrust,
  findTrustOfRoot,
  insertTrust,
  listTrusts,
  updateTrust,
} from '../stores/trusted-cluster-store.ts';
import { admitLeaf } from './admit-leaf.ts';
import { type OwnCluster, readEntry, writeEntry } from './entry.ts';
import { joinRoot, lookAtRoot } from './join-root.ts';
import { type KnownTrust, knownTrust } from './known-trust.ts';
import { previewMap } from './preview-map.ts';
import { endAllOf, mapAgain, refuseMap, requireSameRoot } from './save-trust.ts';
import { parseTrust } from './trust-document.ts';
import { trustItem } from './trust-item.ts';

export interface TrustHandlerDeps extends FederationParts {
  db: Db;
  access: AccessControl;
  audit: Audit;
  log: Log;
  now: () => number;
  own: OwnCluster;
  keys: FederationKeys;
  trusts: KeptRows<KnownTrust>;
  leaves: Pick<KeptRows<unknown>, 'refresh'>;
  links: () => ClusterLinks;
}

/** A stranger who tries tokens is told of once in so long. */
const TELL_EVERY_MS = 60_000;

export function trustedClusterHandlers(deps: TrustHandlerDeps): Handlers<typeof trustedClusterRoutes> {
  const { db, access, audit, log, now, own, keys, trusts } = deps;
  const isNews = createOncePer(TELL_EVERY_MS, now);
  const exists = (role: string) => access.role(role) !== undefined;
  const requireOwn = (actor: Actor, verb: 'read' | 'create' | 'update') =>
    requireOnCluster(access, actor, verb, own.name);

  async function ownKey(): Promise<FederationKey> {
    const held = await keys.now();
    const next = held.next && {
      fingerprint: keyFingerprintOf(held.next.publicKey),
      from: new Date(held.next.signsFrom).toISOString(),
    };
    const fingerprint = keyFingerprintOf(held.current.publicKey);
    const entry = writeEntry(own, held);
    return { clusterId: own.clusterId, name: own.name, fingerprint, entry, ...(next ? { next } : {}) };
  }

  async function tellRefused(address: string, name: string, reason: string): Promise<void> {
    if (!isNews(`${address} ${reason}`)) return;
    const fields = { name, what: 'join' as const, reason, 'addr.remote': address };
    await db
      .transaction()
      .execute((tx) => audit.emit(tx, clusterRefused, fields, { address }))
      .catch((error: unknown) => log.error({ error }, 'a join that was refused could not be told'));
  }

  return {
    async list({ actor }) {
      const counts = await countRemoteUsers(db);
      return (await listTrusts(db))
        .filter(({ name }) => mayReach(access, actor, 'list', 'trusted_cluster', name))
        .map((trust) => trustItem(trust, deps.links(), counts.get(trust.name) ?? 0));
    },

    async create({ actor, body: { content }, exchange }) {
      const parsed = parseTrust(content, exists);
      const { name, address, token, document } = parsed;
      requireOnCluster(access, actor, 'create', name);
      refuseMap(access, actor, { name, map: document.spec.role_map });
      if (token === undefined)
        throw new AppError('bad_request', "'spec.token' is missing: the root's administrator makes one for each leaf");
      const held = await findTrust(db, name);
      if (held) throw held.ended === undefined ? taken(name) : overBefore(name);
      const { root_key: rootKey, ca_pin: pin } = document.spec;
      const fetch = isLoopbackName(new URL(address).hostname) ? deps.fetches.anywhere : deps.fetches.elsewhere;
      const root = await lookAtRoot(fetch, { address, rootKey, pin });
      if (root.clusterId === own.clusterId)
        throw new AppError('bad_request', `${address} is this cluster itself: it cannot be its own leaf`);
      const other = await findTrustOfRoot(db, root.clusterId);
      if (other?.ended !== undefined) throw overBefore(other.name);
      if (other) throw new AppError('conflict', `this root is trusted already, as '${other.name}'`);
      const holder = await findNameHolder(db, { name, rootId: root.clusterId, rootKey: root.key });
      if (holder) throw anothers(name, holder);
      const joined = await joinRoot(fetch, {
        ...{ address, rootKey, pin, token, root },
        own: writeEntry(own, await keys.now()),
      });
      const stored = await db
        .transaction()
        .execute(async (tx) => {
          const rows = { name, rootId: joined.clusterId, rootKey: joined.key };
          const holder = await findNameHolder(tx, rows);
          if (holder) throw anothers(name, holder);
          const made = await insertTrust(tx, {
            ...rows,
            content: parsed.content,
            enabled: document.spec.enabled,
            address,
            rootName: joined.name,
            rootNext: joined.next,
            created: now(),
            createdBy: actor.username,
          });
          await audit.emit(tx, trustedClusterCreated, { user: actor.username, name }, contextOf(actor, exchange));
          return made;
        })
        .catch((error: unknown) => {
          throw isUniqueViolation(error) ? taken(name) : error;
        });
      await trusts.refresh();
      return trustItem(stored, deps.links(), 0);
    },

    async update({ actor, params: { name }, body: { content, revision }, exchange }) {
      const held = requireReach(
        access,
        { actor, verb: 'update', kind: 'trusted_cluster', name },
        await findTrust(db, name),
      );
      const parsed = parseTrust(content, exists);
      requireSameRoot(parsed, held);
      refuseMap(access, actor, { name, map: parsed.document.spec.role_map });
      const wanted = revision ?? exchange.header('if-match')?.replaceAll('"', '').trim() ?? held.revision;
      const stored = await db.transaction().execute(async (tx) => {
        const change = { content: parsed.content, enabled: parsed.document.spec.enabled };
        const after = await updateTrust(tx, { name, revision: wanted }, change);
        if (!after)
          throw new AppError(
            'compare_failed',
            `the trust '${name}' was changed by somebody else meanwhile: look at their version first`,
          );
        await mapAgain(tx, knownTrust(after), { exists, now: now() });
        await audit.emit(tx, trustedClusterUpdated, { user: actor.username, name }, contextOf(actor, exchange));
        return after;
      });
      await trusts.refresh();
      return trustItem(stored, deps.links(), (await countRemoteUsers(db)).get(name) ?? 0);
    },

    async remove({ actor, params: { name }, exchange }) {
      requireReach(access, { actor, verb: 'delete', kind: 'trusted_cluster', name }, await findTrust(db, name));
      await db.transaction().execute(async (tx) => {
        await endAllOf(tx, name, now());
        await holdLocks(tx, { trust: name, audit, now: now() }, []);
        await deleteTrust(tx, name);
        await audit.emit(tx, trustedClusterDeleted, { user: actor.username, name }, contextOf(actor, exchange));
      });
      await trusts.refresh();
      await access.refreshLocks();
      return OK;
    },

    async previewMap({ actor, body: { role_map, remote, trust } }) {
      const naming = { actor, verb: 'list', kind: 'trusted_cluster' } as const;
      if (trust === undefined) requireOwn(actor, 'read');
      else requireReach(access, { ...naming, name: trust }, await findTrust(db, trust));
      return previewMap(access, { role_map, remote }, trust === undefined ? [] : await listRemoteUsers(db, trust));
    },

    async createToken({ actor, body: { ttlSeconds }, exchange }) {
      requireOwn(actor, 'create');
      const expires = now() + ttlSeconds * 1000;
      const { origin, warning } = deps.endpoint(exchange.origin);
      const token = await db.transaction().execute(async (tx) => {
        const made = await insertClusterToken(tx, { now: now(), by: actor.username, expires });
        const until = new Date(expires).toISOString();
        const fields = { user: actor.username, expires: until };
        await audit.emit(tx, trustedClusterTokenCreated, fields, contextOf(actor, exchange));
        return made;
      });
      const { fingerprint: rootKey } = await ownKey();
      const authority = origin.startsWith('https:') ? deps.authority() : undefined;
      const caPin = authority && new X509Certificate(authority).fingerprint256.replaceAll(':', '').toLowerCase();
      const command = `gatehouse clusters join ${origin} --token ${token} --root-key ${rootKey}${caPin ? ` --ca-pin ${caPin}` : ''}`;
      return {
        ...{ token, expires: new Date(expires).toISOString(), rootKey, command },
        ...(caPin ? { caPin } : {}),
        ...(warning ? { warning } : {}),
      };
    },

    key: ownKey,

    async rotateKey({ actor, body: { overlapSeconds }, exchange }) {
      requireOwn(actor, 'update');
      await keys.now();
      await db.transaction().execute(async (tx) => {
        const { publicKey } = await keys.rotate(tx, overlapSeconds * 1000);
        const fields = {
          user: actor.username,
          fingerprint: keyFingerprintOf(publicKey),
          overlap_seconds: overlapSeconds,
        };
        await audit.emit(tx, federationKeyRotated, fields, contextOf(actor, exchange));
      });
      keys.refresh();
      return await ownKey();
    },

    async validate({ body: { token, certificate_authorities }, exchange: { address } }) {
      const entry = readEntry(certificate_authorities[0]!);
      try {
        if (!entry)
          throw new AppError(
            'bad_request',
            'this is no entry of a Gatehouse cluster of this version or an older one: only Gatehouse clusters join each other',
          );
        await db.transaction().execute((tx) => admitLeaf(tx, { token, entry, own, audit, now: now(), address }));
      } catch (error) {
        if (error instanceof AppError) await tellRefused(address, entry?.name ?? '', error.message);
        throw error;
      }
      await deps.leaves.refresh();
      return { certificate_authorities: [writeEntry(own, await keys.now())] };
    },
  };
}

function taken(name: string): AppError {
  return new AppError('conflict', `a trust '${name}' exists already: choose another name`);
}

/** Who came under that name left sessions, recordings and locks: nobody else's people find them. */
function anothers(name: string, key: string): AppError {
  return new AppError(
    'conflict',
    `people of another root (${keyFingerprintOf(key)}) were called '${name}/…' here, and what they left is kept under that name: choose another one, with --name or 'metadata.name'`,
  );
}

function overBefore(name: string): AppError {
  return new AppError(
    'conflict',
    `the trust '${name}' was ended by its root: remove it here first ('gatehouse clusters rm ${name}'), then join again`,
  );
}
