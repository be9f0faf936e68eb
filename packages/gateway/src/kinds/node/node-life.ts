/** What a change of a server means for sessions with it. */
import { nodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import type { ResourceLife } from '../../sessions/host/resource-life.ts';

export const nodeLife: ResourceLife = {
  called: 'server',
  moved: 'changed: it is at another address now',
  waitsForAgent: true,
  isAnother(before, now) {
    const [was, is] = [nodeSpec.safeParse(before.spec).data, nodeSpec.safeParse(now.spec).data];
    if (before.owner !== now.owner || was?.type !== is?.type) return true;
    return was?.type === 'openssh' && is?.type === 'openssh' && (was.addr !== is.addr || was.through !== is.through);
  },
};
