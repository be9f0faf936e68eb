/** Events of the gateway itself: certificates, settings, its own coming and going. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { byUser, ofSession, session } from '../events/event-fields.ts';
import { because, line, theGateway } from '../events/line.ts';
import { place } from '../events/session-words.ts';

export const gatewayStarted = defineEvent({
  code: 'GH340I',
  event: 'gateway.start',
  label: 'Gateway Started',
  about: { kind: 'gateway', name: 'gateway' },
  fields: { ...byUser, gateway: z.string(), version: z.string() },
  tell: ({ gateway, version }) => line`${theGateway(gateway)} started with version ${version}`,
});

export const gatewayStopped = defineEvent({
  code: 'GH341I',
  event: 'gateway.stop',
  label: 'Gateway Stopped',
  about: { kind: 'gateway', name: 'gateway' },
  fields: { gateway: z.string(), reason: z.string().optional() },
  tell: ({ gateway, reason }) => line`${theGateway(gateway)} stopped${because(reason)}`,
});

export const olderStoreAccepted = defineEvent({
  code: 'GH365W',
  event: 'store.older',
  label: 'Older Store Accepted',
  about: { kind: 'gateway', name: 'gateway' },
  fields: { gateway: z.string(), error: z.string() },
  tell: ({ gateway, error }) => line`${theGateway(gateway)} was started on an older store on purpose: ${error}`,
});

export const backupTaken = defineEvent({
  code: 'GH366I',
  event: 'backup.create',
  label: 'Backup Taken',
  about: { kind: 'gateway', name: 'gateway' },
  fields: { gateway: z.string() },
  tell: ({ gateway }) => line`a backup of ${theGateway(gateway)} was taken on its machine`,
});

export const trustedKeyLost = defineEvent({
  code: 'GH361E',
  event: 'trusted_key.lost',
  label: 'Trusted Key Lost',
  fields: { key: z.string(), trusted_by: z.string() },
  tell: ({ key, trusted_by }) =>
    line`the ${key} was gone from the store; a new one was made, which ${trusted_by} do not trust yet`,
});

export const certificateIssued = defineEvent({
  code: 'TC000I',
  event: 'cert.create',
  label: 'Certificate Issued',
  fields: {
    cert_type: z.string().optional(),
    identity: z.looseObject({ user: z.string().optional() }),
    /** Ours: the wire has it inside the identity only, where no search looks. */
    user: z.string().optional(),
    login: z.string().optional(),
    ...ofSession,
  },
  tell: (fields) =>
    fields.server_hostname
      ? line`a certificate of the type ${fields.cert_type} was issued to ${fields.identity?.user} for ${place(fields)}`
      : line`a certificate of the type ${fields.cert_type} was issued to ${fields.identity?.user}`,
});

export const upgradeWindowUpdated = defineEvent({
  code: 'TUW01I',
  event: 'upgradewindowstart.update',
  label: 'Upgrade Window Start Updated',
  fields: { ...byUser, ...session, upgrade_window_start: z.string().optional() },
  tell: ({ user, upgrade_window_start }) => line`${user} set the hour of upgrades to ${upgrade_window_start}`,
});
