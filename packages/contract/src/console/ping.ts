/** Calls anyone may make to learn what this gateway is: ping, find, motd. */
import { z } from 'zod';
import { defineRoutes } from '../wire/route.ts';
import { SECOND_FACTORS } from './page-config.ts';

const namedConnector = z.object({ name: z.string(), display: z.string() });

const authSettings = z.object({
  type: z.enum(['local', 'github', 'oidc', 'saml']),
  second_factor: z.enum(SECOND_FACTORS).optional(),
  preferred_local_mfa: z.string().optional(),
  allow_passwordless: z.boolean().optional(),
  allow_headless: z.boolean().optional(),
  local: z.object({ name: z.string() }).optional(),
  webauthn: z.object({ rp_id: z.string() }).optional(),
  oidc: namedConnector.optional(),
  saml: namedConnector.optional(),
  github: namedConnector.optional(),
  private_key_policy: z.string(),
  has_motd: z.boolean(),
});

const proxySettings = z.object({
  kube: z.object({ enabled: z.boolean().optional(), public_addr: z.string().optional() }),
  ssh: z.object({
    /** Set while the gateway takes programs that speak SSH. */
    listen_addr: z.string().optional(),
    web_listen_addr: z.string().optional(),
    public_addr: z.string().optional(),
    ssh_public_addr: z.string().optional(),
  }),
  db: z.object({}),
  tls_routing_enabled: z.boolean(),
});

const found = z.object({
  proxy: proxySettings,
  server_version: z.string(),
  min_client_version: z.string(),
  cluster_name: z.string(),
  automatic_upgrades: z.boolean(),
});
const pong = found.extend({
  auth: authSettings,
  /** Ours, beside the reference's names. */
  gatehouse: z
    .object({
      /** Of the console that this gateway serves. */
      consoleBuild: z.string(),
      /** Of the key that the SSH door shows, while there is one: what whoever comes without a certificate's authority compares. */
      sshFingerprint: z.string().optional(),
    })
    .optional(),
});
export type Pong = z.output<typeof pong>;

export const pingRoutes = defineRoutes({
  ping: {
    method: 'GET',
    path: '/v1/webapi/ping',
    summary: 'What this gateway is and how to sign in to it.',
    auth: 'public',
    headToo: true,
    reply: pong,
  },
  pingConnector: {
    method: 'GET',
    path: '/v1/webapi/ping/:connector',
    summary: 'The same as ping, with the sign-in settings of one connector.',
    auth: 'public',
    reply: pong,
  },
  find: {
    method: 'GET',
    path: '/v1/webapi/find',
    summary: 'What this gateway is, without the sign-in settings.',
    auth: 'public',
    headToo: true,
    reply: found,
  },
  motd: {
    method: 'GET',
    path: '/v1/webapi/motd',
    summary: 'The message of the day.',
    auth: 'public',
    reply: z.object({ Text: z.string() }),
  },
});
