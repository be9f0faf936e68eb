/** What the audit log is told of sessions with desktops. */
import {
  desktopClipboardReceived,
  desktopClipboardSent,
  desktopDirectoryRead,
  desktopDirectoryReadFailed,
  desktopDirectoryShared,
  desktopDirectoryShareFailed,
  desktopDirectoryWriteFailed,
  desktopDirectoryWritten,
  desktopSessionDenied,
  desktopSessionEnded,
  desktopSessionStarted,
  desktopTakenOver,
} from '@gatehouse/contract/kinds/desktop/desktop-events';
import type { Audit } from '../../platform/audit/emit.ts';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import { addressOf, contextOf } from '../../sessions/host/about-session.ts';
import type { Session } from '../../sessions/host/session-store.ts';
import type { SessionTeller } from '../../sessions/host/session-teller.ts';
import type { FileUse } from './engine/shared-folder.ts';
import type { SharedName } from './folders/folder-teller.ts';

/** What all events of one session with a desktop say. */
function targetFields({ action, user, id, mfa }: Session) {
  const { resource } = action;
  const login = action.kind === 'desktop' ? action.login : '';
  const [domain, name] = login.includes('\\') ? login.split('\\', 2) : ['', login];
  return {
    user,
    sid: id,
    ...(mfa ? { with_mfa: 'proven' } : {}),
    windows_desktop_service: resource.owner,
    desktop_addr: addressOf(action.kind, resource),
    windows_domain: domain ?? '',
    windows_user: name ?? login,
    desktop_labels: { ...resource.labels },
    desktop_name: resource.name,
  };
}

const startFields = (session: Session) => ({
  ...targetFields(session),
  proto: 'tdp',
  'addr.remote': session.address,
});

export function desktopSessionTeller(audit: Audit): SessionTeller {
  return {
    async started(tx, session) {
      await audit.emit(tx, desktopSessionStarted, { ...startFields(session), success: true }, contextOf(session));
    },
    async ended(tx, session, { now }) {
      const fields = {
        ...targetFields(session),
        session_start: new Date(session.created).toISOString(),
        session_stop: new Date(now).toISOString(),
        recorded: session.recorded,
        participants: session.participants,
      };
      await audit.emit(tx, desktopSessionEnded, fields, contextOf(session));
    },
  };
}

type Events = Pick<EventStream, 'write'>;

/** The gateway let somebody in, and the desktop did not. */
export async function tellRefusedByDesktop(events: Events, session: Session, error: string): Promise<void> {
  await events.write(desktopSessionDenied, { ...startFields(session), success: false, error }, contextOf(session));
}

/** By the host, which has one session of a login. */
export async function tellTakenOver(events: Events, session: Session, previous: Session): Promise<void> {
  const { user, sid, desktop_addr, desktop_name } = targetFields(session);
  const login = session.action.kind === 'desktop' ? session.action.login : '';
  const fields = { user, sid, desktop_addr, desktop_name, windows_user: login, previous_user: previous.user };
  await events.write(desktopTakenOver, fields, contextOf(session), 'soon');
}

function insideFields(session: Session) {
  const { user, sid, desktop_addr, desktop_name } = targetFields(session);
  return { user, sid, desktop_addr, desktop_name, 'addr.remote': session.address };
}

const directoryFields = (session: Session, { name, directory }: SharedName, error: string | undefined) => ({
  ...insideFields(session),
  ...{ directory_name: name, directory_id: directory, success: error === undefined },
  ...(error === undefined ? {} : { error }),
});

/** A folder was shared, or was not: `error` says why. */
export async function tellShared(
  events: Events,
  session: Session,
  folder: SharedName,
  error: string | undefined,
): Promise<void> {
  const event = error === undefined ? desktopDirectoryShared : desktopDirectoryShareFailed;
  await events.write(event, directoryFields(session, folder, error), contextOf(session), 'soon');
}

/** Of one file, for a second. */
export async function tellFileUse(events: Events, session: Session, folder: SharedName, use: FileUse): Promise<void> {
  const { what, path, offset, length, error } = use;
  const [done, failed] =
    what === 'read'
      ? [desktopDirectoryRead, desktopDirectoryReadFailed]
      : [desktopDirectoryWritten, desktopDirectoryWriteFailed];
  const fields = { ...directoryFields(session, folder, error), file_path: path, length, offset };
  await events.write(error === undefined ? done : failed, fields, contextOf(session), 'soon');
}

/** Never what it was. */
export async function tellClipboard(
  events: Events,
  session: Session,
  { direction, length }: { direction: 'send' | 'receive'; length: number },
): Promise<void> {
  const fields = { ...insideFields(session), length };
  const event = direction === 'send' ? desktopClipboardSent : desktopClipboardReceived;
  await events.write(event, fields, contextOf(session), 'soon');
}
