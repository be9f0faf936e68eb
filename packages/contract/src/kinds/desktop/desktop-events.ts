/** Events of desktops: sessions, the clipboard, directories shared with them. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import { byUser, connection, resource, session, status } from '../../events/event-fields.ts';
import { because, line, took, when } from '../../events/line.ts';

const about = [
  { kind: 'desktop', name: 'desktop_name' },
  { kind: 'desktop', name: 'desktop_addr' },
] as const;
const record = { kind: 'desktop', name: 'name' } as const;
const target = {
  ...byUser,
  ...session,
  windows_desktop_service: z.string(),
  desktop_addr: z.string(),
  windows_domain: z.string(),
  windows_user: z.string(),
  desktop_labels: z.record(z.string(), z.string()),
  desktop_name: z.string(),
} as const;
const start = { ...target, ...connection, ...status } as const;
const inSession = {
  ...byUser,
  ...session,
  ...connection,
  desktop_addr: z.string(),
  desktop_name: z.string().optional(),
} as const;
const clipboard = { ...inSession, length: z.number() } as const;
const directory = { ...inSession, ...status, directory_name: z.string(), directory_id: z.number() } as const;
const file = { ...directory, file_path: z.string(), length: z.number(), offset: z.number() } as const;

export const desktopSessionStarted = defineEvent({
  code: 'TDP00I',
  event: 'windows.desktop.session.start',
  label: 'Windows Desktop Session Started',
  about,
  fields: start,
  tell: ({ user, desktop_name, desktop_addr, windows_user, windows_domain }) =>
    line`${user} connected to the desktop ${desktop_name || desktop_addr} as ${windows_user}${when(windows_domain, line` of ${windows_domain}`)}`,
});

export const desktopSessionDenied = defineEvent({
  code: 'TDP00W',
  event: 'windows.desktop.session.start',
  label: 'Windows Desktop Session Denied',
  about,
  fields: start,
  tell: ({ user, desktop_name, desktop_addr, windows_user, windows_domain, error }) =>
    line`${user} was not let into the desktop ${desktop_name || desktop_addr} as ${windows_user}${when(windows_domain, line` of ${windows_domain}`)}${because(error)}`,
});

export const desktopSessionEnded = defineEvent({
  code: 'TDP01I',
  event: 'windows.desktop.session.end',
  label: 'Windows Desktop Session Ended',
  about,
  fields: {
    ...target,
    session_start: z.string().optional(),
    session_stop: z.string().optional(),
    recorded: z.boolean(),
    participants: z.array(z.string()),
  },
  tell: ({ user, desktop_name, desktop_addr, session_start, session_stop }) =>
    line`${user} left the desktop ${desktop_name || desktop_addr}${took(session_start, session_stop)}`,
});

export const desktopClipboardSent = defineEvent({
  code: 'TDP02I',
  event: 'desktop.clipboard.send',
  label: 'Clipboard Data Sent',
  about,
  fields: clipboard,
  tell: ({ user, length, desktop_name, desktop_addr }) =>
    line`${user} sent ${length} bytes of the clipboard to the desktop ${desktop_name || desktop_addr}`,
});

export const desktopClipboardReceived = defineEvent({
  code: 'TDP03I',
  event: 'desktop.clipboard.receive',
  label: 'Clipboard Data Received',
  about,
  fields: clipboard,
  tell: ({ user, length, desktop_name, desktop_addr }) =>
    line`${user} got ${length} bytes of the clipboard from the desktop ${desktop_name || desktop_addr}`,
});

export const desktopDirectoryShared = defineEvent({
  code: 'TDP04I',
  event: 'desktop.directory.share',
  label: 'Directory Sharing Started',
  about,
  fields: directory,
  tell: ({ user, directory_name, desktop_name, desktop_addr }) =>
    line`${user} shared the directory ${directory_name} with the desktop ${desktop_name || desktop_addr}`,
});

export const desktopDirectoryShareFailed = defineEvent({
  code: 'TDP04W',
  event: 'desktop.directory.share',
  label: 'Directory Sharing Start Failed',
  about,
  fields: directory,
  tell: ({ user, directory_name, desktop_name, desktop_addr, error }) =>
    line`${user} could not share the directory ${directory_name} with the desktop ${desktop_name || desktop_addr}${because(error)}`,
});

export const desktopDirectoryRead = defineEvent({
  code: 'TDP05I',
  event: 'desktop.directory.read',
  label: 'Directory Sharing Read',
  about,
  fields: file,
  tell: ({ desktop_name, desktop_addr, length, file_path, directory_name, user }) =>
    line`the desktop ${desktop_name || desktop_addr} read ${length} bytes of ${file_path} in the directory ${directory_name} of ${user}`,
});

export const desktopDirectoryReadFailed = defineEvent({
  code: 'TDP05W',
  event: 'desktop.directory.read',
  label: 'Directory Sharing Read Failed',
  about,
  fields: file,
  tell: ({ desktop_name, desktop_addr, file_path, directory_name, user, error }) =>
    line`the desktop ${desktop_name || desktop_addr} could not read ${file_path} in the directory ${directory_name} of ${user}${because(error)}`,
});

export const desktopDirectoryWritten = defineEvent({
  code: 'TDP06I',
  event: 'desktop.directory.write',
  label: 'Directory Sharing Write',
  about,
  fields: file,
  tell: ({ desktop_name, desktop_addr, length, file_path, directory_name, user }) =>
    line`the desktop ${desktop_name || desktop_addr} wrote ${length} bytes of ${file_path} in the directory ${directory_name} of ${user}`,
});

export const desktopDirectoryWriteFailed = defineEvent({
  code: 'TDP06W',
  event: 'desktop.directory.write',
  label: 'Directory Sharing Write Failed',
  about,
  fields: file,
  tell: ({ desktop_name, desktop_addr, file_path, directory_name, user, error }) =>
    line`the desktop ${desktop_name || desktop_addr} could not write ${file_path} in the directory ${directory_name} of ${user}${because(error)}`,
});

export const desktopCreated = defineEvent({
  code: 'GH320I',
  event: 'desktop.create',
  label: 'Desktop Added',
  about: record,
  fields: { ...byUser, ...resource, desktop_addr: z.string().optional() },
  tell: ({ user, name }) => line`${user} added the desktop ${name}`,
});

export const desktopUpdated = defineEvent({
  code: 'GH321I',
  event: 'desktop.update',
  label: 'Desktop Updated',
  about: record,
  fields: { ...byUser, ...resource, desktop_addr: z.string().optional() },
  tell: ({ user, name }) => line`${user} changed the desktop ${name}`,
});

export const desktopDeleted = defineEvent({
  code: 'GH322I',
  event: 'desktop.delete',
  label: 'Desktop Removed',
  about: record,
  fields: { ...byUser, ...resource },
  tell: ({ user, name }) => line`${user} removed the desktop ${name}`,
});

const of = { desktop_name: z.string(), desktop_addr: z.string().optional() } as const;

export const desktopPasswordChanged = defineEvent({
  code: 'GH370I',
  event: 'desktop.password.update',
  label: 'Desktop Password Stored Or Removed',
  about,
  fields: {
    ...byUser,
    /** Empty: all desktops that have the labels. */
    ...of,
    windows_user: z.string(),
    desktop_labels: z.record(z.string(), z.string()).optional(),
    stored: z.boolean(),
  },
  tell: ({ user, stored, windows_user, desktop_name }) =>
    line`${user} ${stored ? 'stored' : 'removed'} the password of ${windows_user} ${desktop_name === '' ? line`on desktops by their labels` : line`on the desktop ${desktop_name}`}`,
});

