/** Makes trust between clusters out of the store, the change feed and identity's own parts. */
import { randomUUID } from 'node:crypto';
import { trustEnded } from '@gatehouse/contract/audit/trusted-cluster-events';
import { VERSION } from '@gatehouse/contract/std/version';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import type { SignInWatch } from '../sign-in/sign-in-watch.ts';
import { trustAlerts } from './alerts.ts';
import type { Federation } from './federation.ts';
import { openKeptRows } from './kept-rows.ts';
import { createFederationKeys } from './key/federation-keys.ts';
import { createLeafDirectory } from './leaves/leaf-directory.ts';
import { remoteClusterHandlers } from './leaves/remote-cluster-handlers.ts';
import { NO_LINKS } from './links.ts';
import type { OwnFactors } from './news/factors.ts';
import { createHearRoot } from './news/hear-root.ts';
import { createTellLeaf } from './news/tell-leaf.ts';
import { createVouchedFactors } from './news/vouched-factors.ts';
import { passportFor } from './passport/passport-for.ts';
import { LEAF_TOPIC, listLeaves, updateLeaf } from './stores/remote-cluster-store.ts';
import { markTrustEnded, TRUST_TOPIC } from './stores/trusted-cluster-store.ts';
import { listKnownTrusts } from './trusts/known-trust.ts';
import { endAllOf } from './trusts/save-trust.ts';
import { trustedClusterHandlers } from './trusts/trusted-cluster-handlers.ts';
import { createRemoteVisits } from './visits/remote-visits.ts';

export interface FederationDeps
  extends Pick<IdentityDeps, 'db' | 'now' | 'log' | 'audit' | 'access' | 'secrets' | 'cache'> {
  feed: ChangeFeed;
  clusterId: string;
  clusterName: string;
  watch: Pick<SignInWatch, 'onEnd'>;
  /** Of people of this cluster, for leaves that want one. */
  factors: OwnFactors;
  lostMs?: number | undefined;
}

export async function createFederation(deps: FederationDeps): Promise<Federation> {
  const { db, now, log, audit, access, cache, feed, clusterId, clusterName } = deps;
  const own = { clusterId, name: clusterName, version: VERSION };
  const gatewayId = randomUUID();
  const keys = createFederationKeys(deps);
  const leaves = await openKeptRows({ feed, log }, LEAF_TOPIC, () => listLeaves(db));
  const trusts = await openKeptRows({ feed, log }, TRUST_TOPIC, () => listKnownTrusts(db));
  const directory = createLeafDirectory(leaves, access);
  const came = (trust: string, sid: string) => roots.came(trust, sid);
  const visits = createRemoteVisits({
    db,
    audit,
    access,
    cache,
    trusts,
    ownId: clusterId,
    gatewayId,
    clusterName,
    came,
    log,
    now,
  });
  const roots = createHearRoot({
    ...{ db, audit, access, cache, keys, trusts, visits, ownId: clusterId, log, now },
    ...(deps.lostMs === undefined ? {} : { lostMs: deps.lostMs }),
  });
  const vouched = createVouchedFactors(now);
  const withLeaf = createTellLeaf({
    ...{ db, audit, access, cache, watch: deps.watch, feed, keys, factors: deps.factors, ownId: clusterId, log, now },
    vouched,
    leaves: { ...directory, refresh: leaves.refresh, onChange: leaves.onChange },
  });
  let held = NO_LINKS;
  const links = () => held;

  return {
    own,
    gatewayId,
    keys,
    leaves: { ...directory, onChange: leaves.onChange },
    trusts: { all: trusts.all, onChange: trusts.onChange },
    passportFor: (...asked) => passportFor({ ownId: clusterId, keys, cache, now }, ...asked),
    vouch: vouched.vouch,
    admit: visits.admit,
    async noteLeaf(id, { version, key }) {
      const leaf = directory.byId(id);
      // It proved the key it had announced: the one before is gone.
      const change = leaf?.next === key ? { key, next: undefined } : {};
      const back = leaf?.left ? { left: undefined } : {};
      await db.transaction().execute((tx) => updateLeaf(tx, id, { version, lastSeen: now(), ...change, ...back }));
    },
    async noteLeft(id, why) {
      await db.transaction().execute(async (tx) => {
        await updateLeaf(tx, id, { left: { at: now(), why } });
        await audit.emit(tx, trustEnded, { name: directory.byId(id)?.name, reason: why });
      });
    },
    alerts: (actor) => trustAlerts({ access, trusts: trusts.all(), leaves: leaves.all() }, actor),
    async noteRoot(trust, ended) {
      await db.transaction().execute(async (tx) => {
        await markTrustEnded(tx, trust, { ended, now: now() });
        if (ended === undefined) return;
        await endAllOf(tx, trust, now());
        await audit.emit(tx, trustEnded, { name: trust, reason: ended });
      });
      await trusts.refresh();
    },
    setLinks(given) {
      held = given;
    },
    links,
    news: { withLeaf, withRoot: roots.withRoot },
    factors: roots.factors,
    tellSession: roots.tellSession,
    open: (parts) => ({
      trustedClusters: trustedClusterHandlers({
        ...{ db, access, audit, log, now, own, keys, trusts, leaves, links },
        ...parts,
      }),
      remoteClusters: remoteClusterHandlers({ db, access, audit, leaves, links }),
    }),
    close() {
      roots.close();
      keys.close();
      leaves.close();
      trusts.close();
    },
  };
}
