/** Desktops: the list every client knows, how administrators add, change and remove them, what they are signed in to with, and what they are known by. */
import { z } from 'zod';
import { label } from '../../std/labels.ts';
import { resourceLabels } from '../../std/resource-fields.ts';
import { ack } from '../../wire/ack.ts';
import { listQuery, listReply } from '../../wire/paging.ts';
import { defineRoutes } from '../../wire/route.ts';
import {
  certificatePin,
  DESKTOP_PROTOCOLS,
  desktopCertificate,
  desktopFields,
  desktopName,
  typedLogin,
} from './desktop-spec.ts';

/** What keeps everybody out until somebody does something about it. */
export const DESKTOP_LACKS = ['certificate', 'agent'] as const;

/** What clients of the wire reference read, and `gatehouse` with what only our own look at. */
export const desktop = z.object({
  os: z.literal('windows'),
  name: z.string(),
  addr: z.string(),
  labels: z.array(label),
  /** Id of the agent that offers or dials it; empty: the gateway dials. */
  host_id: z.string(),
  /** Whom the caller may become there. */
  logins: z
    .array(z.string())
    .nullable()
    .transform((logins) => logins ?? []),
  gatehouse: z
    .object({
      /** Announced by an agent, or entered by an administrator, who can change it. */
      source: z.enum(['agent', 'entered']),
      protocol: z.enum(DESKTOP_PROTOCOLS),
      domain: z.string(),
      /** What its host is known by. */
      certificate: z.enum(['pinned', 'certified', 'unknown']),
      /** People may type a password where none is stored. */
      askPassword: z.boolean(),
      /** Those of `logins` whose password is stored: nobody is asked for it. */
      stored: z.array(z.string()),
      lacks: z.array(z.enum(DESKTOP_LACKS)),
      /** Why its record lets nobody in until somebody changes it. */
      wrong: z.string().optional(),
      /** An agent dials it. */
      through: z.boolean(),
      /** Who dials it is connected to this gateway, or is this gateway. */
      connected: z.boolean(),
    })
    .optional(),
});
export type Desktop = z.output<typeof desktop>;

/** A desktop with all that can be edited; passwords are told to nobody. */
export const desktopDetails = z.object({
  item: desktop,
  ...desktopFields,
  /** Empty where what is stored cannot be read. */
  addr: z.string(),
  labels: resourceLabels,
  /** What its host is known by: as the record says, or as it was accepted. */
  certificate: desktopCertificate.optional(),
  /** Nobody has looked at that one: it was taken because the host knew the password of a login. */
  provenBy: z.string().optional(),
  /** Agent that was named to dial it, by name; told to who may change it, as is what follows. */
  through: z.string(),
  /** Agent that dials it, named or offering it. */
  agent: z.object({ name: z.string(), connected: z.boolean() }).optional(),
  /** Logins whose passwords are stored for it alone. */
  passwords: z.array(z.object({ login: z.string(), stored: z.string() })),
});
export type DesktopDetails = z.output<typeof desktopDetails>;

/** An agent that offers desktops. */
export const desktopService = z.object({
  name: z.string(),
  hostname: z.string(),
  addr: z.string(),
  labels: z.array(label),
  gatehouse: z
    .object({
      connected: z.boolean(),
      /** Of the token it joined with: who made that one knows it by this. */
      resourceId: z.string(),
    })
    .optional(),
});
export type DesktopService = z.output<typeof desktopService>;

const agentName = z.string().max(253);
const { addr, protocol, domain, askPassword, signIn } = desktopFields;

/** As it is entered. */
export const newDesktop = z.strictObject({
  name: desktopName,
  labels: resourceLabels.default({}),
  ...{ addr, protocol, domain, askPassword, signIn },
  certificate: desktopCertificate.optional(),
  /** Id or name of the agent that reaches it; empty: the gateway dials. */
  through: agentName.default(''),
});
export type NewDesktop = z.input<typeof newDesktop>;

/** As much of one as a test of the way to it looks at. */
export const desktopDraft = newDesktop
  .omit({ through: true })
  .extend({
    name: desktopName.optional(),
    /** Whom to be there; without a login and its password nobody signs in. */
    login: z.string().max(256).optional(),
    password: z.string().max(1_024).optional(),
  })
  .strip();

/** As somebody compares it with what the machine itself says. */
export const shownCertificate = z.object({
  pin: certificatePin,
  subject: z.string(),
  issuer: z.string(),
  from: z.string(),
  until: z.string(),
});
export type ShownCertificate = z.output<typeof shownCertificate>;

const password = z.string().min(1).max(1_024);

/** One password for all desktops that have the labels. */
export const widePassword = z.object({
  id: z.string(),
  login: z.string(),
  labels: resourceLabels,
  /** By name: what these agents offer is meant too, beside what was entered. */
  agents: z.array(z.string()),
  stored: z.string(),
  storedBy: z.string(),
});
export type WidePassword = z.output<typeof widePassword>;

/** PowerShell that gets Windows ready, as clients of the wire know it: texts, and no calls. */
const SCRIPTS = '/v1/webapi/scripts/desktop-access';
export const DESKTOP_SCRIPTS = {
  allowRemote: `${SCRIPTS}/install-ad-ds.ps1`,
  showCertificate: `${SCRIPTS}/install-ad-cs.ps1`,
  configure: `${SCRIPTS}/configure/:token/configure-ad.ps1`,
} as const;

