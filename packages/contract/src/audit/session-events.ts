/** Events of sessions: from their start to their end, who joined them and what ran inside. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import {
  byUser,
  connection,
  kubeCluster,
  kubePod,
  ofResource,
  ofSession,
  server,
  session,
} from '../events/event-fields.ts';
import { because, cut, line, took, when } from '../events/line.ts';
import { owner, place, sessionOf } from '../events/session-words.ts';
import { factsOf, isKind } from '../kinds/kinds.ts';

/** Of sessions with whatever kind: first in the fields of ours, which older events do not have. */
const ofAnyKind = { kind: '', name: 'resource_name', kindIn: 'resource_kind' } as const;
const about = [
  { kind: 'kube', name: 'kubernetes_cluster' },
  { kind: 'node', name: 'server_hostname' },
  { kind: 'node', name: 'server_id' },
] as const;
const node = [
  { kind: 'node', name: 'server_hostname' },
  { kind: 'node', name: 'server_id' },
] as const;
const aboutAny = [ofAnyKind, ...node] as const;
/** What its kind is called, in events that say it. */
const nounOf = ({ resource_kind: kind = '' }: { resource_kind?: string | undefined }) =>
  isKind(kind) ? factsOf(kind).noun : undefined;
const onNode = { ...byUser, ...session, ...server } as const;
const observed = { ...onNode, pid: z.number(), cgroup_id: z.number(), program: z.string() } as const;
/** Ours beside the wire's: everything of one session must be findable, and told by whom it was. */
const ofWhom = { ...byUser, sid: z.string().optional(), with_mfa: z.string().optional() } as const;
const recorded = { initial_command: z.array(z.string()).optional(), session_recording: z.string().optional() } as const;

export const sessionStarted = defineEvent({
  code: 'T2000I',
  event: 'session.start',
  label: 'Session Started',
  about,
  fields: {
    ...onNode,
    ...connection,
    size: z.string().optional(),
    /** Ours: false where nobody has a terminal. */
    interactive: z.boolean().optional(),
    ...kubePod,
    ...recorded,
  },
  tell: (fields) =>
    fields.interactive === false
      ? line`${fields.user} began to run ${cut(fields.initial_command?.join(' '))} on ${place(fields)}`
      : line`${fields.user} began a session on ${place(fields)}`,
});

export const sessionJoined = defineEvent({
  code: 'T2001I',
  event: 'session.join',
  label: 'User Joined',
  about: [ofAnyKind, ...about],
  fields: { ...onNode, ...connection, ...kubeCluster, ...ofResource, owner },
  tell: (fields) => line`${fields.user} joined ${sessionOf(fields.owner, fields, nounOf(fields))}`,
});

export const sessionLeft = defineEvent({
  code: 'T2003I',
  event: 'session.leave',
  label: 'User Disconnected',
  about: aboutAny,
  fields: { ...onNode, ...connection, ...ofResource, owner },
  tell: (fields) => line`${fields.user} left ${sessionOf(fields.owner, fields, nounOf(fields))}`,
});

export const sessionResized = defineEvent({
  code: 'T2002I',
  event: 'resize',
  label: 'Terminal Resize',
  about: [ofAnyKind, ...about],
  fields: { ...onNode, ...connection, size: z.string().optional(), ...kubePod, ...ofResource, owner },
  tell: (fields) =>
    line`${fields.user} resized the terminal of ${sessionOf(fields.owner, fields, nounOf(fields))}${when(fields.size, line` to ${fields.size?.replace(':', ' × ')}`)}`,
});

export const sessionEnded = defineEvent({
  code: 'T2004I',
  event: 'session.end',
  label: 'Session Ended',
  about,
  fields: {
    ...onNode,
    ...connection,
    enhanced_recording: z.boolean(),
    interactive: z.boolean(),
    participants: z.array(z.string()),
    session_start: z.string().optional(),
    session_stop: z.string().optional(),
    /** Ours: why, as its people were told. */
    reason: z.string().optional(),
    ...kubePod,
    ...recorded,
  },
  // Its owner need not be who ended it: the reason says that.
  tell: (fields) =>
    fields.interactive === false
      ? line`${cut(fields.initial_command?.join(' ') || 'a command')} of ${fields.user} on ${place(fields)} ended${took(fields.session_start, fields.session_stop)}${because(fields.reason)}`
      : line`the session of ${fields.user} on ${place(fields)} ended${took(fields.session_start, fields.session_stop)}${because(fields.reason)}`,
});

export const sessionRejected = defineEvent({
  code: 'T1006W',
  event: 'session.rejected',
  label: 'Session Rejected',
  about: aboutAny,
  fields: { ...byUser, ...server, ...connection, ...ofResource, reason: z.string(), max: z.number() },
  tell: (fields) => {
    const { user, login, reason, max } = fields;
    const where = login
      ? line`${fields.server_hostname || fields.server_id} as ${login}`
      : place(fields, nounOf(fields));
    return line`${user} was not let into ${where}: ${reason}${when(max, line` (at most ${max})`)}`;
  },
});

