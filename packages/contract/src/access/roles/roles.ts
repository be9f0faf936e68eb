/** Roles over the wire: documents as text, one revision each. */
import { z } from 'zod';
import { ack } from '../../wire/ack.ts';
import { listOf } from '../../wire/paging.ts';
import { defineRoutes } from '../../wire/route.ts';
import { MAX_ROLE_CHARACTERS } from './role-document.ts';

export const roleItem = z.object({
  id: z.string(),
  kind: z.literal('role'),
  name: z.string(),
  /** The document as its author wrote it. */
  content: z.string(),
  /** Changes with every save; send it back with an edit so that nobody else's is overwritten. */
  revision: z.string().optional(),
  /** What the document asks for that is accepted but gives nothing here. */
  notes: z.array(z.string()).optional(),
});
export type RoleItem = z.output<typeof roleItem>;

const content = z.string().min(1).max(MAX_ROLE_CHARACTERS);

export const roleRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/roles',
    summary: 'The roles of this cluster.',
    auth: 'signed-in',
    needs: ['roles', 'list'],
    reply: listOf(roleItem),
  },
  create: {
    method: 'POST',
    path: '/v1/webapi/roles',
    summary: 'Makes a role from a YAML or JSON document.',
    auth: 'signed-in',
    needs: ['roles', 'create'],
    body: z.object({ content }),
    reply: roleItem,
  },
  update: {
    method: 'PUT',
    path: '/v1/webapi/roles/:name',
    summary: 'Replaces the document of a role. With a revision, or If-Match, only while it is still that one.',
    auth: 'signed-in',
    needs: ['roles', 'edit'],
    body: z.object({ content, revision: z.string().max(64).optional() }),
    reply: roleItem,
  },
  remove: {
    method: 'DELETE',
    path: '/v1/webapi/roles/:name',
    summary: 'Deletes a role that nobody holds.',
    auth: 'signed-in',
    needs: ['roles', 'remove'],
    reply: ack,
  },
});
