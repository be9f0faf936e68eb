/** What opens an application: its address and in which tab, or the command for programs of one's own. */

import { pagePath } from '@gatehouse/contract/console/pages';
import type { App } from '@gatehouse/contract/kinds/app/apps';

/** Another tab, which must not be able to reach back into this one. */
export const NEW_TAB = { target: '_blank', rel: 'noopener' } as const;

/** Nothing while the gateway has not said under which name it is served. */
export function launchPath({ fqdn, clusterId, publicAddr }: App, arn?: string): string | undefined {
  if (!fqdn || !clusterId || !publicAddr) return undefined;
  return pagePath('launch', { fqdn, clusterId, publicAddr, ...(arn ? { arn } : {}) });
}

export function proxyCommand(name: string): string {
  return `gatehouse proxy app ${name}`;
}
