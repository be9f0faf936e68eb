/** Into the console after signing in: a page load, because the page brings the token. */
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import type { BrowserServices } from '../../platform/browser/browser-services.tsx';

export function enterConsole({ storage, go }: Pick<BrowserServices, 'storage' | 'go'>, target: string): void {
  // The last activity of an earlier sign-in would end this one at once.
  storage.removeItem(STORAGE_KEYS.lastActive);
  go(target);
}
