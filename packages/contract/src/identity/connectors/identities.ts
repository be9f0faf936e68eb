/** Who a user is to sign-in providers: seen, linked and unlinked. */
import { z } from 'zod';
import { ack } from '../../wire/ack.ts';
import { defineRoutes } from '../../wire/route.ts';
import { CONNECTOR_KINDS } from './connector-kinds.ts';
import { keptKeys, ownKeys } from './own-keys.ts';

export const identityItem = z.object({
  kind: z.enum(CONNECTOR_KINDS),
  connector: z.string(),
  subject: z.string(),
  /** What the provider calls them. */
  name: z.string(),
  created: z.string(),
  /** When the provider last said that they are still theirs. */
  confirmed: z.string().optional(),
  nextRecheck: z.string().optional(),
  /** What the last recheck failed with. */
  trouble: z.string().optional(),
  /** The account got new credentials since: it signs nobody in until it is confirmed by linking it again. */
  isDoubted: z.boolean().optional(),
});
export type IdentityItem = z.output<typeof identityItem>;

const subject = z.string().min(1).max(1024);
const connector = z.string().min(1).max(128);

export const identityRoutes = defineRoutes({
  own: {
    method: 'GET',
    path: '/v1/webapi/sso/identities',
    summary: 'Who the caller is to sign-in providers.',
    auth: 'signed-in',
    reply: z.array(identityItem),
  },
  signOut: {
    method: 'GET',
    path: '/v1/webapi/sso/signout',
    summary:
      'Where the caller can sign out at the provider this sign-in came through too; nowhere, for one of this gateway.',
    auth: 'signed-in',
    reply: z.object({ connector: z.string().optional(), display: z.string().optional(), url: z.string().optional() }),
  },
  ownKeys: {
    method: 'GET',
    path: '/v1/webapi/sso/keys',
    summary:
      'What opens the caller’s account, for whoever is about to link it to a provider: what is not named then ends with it.',
    auth: 'signed-in',
    query: z.object({ connector }),
    reply: ownKeys,
  },
  linkOwn: {
    method: 'POST',
    path: '/v1/webapi/sso/identities',
    summary:
      'Begins linking the caller to a provider: the address is opened in a window, and whoever they are there is theirs. With the link, sign-ins, tokens, devices, password and recovery codes end, all but this sign-in, the device just used and those that `keep` names. Wants a second factor of the last minutes.',
    auth: 'signed-in',
    body: z.object({ connector, keep: keptKeys.optional() }),
    reply: z.object({ id: z.string(), url: z.string() }),
  },
  unlinkOwn: {
    method: 'DELETE',
    path: '/v1/webapi/sso/identities/:connector',
    summary: 'Undoes the caller’s link to a provider.',
    auth: 'signed-in',
    reply: ack,
  },
  ofUser: {
    method: 'GET',
    path: '/v1/webapi/users/:username/identities',
    summary: 'Who a user is to sign-in providers.',
    auth: 'signed-in',
    needs: ['users', 'read'],
    reply: z.array(identityItem),
  },
  link: {
    method: 'POST',
    path: '/v1/webapi/users/:username/identities',
    summary:
      'Lets whoever a provider knows by this subject sign in as the user. With their first sign-in, credentials, tokens and sign-ins from before end.',
    auth: 'signed-in',
    needs: ['users', 'edit'],
    body: z.object({ connector, subject }),
    reply: identityItem,
  },
  unlink: {
    method: 'DELETE',
    path: '/v1/webapi/users/:username/identities/:connector',
    summary:
      'Undoes a user’s link to a provider, and ends what was signed in through it. What the connector gave is taken back, unless the caller may edit roles.',
    auth: 'signed-in',
    needs: ['users', 'edit'],
    reply: ack,
  },
});