export const desktopCertificateChanged = defineEvent({
  code: 'GH371W',
  event: 'desktop.certificate.change',
  label: 'Desktop Certificate Changed',
  about,
  fields: {
    ...byUser,
    ...of,
    ...status,
    /** What it shows now. */
    fingerprint: z.string(),
    /** What it was known by; an authority is told by the name that it vouches for. */
    previous: z.string().optional(),
    /** Who signed in over it, where that is why it was accepted. */
    windows_user: z.string().optional(),
  },
  tell({ user, desktop_name, success, windows_user, error }) {
    if (!success) return line`the desktop ${desktop_name} showed a certificate that is not accepted${because(error)}`;
    return windows_user
      ? line`the new certificate of the desktop ${desktop_name} was accepted: it knew the password of ${windows_user}`
      : line`${user} accepted another certificate of the desktop ${desktop_name}`;
  },
});

export const desktopTakenOver = defineEvent({
  code: 'GH372I',
  event: 'windows.desktop.session.takeover',
  label: 'Desktop Session Taken Over',
  about,
  fields: { ...byUser, ...session, ...of, windows_user: z.string(), previous_user: z.string() },
  tell: ({ user, previous_user, desktop_name, windows_user }) =>
    line`${user} took over the desktop ${desktop_name} as ${windows_user} from ${previous_user}`,
});
