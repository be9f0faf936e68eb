/** The rows of some collections, followed for as long as they are shown. */
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useBrowse } from './browse.ts';
import { followRows, type ListPart, type RowList, type RowStore } from './rows/row-store.ts';

export const NO_ROWS: RowList = {
  rows: new Map(),
  version: 0,
  columns: [],
  isListed: false,
  isCut: false,
  isLive: false,
  failures: [],
  changes: 0,
};

const nothing = () => () => {};

export function useRows(parts: readonly ListPart[]): RowList {
  const browse = useBrowse();
  const { now } = useBrowser();
  const [store, setStore] = useState<RowStore>();
  // By what it says: the same parts are often made anew.
  const key = JSON.stringify(parts);
  const wanted = useMemo(() => JSON.parse(key) as ListPart[], [key]);
  useEffect(() => {
    if (wanted.length === 0) return;
    const followed = followRows(browse, wanted, now);
    setStore(followed);
    return () => {
      followed.stop();
      setStore(undefined);
    };
  }, [browse, wanted, now]);
  return useSyncExternalStore(store?.list.subscribe ?? nothing, store ? store.list.get : () => NO_ROWS);
}
