/** Users as records: read, made, changed and deleted, with their roles and traits. */
import { z } from 'zod';
import { ack } from '../../wire/ack.ts';
import { defineRoutes } from '../../wire/route.ts';
import { newUserName, traits, userItem } from './users.ts';

export const userRecord = userItem.extend({
  traits,
  /** Changes with roles and traits; send it back with an edit so that nobody else's is overwritten. */
  revision: z.string().optional(),
  /** After a change: what of it gives nothing, and why. */
  notes: z.array(z.string()).optional(),
});
export type UserRecord = z.output<typeof userRecord>;

const roles = z.array(z.string().min(1).max(128)).min(1).max(64);
const anyName = z.string().min(1).max(256);

export const userRecordRoutes = defineRoutes({
  get: {
    method: 'GET',
    path: '/v1/webapi/users/:username',
    summary: 'One user with roles and traits.',
    auth: 'signed-in',
    needs: ['users', 'read'],
    reply: userRecord,
  },
  create: {
    method: 'POST',
    path: '/v1/webapi/users',
    summary: 'Makes a user, who needs a link to set credentials.',
    auth: 'signed-in',
    needs: ['users', 'create'],
    body: z.object({ name: newUserName, roles, traits: traits.default({}) }),
    reply: userRecord,
  },
  update: {
    method: 'PUT',
    path: '/v1/webapi/users',
    summary:
      'Replaces the roles of a user, and the traits that are given: an absent trait stays, an empty one is cleared.',
    auth: 'signed-in',
    needs: ['users', 'edit'],
    body: z.object({ name: anyName, roles, traits: traits.default({}), revision: z.string().max(64).optional() }),
    reply: userRecord,
  },
  remove: {
    method: 'DELETE',
    path: '/v1/webapi/users/:username',
    summary: 'Deletes a user and ends everything they are signed in to. Nobody deletes themselves.',
    auth: 'signed-in',
    needs: ['users', 'remove'],
    reply: ack,
  },
});
