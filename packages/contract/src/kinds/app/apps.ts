/** Applications: the list every client knows, how administrators add, change, check and remove them, and how people get into one. */
import { z } from 'zod';
import { factorAnswer } from '../../identity/webauthn.ts';
import { label } from '../../std/labels.ts';
import { resourceLabels } from '../../std/resource-fields.ts';
import { ack } from '../../wire/ack.ts';
import { listQuery, listReply } from '../../wire/paging.ts';
import { defineRoutes } from '../../wire/route.ts';
import { heldNameRoutes } from '../held-names.ts';
import { appKind } from './app-kind.ts';
import { APP_TYPES, appFields, appName } from './app-spec.ts';

/** `display` is what people read: the name without its path. */
export const awsRole = z.object({ name: z.string(), display: z.string(), arn: z.string() });
export type AwsRole = z.output<typeof awsRole>;

/** What clients of the wire reference read, and `gatehouse` with what only our own look at. */
export const app = z.object({
  name: z.string(),
  description: z.string(),
  uri: z.string(),
  /** Its host name, given or made of its name; without a port. */
  publicAddr: z.string(),
  fqdn: z.string(),
  clusterId: z.string(),
  labels: z.array(label),
  awsConsole: z.boolean(),
  /** Roles the caller may take there; only for consoles of AWS. */
  awsRoles: z.array(awsRole).optional(),
  gatehouse: z
    .object({
      type: z.enum(APP_TYPES),
      /** Announced by agents, or entered by an administrator, who can change it. */
      source: z.enum(['agent', 'entered']),
      /** Where the gateway serves it, with the port: `https://grafana.gate.example.com:3080`. */
      origin: z.string(),
      /** Which picture: what was chosen, or guessed from its name; may be empty. */
      icon: z.string(),
      /** Its certificate is not checked. */
      insecure: z.boolean(),
      /** Agents that reach it; 0: the gateway dials by itself. */
      ways: z.number().int(),
      /** How many of those are connected to this gateway. */
      connected: z.number().int(),
    })
    .optional(),
});
export type App = z.output<typeof app>;

/** An application with all that can be edited. */
export const appDetails = z.object({
  app,
  ...appFields,
  labels: resourceLabels,
  /** Agents that dial it, by name. */
  through: z.array(z.string()),
});
export type AppDetails = z.output<typeof appDetails>;

const throughAgents = z.array(z.string().min(1).max(253)).max(16).default([]);

export const newApp = z.strictObject({
  name: appName,
  labels: resourceLabels.default({}),
  ...appFields,
  /** Ids or names of agents that reach it; none: the gateway dials. */
  through: throughAgents,
});
export type NewApp = z.output<typeof newApp>;

/** As much of one as a test of the way to it looks at. */
export const appDraft = newApp
  .pick({ labels: true, uri: true, insecureSkipVerify: true, ca: true, serverName: true })
  .extend({ name: appName.optional() })
  .strip();

/** The hops to an application, in order. What comes after one that failed is skipped. */
export const APP_CHECK_STEPS = ['agent', 'resolve', 'connect', 'tls', 'http'] as const;
export const appCheckStep = z.object({
  step: z.enum(APP_CHECK_STEPS),
  /** `warning`: it works, but somebody should look at it. */
  status: z.enum(['ok', 'warning', 'failed', 'skipped']),
  message: z.string(),
  /** What to do about it. */
  next: z.string(),
  ms: z.number(),
});
export type AppCheckStep = z.output<typeof appCheckStep>;

/** Which application, as the launch address names it. Clients of the wire send empty texts for what they do not know. */
const wanted = {
  fqdn: z.string().max(300).default(''),
  cluster_name: z.string().max(253).default(''),
  public_addr: z.string().max(300).default(''),
  /** A role of AWS. */
  arn: z.string().max(2048).default(''),
};

/** The host in an address that names an application may carry the port of the gateway. */
export const launchPath = z
  .string()
  .max(8192)
  .refine(
    (text) => [...text].every((character) => character > ' ' && character !== '\u007f' && character !== '\\'),
    'holds characters that no address has',
  )
  .transform((text) => `/${text.replace(/^\/+/, '')}`);

export const APP_COOKIE = 'grv_app_session';
export const APP_SUBJECT_COOKIE = 'grv_app_session_subject';
/** On the application's host: the reference's handshake, its sign-out, and our own launch. */
export const APP_AUTH_PATH = '/x-teleport-auth';
export const APP_LOGOUT_PATH = '/teleport-logout';
export const APP_START_PATH = '/x-gatehouse-start';
export const APP_LAUNCH_PATH = '/x-gatehouse-launch';
/** Carries who is there, signed; see the JWKS route. */
export const JWT_HEADER = 'gatehouse-jwt-assertion';

/** Bytes of a TCP application; see sessions/tcp-frames.ts. */
export const APP_TCP_SOCKET = '/v1/webapi/sites/:clusterId/apps/:name/tcp';
/** Requests of one browser to a web application, as HTTP/1.1: for a cluster that has the browser. `ready` names the application. */
export const APP_WEB_SOCKET = '/v1/webapi/sites/:clusterId/apps/:name/web';
/** What it is told with its address. */
export const appWebQuery = z.object({
  /** Made up by the other cluster for one browser: all connections of it are one session. Without it, only the name is asked for. */
  session: z.union([z.uuid(), z.literal('')]).default(''),
  /** Where the browser has the application. */
  origin: z.url({ protocol: /^https?$/ }).max(512),
  /** The host of the other cluster's console: no application sets cookies for it. */
  gateway: z.string().min(1).max(253),
  /** A second factor, as JSON; empty where none was given. */
  factor: z.string().max(16_384).default(''),
});

