/** Where a terminal on a server opens: always a page of its own, so it is a plain link in a new tab. */

import { pagePath } from '@gatehouse/contract/console/pages';
import type { Node } from '@gatehouse/contract/kinds/node/nodes';

export function connectPath({ siteId, id }: Pick<Node, 'siteId' | 'id'>, login: string): string {
  return pagePath('consoleNode', { clusterId: siteId, serverId: id, login });
}

/** For a link: a new tab that cannot reach back into this one. */
export const NEW_TAB = { target: '_blank', rel: 'noopener' } as const;