export const desktopRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/desktops',
    summary: 'The desktops the caller sees, with whom they may become on each.',
    auth: 'signed-in',
    needs: ['desktops', 'list'],
    query: listQuery,
    reply: listReply(desktop),
  },
  get: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/desktops/:name',
    summary: 'One desktop.',
    auth: 'signed-in',
    needs: ['desktops', 'list'],
    reply: desktop,
  },
  active: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/desktops/:name/active',
    summary:
      'Whether somebody is on a desktop, as far as the caller may know of sessions; never for one they do not see.',
    auth: 'signed-in',
    needs: ['desktops', 'list'],
    reply: z.object({ active: z.boolean() }),
  },
  details: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/desktops/:name/details',
    summary: 'One desktop with all that can be edited. Passwords are told to nobody.',
    auth: 'signed-in',
    needs: ['desktops', 'list'],
    reply: desktopDetails,
  },
  services: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/desktopservices',
    summary: 'Agents that offer desktops. For who may list or make join tokens.',
    auth: 'signed-in',
    needs: ['desktops', 'list'],
    query: listQuery,
    reply: listReply(desktopService),
  },
  add: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/desktops',
    summary: 'Adds a desktop. A name that another one has is refused.',
    auth: 'signed-in',
    needs: ['desktops', 'create'],
    body: newDesktop,
    reply: desktop,
  },
  update: {
    method: 'PUT',
    path: '/v1/webapi/sites/:clusterId/desktops/:name',
    summary:
      'Changes what is said of a desktop that was entered; the rest stays as it is. Another address, domain, agent or certificate voids the passwords that are stored for it.',
    auth: 'signed-in',
    needs: ['desktops', 'edit'],
    body: z.strictObject({
      labels: resourceLabels.optional(),
      addr: addr.optional(),
      protocol: protocol.unwrap().optional(),
      domain: domain.unwrap().optional(),
      askPassword: askPassword.unwrap().optional(),
      certificate: desktopCertificate.optional(),
      through: agentName.optional(),
    }),
    reply: desktop,
  },
  remove: {
    method: 'DELETE',
    path: '/v1/webapi/sites/:clusterId/desktops/:name',
    summary:
      'Removes a desktop that was entered, with the passwords that were stored for it. One that an agent announces goes with it.',
    auth: 'signed-in',
    needs: ['desktops', 'remove'],
    reply: ack,
  },
  lookAt: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/desktops/certificate',
    summary:
      'The certificate that a desktop which is about to be added shows now. Asks the machine, signs in to nothing and stores nothing.',
    auth: 'signed-in',
    needs: ['desktops', 'create'],
    body: z.strictObject({ addr, protocol, through: agentName.default('') }),
    reply: z.object({ shown: shownCertificate }),
  },
  readCertificate: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/desktops/:name/certificate',
    summary:
      'The certificate that a desktop shows now, beside what it is known by. Asks the machine, signs in to nothing and changes nothing.',
    auth: 'signed-in',
    needs: ['desktops', 'edit'],
    reply: z.object({
      known: desktopCertificate.optional(),
      shown: shownCertificate,
      /** What it shows is what it is known by. */
      isKnown: z.boolean(),
    }),
  },
  setCertificate: {
    method: 'PUT',
    path: '/v1/webapi/sites/:clusterId/desktops/:name/certificate',
    summary:
      'Says which certificate a desktop is known by from now on, after somebody has compared it; also of one that an agent offers. Passwords that were stored for another are void.',
    auth: 'signed-in',
    needs: ['desktops', 'edit'],
    body: z.strictObject({ pin: certificatePin }),
    reply: ack,
  },
  setPassword: {
    method: 'PUT',
    path: '/v1/webapi/sites/:clusterId/desktops/:name/passwords/:login',
    summary:
      'Stores the password of a login on a desktop. Nobody reads it again; another address, domain, agent or certificate voids it.',
    auth: 'signed-in',
    needs: ['desktops', 'edit'],
    body: z.strictObject({ password }),
    reply: ack,
  },
  removePassword: {
    method: 'DELETE',
    path: '/v1/webapi/sites/:clusterId/desktops/:name/passwords/:login',
    summary: 'Forgets the password of a login on a desktop.',
    auth: 'signed-in',
    needs: ['desktops', 'edit'],
    reply: ack,
  },
  widePasswords: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/desktoppasswords',
    summary: 'The logins whose passwords are stored for all desktops with some labels. For who may edit roles.',
    auth: 'signed-in',
    reply: z.object({ items: z.array(widePassword) }),
  },
  setWidePassword: {
    method: 'PUT',
    path: '/v1/webapi/sites/:clusterId/desktoppasswords',
    summary:
      'Stores the password of a login for all desktops with some labels: those that were entered, and those that the named agents offer. Nobody reads it again. For who may edit roles: whoever could give a desktop such labels would be sent it.',
    auth: 'signed-in',
    body: z.strictObject({
      /** Without a domain: of each desktop's own. */
      login: typedLogin,
      labels: resourceLabels.refine((labels) => Object.keys(labels).length > 0, 'must be at least one label'),
      /** Ids or names. */
      agents: z.array(agentName.min(1)).max(64).default([]),
      password,
    }),
    reply: z.object({ id: z.string() }),
  },
  removeWidePassword: {
    method: 'DELETE',
    path: '/v1/webapi/sites/:clusterId/desktoppasswords/:id',
    summary: 'Forgets a password that was stored for all desktops with some labels. For who may edit roles.',
    auth: 'signed-in',
    reply: ack,
  },
});
