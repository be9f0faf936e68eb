/** What a list says about a user: where they come from, how they prove themselves, whether they can sign in now. */

import type { LockItem } from '@gatehouse/contract/access/locks/locks';
import type { LockOut } from '@gatehouse/contract/identity/lock-outs';
import type { FoundUser, UserState } from '@gatehouse/contract/identity/users/find-users';
import type { UserItem } from '@gatehouse/contract/identity/users/users';
import type { DotState } from '@gatehouse/design/status-dot';
import type { Translate } from '../../platform/i18n/words.ts';

export interface UserRow extends FoundUser {
  /** Locks on the user or on a role of theirs. */
  locks: readonly LockItem[];
  lockOut: LockOut | undefined;
}

export const STATE_DOTS: Record<UserState, DotState> = {
  locked: 'bad',
  'locked-out': 'warn',
  invited: 'off',
  active: 'ok',
  'left-behind': 'bad',
};

export function rowsOf(
  users: readonly FoundUser[],
  locks: readonly LockItem[],
  lockOuts: readonly LockOut[],
): UserRow[] {
  return users.map((user) => ({
    ...user,
    locks: locks.filter(
      ({ targets }) => targets.user === user.name || (targets.role !== undefined && user.roles.includes(targets.role)),
    ),
    lockOut: lockOuts.find(({ name }) => name === user.name),
  }));
}

const PROVIDERS: Readonly<Record<string, string>> = { github: 'GitHub', oidc: 'OIDC', saml: 'SAML' };

export function isLocal({ authType }: Pick<UserItem, 'authType'>): boolean {
  return authType === 'local';
}

export function typeWords(t: Translate, user: Pick<UserItem, 'authType' | 'formerConnector'>): string {
  // They hold nothing and cannot sign in: to call them a local user would say otherwise.
  if (user.formerConnector !== undefined) return t('users.type-removed', { connector: user.formerConnector });
  if (isLocal(user)) return t('users.type-local');
  return t('users.type-sso', { provider: PROVIDERS[user.authType] ?? user.authType });
}

export function factorWords(t: Translate, { factors }: Pick<UserItem, 'factors'>): string {
  if (factors === undefined) return '';
  return factors.length === 0
    ? t('users.factor-none')
    : factors.map((factor) => t(`users.factor-${factor}`)).join(', ');
}
