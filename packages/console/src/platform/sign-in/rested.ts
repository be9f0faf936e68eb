/** How long nobody did anything in this browser, where that is watched: what a timer asks must not look like somebody at the keyboard. */
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';

export function restedMs(storage: Pick<Storage, 'getItem'>, now: number): number | undefined {
  const lastActive = Number(storage.getItem(STORAGE_KEYS.lastActive));
  return lastActive > 0 ? Math.max(0, now - lastActive) : undefined;
}
