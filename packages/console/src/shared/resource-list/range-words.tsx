/** Which rows are in sight, told without drawing the whole screen again at each turn of the wheel. */
import type { RowRange } from '@gatehouse/design/virtual-table';
import { useSyncExternalStore } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';

export interface InSight {
  tell: (range: RowRange) => void;
  now: () => RowRange;
  subscribe: (listener: () => void) => () => void;
}

export function createInSight(): InSight {
  const listeners = new Set<() => void>();
  let range: RowRange = { first: 0, last: 0 };
  return {
    tell(next) {
      range = next;
      for (const listener of listeners) listener();
    },
    now: () => range,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function RangeWords({ inSight, count }: { inSight: InSight; count: number }) {
  const t = useTranslate();
  const { first, last } = useSyncExternalStore(inSight.subscribe, inSight.now);
  return t('resource-list.range', { first: first + 1, last: Math.min(last, count), found: count });
}
