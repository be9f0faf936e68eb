/** What administrators do to people whose things are open: rights are taken away, or conditions put on them. */

import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import type { TestBrowser } from './test-browser.ts';

const WATCHED = `{name: eyes, filter: 'contains(user.roles, "helper")', kinds: ["*"], count: 1, modes: [moderator], on_leave: pause}`;

/** The roles the takeaways give; make them once. */
export async function makeTakeawayRoles(admin: TestBrowser): Promise<void> {
  const make = (name: string, spec: string) =>
    call(admin.send, roleRoutes.create, {
      body: { content: `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n` },
    });
  await make('holds-nothing', '{allow: {}}');
  await make('asks-factor', '{options: {require_session_mfa: true}, allow: {}}');
  await make('asks-eyes', `{allow: {require_session_join: [${WATCHED}]}}`);
}

type Takeaway = (admin: TestBrowser, name: string, roles: string[]) => Promise<unknown>;

const give = (admin: TestBrowser, name: string, roles: string[]) =>
  call(admin.send, userRecordRoutes.update, { body: { name, roles, traits: {} } });

/** Each leaves somebody who may not go on as they did. */
const table = {
  'the role is taken away': (admin, name) => give(admin, name, ['holds-nothing']),
  'the user is locked': (admin, name) =>
    call(admin.send, lockRoutes.create, { params: { clusterId: '-current-' }, body: { targets: { user: name } } }),
  'the user is deleted': (admin, name) => call(admin.send, userRecordRoutes.remove, { params: { username: name } }),
  'an administrator signs them out': (admin, name) =>
    call(admin.send, signInsRoutes.endAllOfUser, { params: { username: name } }),
  'a second factor is asked for': (admin, name, roles) => give(admin, name, [...roles, 'asks-factor']),
  'a moderator is asked for': (admin, name, roles) => give(admin, name, [...roles, 'asks-eyes']),
} satisfies Record<string, Takeaway>;

export type TakeawayName = keyof typeof table;
export const TAKEAWAYS: Readonly<Record<TakeawayName, Takeaway>> = table;
export const TAKEAWAY_NAMES = Object.keys(TAKEAWAYS) as TakeawayName[];
