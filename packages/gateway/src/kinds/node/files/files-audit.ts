/** What the audit log is told of files: every transfer, change and edit, done or failed. */

import { nodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import {
  scpDownloaded,
  scpDownloadFailed,
  scpUploaded,
  scpUploadFailed,
} from '@gatehouse/contract/kinds/node/scp-events';
import {
  sftpMkdir,
  sftpMkdirFailed,
  sftpRead,
  sftpReadFailed,
  sftpRemoved,
  sftpRemoveFailed,
  sftpRenamed,
  sftpRenameFailed,
  sftpWriteFailed,
  sftpWritten,
} from '@gatehouse/contract/kinds/node/sftp-events';
import type { Audit } from '../../../platform/audit/emit.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import type { FileSessionFacts } from './file-session.ts';

/** As the wire reference numbers them. */
const CHANGES = {
  read: { number: 3, done: sftpRead, failed: sftpReadFailed },
  write: { number: 4, done: sftpWritten, failed: sftpWriteFailed },
  remove: { number: 11, done: sftpRemoved, failed: sftpRemoveFailed },
  makeFolder: { number: 12, done: sftpMkdir, failed: sftpMkdirFailed },
  rename: { number: 16, done: sftpRenamed, failed: sftpRenameFailed },
} as const;
export type ChangeKind = keyof typeof CHANGES;

const TRANSFERS = {
  download: { done: scpDownloaded, failed: scpDownloadFailed },
  upload: { done: scpUploaded, failed: scpUploadFailed },
} as const;

export interface Touched {
  facts: Pick<FileSessionFacts, 'id' | 'action' | 'user' | 'signInId' | 'mfa'>;
  address: string;
  path: string;
}

export interface FilesAudit {
  /** `how` is the command line that would have done the same. */
  transfer(kind: keyof typeof TRANSFERS, touched: Touched & { how: string }, error?: unknown): Promise<void>;
  change(kind: ChangeKind, touched: Touched & { to?: string }, error?: unknown): Promise<void>;
}

export function createFilesAudit({ db, audit, log }: { db: Db; audit: Audit; log: Log }): FilesAudit {
  /** A failure that cannot be written must not hide the failure itself. */
  const write = async (work: () => Promise<void>, error: unknown) => {
    if (error === undefined) return work();
    await work().catch((unwritten: unknown) =>
      log.error({ error: unwritten }, 'a failed use of files could not be kept'),
    );
  };
  return {
    transfer: (kind, { how, ...touched }, error) =>
      write(async () => {
        const { done, failed } = TRANSFERS[kind];
        const fields = { ...aboutFiles(touched), command: how, path: touched.path, action: kind };
        await db
          .transaction()
          .execute((tx) =>
            error === undefined
              ? audit.emit(tx, done, { ...fields, exitCode: '0' }, contextOf(touched))
              : audit.emit(tx, failed, { ...fields, exitCode: '1', exitError: wordsOf(error) }, contextOf(touched)),
          );
      }, error),
    change: (kind, { to, ...touched }, error) =>
      write(async () => {
        const { number, done, failed } = CHANGES[kind];
        const fields = {
          ...aboutFiles(touched),
          working_directory: '/',
          path: touched.path,
          ...(to === undefined ? {} : { target_path: to }),
          action: number,
        };
        await db
          .transaction()
          .execute((tx) =>
            error === undefined
              ? audit.emit(tx, done, fields, contextOf(touched))
              : audit.emit(tx, failed, { ...fields, error: wordsOf(error) }, contextOf(touched)),
          );
      }, error),
  };
}

/** The fields that all events of files have. */
export function aboutFiles({ facts, address }: Omit<Touched, 'path'>) {
  const { id, action, user, mfa } = facts;
  const { resource, login } = action;
  const spec = nodeSpec.safeParse(resource.spec).data;
  return {
    user,
    login,
    'addr.remote': address,
    proto: 'ssh',
    sid: id,
    ...(mfa ? { with_mfa: 'proven' } : {}),
    namespace: 'default',
    server_id: resource.id,
    server_hostname: resource.name,
    server_labels: { ...resource.labels },
    ...(spec?.type === 'openssh' ? { server_addr: spec.addr } : {}),
  };
}

export function contextOf({ facts }: Pick<Touched, 'facts'>) {
  return { sessionId: facts.id, signInId: facts.signInId };
}

function wordsOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  return error instanceof Error ? error.message.slice(0, 300) : 'it failed';
}
