/** Events of roles, with the document before and after: who could do what must be readable long after it changed. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { byUser, resource } from '../events/event-fields.ts';
import { line } from '../events/line.ts';

const about = { kind: 'role', name: 'name' } as const;
const roleRecord = { ...byUser, ...resource } as const;

export const roleCreated = defineEvent({
  code: 'T9000I',
  event: 'role.created',
  label: 'User Role Created',
  about,
  fields: { ...roleRecord, after: z.string() },
  tell: ({ user, name }) => line`${user} created the role ${name}`,
});

export const roleUpdated = defineEvent({
  code: 'GH130I',
  event: 'role.updated',
  label: 'User Role Updated',
  about,
  fields: { ...roleRecord, before: z.string(), after: z.string() },
  tell: ({ user, name }) => line`${user} changed the role ${name}`,
});

export const roleDeleted = defineEvent({
  code: 'T9001I',
  event: 'role.deleted',
  label: 'User Role Deleted',
  about,
  fields: { ...roleRecord, before: z.string().optional() },
  tell: ({ user, name }) => line`${user} deleted the role ${name}`,
});
