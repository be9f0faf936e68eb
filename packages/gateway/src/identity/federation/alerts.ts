/** Tells those who may list trusted clusters that trust was ended from the other side; gone once it is removed here, or back. */
import { ALERT_ON_LOGIN_LABEL, ALERT_SEVERITIES, type Alert } from '@gatehouse/contract/console/clusters';
import { printable } from '@gatehouse/contract/std/printable';
import type { AccessControl } from '../../access/create-access.ts';
import { mayReach } from '../../access/reach.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { StoredLeaf } from './stores/remote-cluster-store.ts';
import type { StoredTrust } from './stores/trusted-cluster-store.ts';

export interface TrustAlertDeps {
  access: AccessControl;
  trusts: readonly Pick<StoredTrust, 'name' | 'enabled' | 'ended' | 'endedAt'>[];
  leaves: readonly Pick<StoredLeaf, 'name' | 'left'>[];
}

const MAX_WORDS = 200;

export function trustAlerts({ access, trusts, leaves }: TrustAlertDeps, actor: Actor): Alert[] {
  const isListed = ({ name }: { name: string }) => mayReach(access, actor, 'list', 'trusted_cluster', name);
  const byRoots = trusts
    .filter(isListed)
    .flatMap(({ name, enabled, ended, endedAt = 0 }) =>
      enabled && ended !== undefined
        ? [
            alertOf(
              `root:${name}`,
              endedAt,
              `The root '${name}' has ended the trust (${wordsOf(ended)}): its people do not come in any more. Remove it under Trusted Clusters, or join again with a new token.`,
            ),
          ]
        : [],
    );
  const byLeaves = leaves
    .filter(isListed)
    .flatMap(({ name, left }) =>
      left
        ? [
            alertOf(
              `leaf:${name}`,
              left.at,
              `The leaf '${name}' has ended the trust, or switched it off: nobody reaches it from here. Remove it under Trusted Clusters, or ask its administrator.`,
            ),
          ]
        : [],
    );
  return [...byRoots, ...byLeaves];
}

function wordsOf(text: string): string {
  return printable(text).slice(0, MAX_WORDS);
}

function alertOf(about: string, at: number, message: string): Alert {
  return {
    kind: 'cluster_alert',
    version: 'v1',
    // No administrator can write one that is called so; another end is another alert, also for who put this one away.
    metadata: { name: `trust:${about}:${at}`, labels: { [ALERT_ON_LOGIN_LABEL]: 'yes' } },
    spec: { severity: ALERT_SEVERITIES.high, message, created: new Date(at).toISOString() },
  };
}
