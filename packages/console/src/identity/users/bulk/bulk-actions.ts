/** What each action does to one user, through the same calls as the panel: the gateway decides for each by itself. */

import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { lockOutRoutes } from '@gatehouse/contract/identity/lock-outs';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import type { Api } from '../../../platform/api/api.ts';
import { refusalOf } from '../../../platform/failures/failure-words.ts';
import type { Translate } from '../../../platform/i18n/words.ts';
import type { Link } from '../made-link.tsx';
import { isLocal, type UserRow } from '../user-facts.ts';
import { LeftOut } from './bulk-work.ts';

export const BULK_ACTIONS = ['add-role', 'remove-role', 'lock', 'unlock', 'link', 'delete'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** What was filled in before. */
export interface BulkChoice {
  roles: readonly string[];
  reason: string;
  ttlSeconds: number | undefined;
}

interface Doer {
  api: Api;
  t: Translate;
  /** Whoever is signed in. */
  self: string;
  choice: BulkChoice;
}

const cluster = { clusterId: CURRENT_CLUSTER };

/** A link, where one was made. */
export async function doToUser(action: BulkAction, row: UserRow, doer: Doer): Promise<Link | undefined> {
  const { api, t, self, choice } = doer;
  if ((action === 'lock' || action === 'delete') && row.name === self) throw new LeftOut(t('users-bulk.not-yourself'));
  switch (action) {
    case 'add-role':
      await changeRoles(doer, row.name, (held) => [...new Set([...held, ...choice.roles])]);
      return;
    case 'remove-role':
      await changeRoles(doer, row.name, (held) => held.filter((role) => !choice.roles.includes(role)));
      return;
    case 'lock': {
      const ttl = choice.ttlSeconds === undefined ? {} : { ttlSeconds: choice.ttlSeconds };
      const body = { targets: { user: row.name }, message: choice.reason.trim(), ...ttl };
      await api(lockRoutes.create, { params: cluster, body });
      return;
    }
    case 'unlock':
      await unlock(doer, row);
      return;
    case 'link':
      return await makeLink(doer, row);
    case 'delete':
      await api(userRecordRoutes.remove, { params: { username: row.name } });
      return;
    default:
      return action satisfies never;
  }
}

/** Somebody may change the user in between: then what they made of it is changed, not undone. */
async function changeRoles(doer: Doer, name: string, change: (held: string[]) => string[], tries = 2) {
  const { api, t } = doer;
  const { roles: held, revision } = await api(userRecordRoutes.get, { params: { username: name } });
  const roles = change(held);
  if (roles.length === held.length) return;
  if (roles.length === 0) throw new LeftOut(t('users-bulk.only-role'));
  try {
    await api(userRecordRoutes.update, { body: { name, roles, traits: {}, ...(revision ? { revision } : {}) } });
  } catch (error) {
    if (refusalOf(error)?.code !== 'compare_failed' || tries === 0) throw error;
    await changeRoles(doer, name, change, tries - 1);
  }
}

async function unlock({ api, t }: Doer, { name, locks, lockOut }: UserRow): Promise<void> {
  const own = locks.filter(({ targets }) => targets.user === name);
  for (const lock of own) await api(lockRoutes.remove, { params: { ...cluster, name: lock.name } });
  if (lockOut) await api(lockOutRoutes.lift, { params: { name } });
  if (own.length < locks.length) throw new LeftOut(t('users-bulk.role-lock'));
  if (own.length === 0 && !lockOut) throw new LeftOut(t('users-bulk.no-lock'));
}

async function makeLink({ api, t }: Doer, row: UserRow): Promise<Link> {
  if (!isLocal(row)) throw new LeftOut(t('users-bulk.no-password'));
  const type = row.invited ? 'invite' : 'password';
  const { link, expiry } = await api(passwordRoutes.createToken, { body: { name: row.name, type } });
  return { user: row.name, link, expires: expiry, kind: row.invited ? 'invite' : 'reset' };
}
