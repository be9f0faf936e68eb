/** Operations that exist on the local socket alone and on no public address: work on the gateway itself, by its owner. */
import { randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { ERROR_STATUS, type ErrorBody } from '@gatehouse/contract/wire/errors';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';

/** What it gives back is answered as JSON. */
export type LocalOperation = () => Promise<object>;

/** By address; the command line and the gateway share these names. */
export const ROTATE_SECRETS = '/local/secrets/rotate';
export const NOTE_BACKUP = '/local/backups/note';

interface LocalOperationsOptions {
  operations: Record<string, LocalOperation>;
  /** Gets every call that is not one of the operations. */
  next: RequestListener;
  log: Log;
}

export function localOperations({ operations, next, log }: LocalOperationsOptions): RequestListener {
  return (request, response) => {
    const address = request.url ?? '';
    const operation = Object.hasOwn(operations, address) ? operations[address] : undefined;
    if (!operation || request.method !== 'POST') {
      next(request, response);
      return;
    }
    operation().then(
      (result) => answer(response, 200, result),
      (error: unknown) => {
        const requestId = randomUUID();
        log.error({ error, requestId, operation: address }, 'local operation failed');
        const code = error instanceof AppError ? error.code : 'internal';
        // The owner of the gateway asks: unlike a stranger, they are told the reason.
        const message = errorMessage(error);
        answer(response, ERROR_STATUS[code], { error: { message, code, requestId } } satisfies ErrorBody);
      },
    );
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
