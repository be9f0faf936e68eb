/** Brings the effects of a change together: people who gain or lose the same on the same resources are told in one breath. */
import type { AffectedName } from '@gatehouse/contract/access/explain/what-if';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Effects } from './use-what-if.ts';

export interface EffectGroup {
  id: string;
  kind: Kind;
  users: string[];
  names: readonly AffectedName[];
  nameCount: number;
  resourceCount: number;
  resourceNames: readonly string[];
}

export function groupEffects(items: Effects['items'], side: 'gained' | 'lost'): EffectGroup[] {
  const groups = new Map<string, EffectGroup>();
  for (const item of items) {
    const names = item[side];
    const nameCount = side === 'gained' ? item.gainedCount : item.lostCount;
    if (nameCount === 0) continue;
    const { kind, resourceCount, resourceNames } = item;
    const id = JSON.stringify([kind, names, nameCount, resourceCount, resourceNames]);
    const group = groups.get(id);
    if (group) group.users.push(item.user);
    else groups.set(id, { id, kind, users: [item.user], names, nameCount, resourceCount, resourceNames });
  }
  return [...groups.values()].sort((a, b) => b.users.length - a.users.length);
}
