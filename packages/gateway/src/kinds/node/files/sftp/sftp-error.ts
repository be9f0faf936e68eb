/** What goes wrong with a server's files: one request that is refused, or a server that does not speak as it should. */

import { STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import { AppError } from '../../../../platform/std/app-error.ts';

const MAX_SAID_LENGTH = 200;

/** The server refused one request; the next may well succeed. */
export class SftpRefusal extends Error {
  override name = 'SftpRefusal';
  readonly status: number;

  constructor(status: number, said: string) {
    super(visibleText(said, MAX_SAID_LENGTH));
    this.status = status;
  }
}

/** Nothing after this can be understood, or nothing will come: the connection is given up. */
export class SftpBroken extends Error {
  override name = 'SftpBroken';
}

export function isMissing(error: unknown): boolean {
  return error instanceof SftpRefusal && error.status === STATUS.noSuchFile;
}

/** In words for the person who asked, about the file they asked for. */
export function explainRefusal(error: SftpRefusal, path: string): AppError {
  const shown = visibleText(path, MAX_SAID_LENGTH);
  const options = { cause: error, fields: { by: 'server' } };
  if (error.status === STATUS.noSuchFile) return new AppError('not_found', `'${shown}' does not exist`, options);
  if (error.status === STATUS.permissionDenied)
    return new AppError('denied', `the server does not let this login do that with '${shown}'`, options);
  if (error.status === STATUS.unsupported)
    return new AppError('not_available', `the server cannot do that with '${shown}'`, options);
  const said = error.message && error.message !== 'Failure' ? `: ${error.message}` : '';
  return new AppError('conflict', `the server could not do that with '${shown}'${said}`, options);
}