export const sessionUploaded = defineEvent({
  code: 'T2005I',
  event: 'session.upload',
  label: 'Session Uploaded',
  about: { kind: 'recording', name: 'sid' },
  fields: { ...byUser, ...ofSession, ...session, url: z.string(), owner },
  tell: (fields) => line`the recording of ${sessionOf(fields.owner, fields)} was uploaded to its bucket`,
});

export const sessionConnected = defineEvent({
  code: 'T2010I',
  event: 'session.connect',
  label: 'Session Connected',
  about: aboutAny,
  fields: { ...ofWhom, ...server, ...connection, ...ofResource },
  tell: (fields) =>
    fields.user
      ? line`${fields.user} was connected to ${place(fields, nounOf(fields))}`
      : line`a connection to ${place(fields, nounOf(fields))} was opened`,
});

export const sessionData = defineEvent({
  code: 'T2006I',
  event: 'session.data',
  label: 'Session Data',
  about: aboutAny,
  fields: { ...onNode, ...connection, ...ofResource, tx: z.number(), rx: z.number() },
  tell: (fields) =>
    line`${sessionOf(fields.user, fields, nounOf(fields))} has printed ${fields.tx} and was given ${fields.rx} bytes`,
});

export const clientDisconnected = defineEvent({
  code: 'T3006I',
  event: 'client.disconnect',
  label: 'Client Disconnected',
  about: aboutAny,
  fields: { ...ofWhom, ...connection, ...server, ...ofResource, reason: z.string() },
  tell: (fields) =>
    line`${fields.user} was disconnected from ${place(fields, nounOf(fields))}${because(fields.reason)}`,
});

export const sessionEndedByOther = defineEvent({
  code: 'GH300I',
  event: 'session.terminate',
  label: 'Session Ended by Administrator',
  about: aboutAny,
  fields: { ...byUser, ...connection, ...ofSession, ...ofResource, name: z.string(), reason: z.string().optional() },
  tell: (fields) =>
    line`${fields.user} ended ${sessionOf(fields.name, fields, nounOf(fields))}${because(fields.reason)}`,
});

export const accessDenied = defineEvent({
  code: 'GH301W',
  event: 'access.denied',
  label: 'Access Denied',
  about: ofAnyKind,
  fields: {
    ...byUser,
    ...connection,
    resource_kind: z.string(),
    resource_name: z.string(),
    denial: z.string().optional(),
    reason: z.string().optional(),
  },
  tell: ({ user, resource_kind, resource_name, login, reason }) =>
    line`${user} was denied access to ${resource_kind} ${resource_name}${when(login, line` as ${login}`)}${because(reason)}`,
});

/** Of any call that somebody may not make, under the id that they are shown. */
export const callRefused = defineEvent({
  code: 'GH367W',
  event: 'call.refused',
  label: 'Call Refused',
  fields: {
    ...byUser,
    ...connection,
    door: z.string(),
    reason: z.string().optional(),
    denial: z.string(),
    /** Those after the first of a minute are one event: how many, and the ids of the last of them. */
    count: z.int().optional(),
    denials: z.array(z.string()).optional(),
  },
  tell: ({ user, door, reason, count }) =>
    count
      ? line`${user} was refused ${door} ${count} more times within a minute${because(reason)}`
      : line`${user} was refused ${door}${because(reason)}`,
});

export const sessionCommand = defineEvent({
  code: 'T4000I',
  event: 'session.command',
  label: 'Session Command',
  about: node,
  fields: { ...observed, ppid: z.number(), path: z.string(), argv: z.array(z.string()), return_code: z.number() },
  tell: (fields) => line`${fields.program} was run in ${sessionOf(fields.user, fields)}`,
});

export const sessionFileAccess = defineEvent({
  code: 'T4001I',
  event: 'session.disk',
  label: 'Session File Access',
  about: node,
  fields: { ...observed, path: z.string(), flags: z.number(), return_code: z.number() },
  tell: (fields) => line`${fields.program} opened ${fields.path} in ${sessionOf(fields.user, fields)}`,
});

export const sessionNetworkConnection = defineEvent({
  code: 'T4002I',
  event: 'session.network',
  label: 'Session Network Connection',
  about: node,
  fields: {
    ...observed,
    src_addr: z.string(),
    dst_addr: z.string(),
    dst_port: z.number(),
    version: z.number(),
    operation: z.number(),
    action: z.number(),
  },
  tell: (fields) => {
    const { program, src_addr, dst_addr, dst_port, action } = fields;
    return action === 1
      ? line`${program} was kept from connecting from ${src_addr} to ${dst_addr} port ${dst_port} in ${sessionOf(fields.user, fields)}`
      : line`${program} connected from ${src_addr} to ${dst_addr} port ${dst_port} in ${sessionOf(fields.user, fields)}`;
  },
});

export const sessionProcessExit = defineEvent({
  code: 'T4003I',
  event: 'session.process_exit',
  label: 'Session Process Exit',
  fields: { ...byUser, sid: z.string(), program: z.string(), exit_status: z.number() },
  tell: (fields) =>
    line`${fields.program} ended with status ${fields.exit_status} in ${sessionOf(fields.user, fields)}`,
});
