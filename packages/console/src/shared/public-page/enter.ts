/** Into the console after signing in: a page load, because the page brings the token. */
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import type { World } from '../../platform/world/world.tsx';

export function enterConsole({ storage, go }: Pick<World, 'storage' | 'go'>, target: string): void {
  // The last activity of an earlier sign-in would end this one at once.
  storage.removeItem(STORAGE_KEYS.lastActive);
  go(target);
}
