/** Tells the audit log what a client of SFTP did with the files of a server, as the relay saw it. */
import {
  sftpClosed,
  sftpCloseFailed,
  sftpFsetstat,
  sftpFsetstatFailed,
  sftpMkdir,
  sftpMkdirFailed,
  sftpOpened,
  sftpOpenFailed,
  sftpRemoved,
  sftpRemoveFailed,
  sftpRenamed,
  sftpRenameFailed,
  sftpRmdir,
  sftpRmdirFailed,
  sftpSetstat,
  sftpSetstatFailed,
  sftpSymlink,
  sftpSymlinkFailed,
} from '@gatehouse/contract/kinds/node/sftp-events';
import { cutText } from '@gatehouse/contract/std/visible-text';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { aboutFiles, contextOf, type Touched } from './files-audit.ts';
import type { SftpObservation, SftpOperation } from './sftp/relay/observation.ts';

/** No system has longer paths; whoever sends one is told so by the server. */
const MAX_PATH_LENGTH = 4_096;

/** As the wire reference numbers them; it knows links of one sort. */
const EVENTS = {
  open: { number: 1, done: sftpOpened, failed: sftpOpenFailed },
  close: { number: 2, done: sftpClosed, failed: sftpCloseFailed },
  setstat: { number: 7, done: sftpSetstat, failed: sftpSetstatFailed },
  fsetstat: { number: 8, done: sftpFsetstat, failed: sftpFsetstatFailed },
  remove: { number: 11, done: sftpRemoved, failed: sftpRemoveFailed },
  mkdir: { number: 12, done: sftpMkdir, failed: sftpMkdirFailed },
  rmdir: { number: 13, done: sftpRmdir, failed: sftpRmdirFailed },
  rename: { number: 16, done: sftpRenamed, failed: sftpRenameFailed },
  symlink: { number: 18, done: sftpSymlink, failed: sftpSymlinkFailed },
  hardlink: { number: 18, done: sftpSymlink, failed: sftpSymlinkFailed },
} as const satisfies Record<SftpOperation, object>;

/** For `onObserved` of the relay. */
export function sftpAudit(
  { db, audit }: { db: Db; audit: Audit },
  session: Pick<Touched, 'facts' | 'address'>,
): (observation: SftpObservation) => Promise<void> {
  return async (observation) => {
    const { operation, path, to, flags, home, error } = observation;
    const { number, done, failed } = EVENTS[operation];
    const attributes = attributesOf(observation);
    const fields = {
      ...aboutFiles(session),
      working_directory: cutText(home, MAX_PATH_LENGTH),
      path: cutText(path, MAX_PATH_LENGTH),
      ...(to === undefined ? {} : { target_path: cutText(to, MAX_PATH_LENGTH) }),
      ...(flags === undefined ? {} : { flags }),
      ...(attributes ? { attributes } : {}),
      action: number,
    };
    await db
      .transaction()
      .execute((tx) =>
        error === undefined
          ? audit.emit(tx, done, fields, contextOf(session))
          : audit.emit(tx, failed, { ...fields, error }, contextOf(session)),
      );
  };
}

/** Of a file that was closed, what went through it. */
function attributesOf({ attributes, transferred }: SftpObservation): Record<string, number> | undefined {
  if (transferred) return { bytes_read: transferred.read, bytes_written: transferred.written };
  return attributes ? { ...attributes } : undefined;
}
