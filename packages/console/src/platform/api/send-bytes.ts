/** Sends a file as it lies on the disk, and tells how far it has come; fetch can do neither over HTTP/1.1. */

import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { Received } from '@gatehouse/contract/wire/client';
import type { Connection } from './connection.ts';
import { NoAnswerError } from './failures.ts';

export interface SentBytes {
  method: string;
  url: string;
  body: Blob;
}

export interface BytesOptions {
  onProgress: (sentBytes: number) => void;
  signal: AbortSignal;
}

export type SendBytes = (request: SentBytes, options: BytesOptions) => Promise<Received>;

interface SendBytesDeps {
  csrfToken: string;
  bearerToken: () => string | undefined;
  connection: Connection;
}

/** Rejects when no answer comes: the network is gone, or it was aborted. */
export function createSendBytes({ csrfToken, bearerToken, connection }: SendBytesDeps): SendBytes {
  return ({ method, url, body }, { onProgress, signal }) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const lost = () => {
        if (!signal.aborted) connection.failed();
        reject(new NoAnswerError('the connection was lost'));
      };
      request.open(method, url);
      request.setRequestHeader('content-type', 'application/octet-stream');
      request.setRequestHeader('x-csrf-token', csrfToken);
      const token = bearerToken();
      if (token) request.setRequestHeader('authorization', `Bearer ${token}`);
      request.upload.onprogress = ({ loaded }) => onProgress(loaded);
      request.onload = () => {
        connection.answered();
        resolve({ status: request.status, text: request.responseText });
      };
      request.onerror = lost;
      request.onabort = lost;
      if (signal.aborted) return lost();
      request.onloadend = whenAborted(signal, () => request.abort());
      request.send(body);
    });
}
