/** Events of what vouches for databases: authorities, and certificates of servers. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import { byUser, resource } from '../../events/event-fields.ts';
import { line } from '../../events/line.ts';

export const dbAuthorityRotated = defineEvent({
  code: 'GH380I',
  event: 'db_authority.rotate',
  label: 'Database Authority Rotated',
  fields: {
    ...byUser,
    purpose: z.string(),
    fingerprint: z.string(),
    announce_seconds: z.number(),
    overlap_seconds: z.number(),
  },
  tell: ({ user, purpose, fingerprint }) =>
    line`${user} made ${fingerprint} the next authority ${purpose} of databases`,
});

export const dbServerSigned = defineEvent({
  code: 'GH381I',
  event: 'db_server.sign',
  label: 'Database Server Certificate Signed',
  fields: {
    ...byUser,
    hosts: z.array(z.string()),
    fingerprint: z.string(),
    expires: z.string(),
    /** By which it was asked for, where nobody was signed in. */
    token_name: z.string().optional(),
  },
  tell: ({ user, hosts, token_name }) =>
    token_name === undefined
      ? line`${user} signed a certificate for the database server ${hosts}`
      : line`a certificate for the database server ${hosts} was signed by the join token ${token_name}`,
});

/** Names belong to the agents that had them until somebody frees them. */
export const dbNameFreed = defineEvent({
  code: 'GH382I',
  event: 'db.name.free',
  label: 'Database Name Freed',
  about: { kind: 'db', name: 'name' },
  fields: { ...byUser, ...resource, hosts: z.array(z.string()), group: z.string() },
  tell: ({ user, name }) => line`${user} freed the name of the database ${name}`,
});
