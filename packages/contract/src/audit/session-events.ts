/** Events of sessions: from their start to their end, who joined them and what ran inside. */
import { z } from 'zod';
import { defineEvent } from './define-event.ts';
import { byUser, connection, kubeCluster, kubePod, ofSession, server, session } from './event-fields.ts';
import { because, line, took, when } from './line.ts';

const about = [
  { kind: 'kube', name: 'kubernetes_cluster' },
  { kind: 'node', name: 'server_hostname' },
  { kind: 'node', name: 'server_id' },
] as const;
const node = [
  { kind: 'node', name: 'server_hostname' },
  { kind: 'node', name: 'server_id' },
] as const;
const onNode = { ...byUser, ...session, ...server } as const;
const observed = { ...onNode, pid: z.number(), cgroup_id: z.number(), program: z.string() } as const;
const recorded = { initial_command: z.array(z.string()).optional(), session_recording: z.string().optional() } as const;

export const sessionStarted = defineEvent({
  code: 'T2000I',
  event: 'session.start',
  label: 'Session Started',
  about,
  fields: { ...onNode, ...connection, size: z.string().optional(), ...kubePod, ...recorded },
  tell: ({ user, sid, kubernetes_cluster, server_hostname, server_id, login }) =>
    line`${user} started the session ${sid} on ${kubernetes_cluster || server_hostname || server_id}${when(login, line` as ${login}`)}`,
});

export const sessionJoined = defineEvent({
  code: 'T2001I',
  event: 'session.join',
  label: 'User Joined',
  about,
  fields: { ...onNode, ...connection, ...kubeCluster },
  tell: ({ user, sid }) => line`${user} joined the session ${sid}`,
});

export const sessionLeft = defineEvent({
  code: 'T2003I',
  event: 'session.leave',
  label: 'User Disconnected',
  about: node,
  fields: { ...onNode, ...connection },
  tell: ({ user, sid }) => line`${user} left the session ${sid}`,
});

export const sessionResized = defineEvent({
  code: 'T2002I',
  event: 'resize',
  label: 'Terminal Resize',
  about,
  fields: { ...onNode, ...connection, size: z.string().optional(), ...kubePod },
  tell: ({ user, sid, size }) =>
    line`${user} resized the terminal of the session ${sid}${when(size, line` to ${size?.replace(':', ' × ')}`)}`,
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
  tell: ({
    user,
    interactive,
    sid,
    kubernetes_cluster,
    server_hostname,
    server_addr,
    server_id,
    session_start,
    session_stop,
  }) =>
    line`${user} ended ${interactive === false ? 'the command' : 'the session'} ${sid} on ${kubernetes_cluster || server_hostname || server_addr || server_id}${took(session_start, session_stop)}`,
});

export const sessionRejected = defineEvent({
  code: 'T1006W',
  event: 'session.rejected',
  label: 'Session Rejected',
  about: node,
  fields: { ...byUser, ...server, ...connection, reason: z.string(), max: z.number() },
  tell: ({ user, server_hostname, server_id, login, reason, max }) =>
    line`${user} was not let into ${server_hostname || server_id} as ${login}: ${reason}${when(max, line` (at most ${max})`)}`,
});

export const sessionUploaded = defineEvent({
  code: 'T2005I',
  event: 'session.upload',
  label: 'Session Uploaded',
  about: { kind: 'recording', name: 'sid' },
  fields: { ...session, url: z.string() },
  tell: ({ sid }) => line`the recording of the session ${sid} is in its store`,
});

export const sessionConnected = defineEvent({
  code: 'T2010I',
  event: 'session.connect',
  label: 'Session Connected',
  about: node,
  fields: { ...server, ...connection },
  tell: ({ server_hostname, server_addr, server_id }) =>
    line`a connection to the server ${server_hostname || server_addr || server_id} was opened`,
});

export const sessionData = defineEvent({
  code: 'T2006I',
  event: 'session.data',
  label: 'Session Data',
  about: node,
  fields: { ...onNode, ...connection, tx: z.number(), rx: z.number() },
  tell: ({ sid, tx, rx }) => line`the session ${sid} has sent ${tx} and received ${rx} bytes`,
});

export const clientDisconnected = defineEvent({
  code: 'T3006I',
  event: 'client.disconnect',
  label: 'Client Disconnected',
  about: node,
  fields: { ...byUser, ...connection, ...server, reason: z.string() },
  tell: ({ user, reason }) => line`${user} was disconnected: ${reason}`,
});

export const sessionEndedByOther = defineEvent({
  code: 'GH300I',
  event: 'session.terminate',
  label: 'Session Ended by Administrator',
  fields: { ...byUser, ...connection, ...ofSession, name: z.string(), reason: z.string().optional() },
  tell: ({ user, sid, name, reason }) => line`${user} ended the session ${sid} of ${name}${because(reason)}`,
});

export const accessDenied = defineEvent({
  code: 'GH301W',
  event: 'access.denied',
  label: 'Access Denied',
  about: { kind: '', name: 'resource_name', kindIn: 'resource_kind' },
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

export const sessionCommand = defineEvent({
  code: 'T4000I',
  event: 'session.command',
  label: 'Session Command',
  about: node,
  fields: { ...observed, ppid: z.number(), path: z.string(), argv: z.array(z.string()), return_code: z.number() },
  tell: ({ program, sid }) => line`${program} was run in the session ${sid}`,
});

export const sessionFileAccess = defineEvent({
  code: 'T4001I',
  event: 'session.disk',
  label: 'Session File Access',
  about: node,
  fields: { ...observed, path: z.string(), flags: z.number(), return_code: z.number() },
  tell: ({ program, path, sid }) => line`${program} opened ${path} in the session ${sid}`,
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
  tell: ({ program, src_addr, dst_addr, dst_port, sid, action }) =>
    action === 1
      ? line`${program} was kept from connecting from ${src_addr} to ${dst_addr} port ${dst_port} in the session ${sid}`
      : line`${program} connected from ${src_addr} to ${dst_addr} port ${dst_port} in the session ${sid}`,
});

export const sessionProcessExit = defineEvent({
  code: 'T4003I',
  event: 'session.process_exit',
  label: 'Session Process Exit',
  fields: { ...byUser, sid: z.string(), program: z.string(), exit_status: z.number() },
  tell: ({ program, exit_status, sid }) => line`${program} ended with status ${exit_status} in the session ${sid}`,
});
