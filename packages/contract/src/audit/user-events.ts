/** Events of users as administrators manage them. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { byUser, resource } from '../events/event-fields.ts';
import { line } from '../events/line.ts';

/** What a change of a user can change. */
const state = z.object({ roles: z.array(z.string()), traits: z.record(z.string(), z.array(z.string())) }).optional();

const userRecord = {
  ...byUser,
  ...resource,
  roles: z.array(z.string()),
  connector: z.string(),
  before: state,
  after: state,
} as const;

export const userCreated = defineEvent({
  code: 'T1002I',
  event: 'user.create',
  label: 'User Created',
  about: { kind: 'user', name: 'name' },
  fields: userRecord,
  tell: ({ user, name }) => line`${user} created the user ${name}`,
});

export const userUpdated = defineEvent({
  code: 'T1003I',
  event: 'user.update',
  label: 'User Updated',
  about: { kind: 'user', name: 'name' },
  fields: userRecord,
  tell: ({ user, name }) => line`${user} changed the user ${name}`,
});

export const userDeleted = defineEvent({
  code: 'T1004I',
  event: 'user.delete',
  label: 'User Deleted',
  about: { kind: 'user', name: 'name' },
  fields: { ...byUser, ...resource, before: state },
  tell: ({ user, name }) => line`${user} deleted the user ${name}`,
});

export const inviteMadeLocally = defineEvent({
  code: 'GH120I',
  event: 'user.local_invite',
  label: 'Link Made on the Gateway',
  about: { kind: 'user', name: 'name' },
  fields: { ...byUser, ...resource, type: z.enum(['invite', 'password']), system_user: z.string().optional() },
  tell: ({ name, type }) =>
    line`someone with access to the gateway's machine made ${type === 'invite' ? 'an invite' : 'a reset'} link for ${name}`,
});
