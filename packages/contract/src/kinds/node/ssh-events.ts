/** Events of SSH beside the session itself: commands, forwarded ports and windows, subsystems. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import { byUser, connection, kubePod, ofSession, server, session, status } from '../../events/event-fields.ts';
import { because, cut, type Line, line } from '../../events/line.ts';
import { place } from '../../events/session-words.ts';

const about = [
  { kind: 'kube', name: 'kubernetes_cluster' },
  { kind: 'node', name: 'server_hostname' },
] as const;
const node = { kind: 'node', name: 'server_hostname' } as const;
const command = {
  ...byUser,
  ...connection,
  ...session,
  ...server,
  command: z.string(),
  exitCode: z.string().optional(),
  exitError: z.string().optional(),
  ...kubePod,
} as const;
/** An address is better than nothing. */
function placeOr(fields: Parameters<typeof place>[0] & { 'addr.local'?: string | undefined }): Line {
  const { kubernetes_cluster, server_hostname, server_addr, 'addr.local': local } = fields;
  return kubernetes_cluster || server_hostname || server_addr ? place(fields) : line`${local || fields.server_id}`;
}

const forward = { ...byUser, ...connection, ...ofSession, ...status } as const;
const subsystem = { ...byUser, ...connection, ...ofSession, name: z.string(), exitError: z.string() } as const;

export const commandExecuted = defineEvent({
  code: 'T3002I',
  event: 'exec',
  label: 'Command Execution',
  about,
  fields: command,
  tell: (fields) => line`${fields.user} ran ${cut(fields.command)} on ${placeOr(fields)}`,
});

export const commandFailed = defineEvent({
  code: 'T3002E',
  event: 'exec',
  label: 'Command Execution Failed',
  about,
  fields: command,
  tell: (fields) =>
    line`${fields.user} ran ${cut(fields.command)} on ${placeOr(fields)}, which failed${because(fields.exitError)}`,
});

export const portForwarded = defineEvent({
  code: 'T3003I',
  event: 'port',
  label: 'Port Forwarding Started',
  about,
  fields: { ...forward, addr: z.string(), listens: z.boolean().optional(), ...kubePod },
  tell: ({ user, addr, listens, server_hostname }) =>
    listens ? line`${user} had ${server_hostname} listen on ${addr}` : line`${user} forwarded a port to ${addr}`,
});

export const portForwardFailed = defineEvent({
  code: 'T3003E',
  event: 'port',
  label: 'Port Forwarding Failed',
  about,
  fields: { ...forward, addr: z.string(), listens: z.boolean().optional(), ...kubePod },
  tell: ({ user, addr, error, listens, server_hostname }) =>
    listens
      ? line`${user} could not have ${server_hostname} listen on ${addr}${because(error)}`
      : line`${user} could not forward a port to ${addr}${because(error)}`,
});

export const agentForwarded = defineEvent({
  code: 'GH231I',
  event: 'agent-forward',
  label: 'SSH Agent Forwarding Requested',
  about: node,
  fields: forward,
  tell: ({ user, success, error }) =>
    success
      ? line`${user} let a session use the keys of their agent`
      : line`${user} was refused the forwarding of their agent${because(error)}`,
});

export const x11Forwarded = defineEvent({
  code: 'T3008I',
  event: 'x11-forward',
  label: 'X11 Forwarding Requested',
  about: node,
  fields: forward,
  tell: ({ user }) => line`${user} asked for windows of X11 to be forwarded`,
});

export const x11ForwardFailed = defineEvent({
  code: 'T3008W',
  event: 'x11-forward',
  label: 'X11 Forwarding Request Failed',
  about: node,
  fields: forward,
  tell: ({ user, error }) => line`${user} was refused the forwarding of X11 windows${because(error)}`,
});

export const subsystemRequested = defineEvent({
  code: 'T3001I',
  event: 'subsystem',
  label: 'Subsystem Requested',
  about: node,
  fields: subsystem,
  tell: ({ user, name }) => line`${user} asked for the subsystem ${name}`,
});

export const subsystemFailed = defineEvent({
  code: 'T3001E',
  event: 'subsystem',
  label: 'Subsystem Request Failed',
  about: node,
  fields: subsystem,
  tell: ({ user, name, exitError }) => line`${user} asked for the subsystem ${name}, which failed${because(exitError)}`,
});
