/** The address a person opens to set their credentials. */
import { pagePath } from '@gatehouse/contract/console/pages';
import type { AuthSettings } from '../identity-deps.ts';

export function linkFor(
  { publicOrigin }: Pick<AuthSettings, 'publicOrigin'>,
  { tokenId, type }: { tokenId: string; type: 'invite' | 'password' },
): string {
  return `${publicOrigin()}${pagePath(type === 'invite' ? 'invite' : 'reset', { tokenId })}`;
}