export const appRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/apps',
    summary: 'The applications the caller sees, with the AWS roles they may take in each.',
    auth: 'signed-in',
    needs: ['appServers', 'list'],
    query: listQuery,
    reply: listReply(app),
  },
  get: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/apps/:name',
    summary: 'One application with all that can be edited.',
    auth: 'signed-in',
    needs: ['appServers', 'list'],
    reply: appDetails,
  },
  add: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/apps',
    summary: 'Adds an application. A name or host name that another one has is refused.',
    auth: 'signed-in',
    needs: ['appServers', 'create'],
    body: newApp,
    reply: app,
  },
  update: {
    method: 'PUT',
    path: '/v1/webapi/sites/:clusterId/apps/:name',
    summary: 'Replaces an application that was entered; open sessions with it are decided again.',
    auth: 'signed-in',
    needs: ['appServers', 'edit'],
    body: newApp.omit({ name: true }),
    reply: app,
  },
  remove: {
    method: 'DELETE',
    path: '/v1/webapi/sites/:clusterId/apps/:name',
    summary: 'Removes an application that was entered. One that agents announce goes with them.',
    auth: 'signed-in',
    needs: ['appServers', 'remove'],
    reply: ack,
  },
  ...heldNameRoutes('app', appKind),
  check: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/apps/check',
    summary: 'Tries each hop to an application that is about to be added, and tells what came of it. Stores nothing.',
    auth: 'signed-in',
    needs: ['appServers', 'create'],
    body: z.strictObject({
      uri: appFields.uri,
      insecureSkipVerify: appFields.insecureSkipVerify,
      ca: appFields.ca,
      serverName: appFields.serverName,
      through: throughAgents,
    }),
    reply: z.object({ steps: z.array(appCheckStep) }),
  },
  fqdn: {
    method: 'GET',
    path: '/v1/webapi/apps/:fqdn',
    summary: 'The host name of an application, from a host name.',
    auth: 'signed-in',
    reply: z.object({ fqdn: z.string() }),
  },
  fqdnOf: {
    method: 'GET',
    path: '/v1/webapi/apps/:fqdn/:clusterId/:publicAddr',
    summary: 'The host name of an application, from its cluster and public address.',
    auth: 'signed-in',
    reply: z.object({ fqdn: z.string() }),
  },
  session: {
    method: 'POST',
    path: '/v1/webapi/sessions/app',
    summary:
      'Opens a session with an application and gives the values of its two cookies; the handshake of the reference.',
    auth: 'signed-in',
    /** Ours: the factor, where a role asks for one for each session. */
    body: z.object({ ...wanted, factor: factorAnswer.optional() }),
    reply: z.object({ cookie_value: z.string(), subject_cookie_value: z.string(), fqdn: z.string() }),
  },
  pass: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/apps/:name/pass',
    summary:
      'Takes a second factor for connections to a TCP application: what it gives goes with each of them, from the same sign-in, for an hour. Empty where no role asks for one.',
    auth: 'signed-in',
    body: z.object({ factor: factorAnswer.optional() }),
    reply: z.object({ pass: z.string() }),
  },
  launch: {
    method: 'POST',
    path: '/v1/webapi/sessions/app/launch',
    summary:
      'Where the browser goes next, as a whole page: to the application with a code that works once, or first to its host for a state that ties the code to this browser. With a role of AWS, to the console of AWS.',
    auth: 'signed-in',
    body: z.object({
      ...wanted,
      /** Where in the application. */
      path: launchPath.default('/'),
      /** From the address the application's host sent the browser to; without it, `url` leads there first. */
      state: z.string().max(128).default(''),
      /** Where a role asks for one for each session. */
      factor: factorAnswer.optional(),
    }),
    reply: z.object({ url: z.string(), fqdn: z.string() }),
  },
});

/** One key of a JWK set, as RFC 7517 has it. */
const jwk = z.object({
  kty: z.string(),
  crv: z.string(),
  x: z.string(),
  y: z.string(),
  use: z.literal('sig'),
  alg: z.literal('ES256'),
  kid: z.string(),
});

/** `coming`: among the keys that applications read, and signs from `until` on. `leaving`: signs no more, and goes at `until`. */
export const identityKey = z.object({
  kid: z.string(),
  state: z.enum(['coming', 'signing', 'leaving']),
  until: z.string().optional(),
});

export const jwksRoutes = defineRoutes({
  keys: {
    method: 'GET',
    path: '/.well-known/jwks.json',
    summary: 'The public keys of the identity header that applications receive.',
    auth: 'public',
    headToo: true,
    reply: z.object({ keys: z.array(jwk) }),
  },
  list: {
    method: 'GET',
    path: '/v1/webapi/appidentitykeys',
    summary: 'The keys that sign the identity header of applications, and when each comes and goes.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'list'],
    reply: z.array(identityKey),
  },
  rotate: {
    method: 'POST',
    path: '/v1/webapi/appidentitykeys/rotate',
    summary:
      'Makes a new key for the identity header. It signs when applications have had to read the keys again; the one before stays among them until nothing it signed counts. At once: the keys before count no more.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'edit'],
    body: z.strictObject({ atOnce: z.boolean().default(false) }),
    reply: z.array(identityKey),
  },
});
