/** Carries calls to the gateway that runs on a data folder of this machine, through its local socket. */
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import type { Open, Opened, Received, Send, Sent } from '@gatehouse/contract/wire/client';
import { checkSocketOwner, findSocketPath } from './socket-path.ts';

const MAX_REPLY_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

export class NoGatewayError extends Error {
  override name = 'NoGatewayError';
  constructor(dataDir: string, options?: ErrorOptions) {
    super(
      `no gateway is running on data folder '${dataDir}'; start it with: gatehouse start --data-dir '${dataDir}'`,
      options,
    );
  }
}

/** The socket is there, but it is somebody else's. */
export class NotOwnerError extends Error {
  override name = 'NotOwnerError';
  constructor(dataDir: string, options?: ErrorOptions) {
    super(
      `the gateway on data folder '${dataDir}' belongs to another user: run this command as that user or root`,
      options,
    );
  }
}

export function localSend(dataDir: string): Send {
  return (sent) => send(dataDir, sent);
}

/** Whether a gateway answers on this data folder. */
export async function isGatewayRunning(dataDir: string): Promise<boolean> {
  try {
    await send(dataDir, { method: 'GET', url: '/v1/webapi/ping' });
    return true;
  } catch (error) {
    if (error instanceof NoGatewayError) return false;
    throw error;
  }
}

/** The reply as it comes: for what may be large. */
export function localOpen(dataDir: string): Open {
  return (url) => withSocket(dataDir, (socketPath) => openReply(socketPath, url));
}

function send(dataDir: string, sent: Sent): Promise<Received> {
  return withSocket(dataDir, (socketPath) => exchange(socketPath, sent));
}

async function withSocket<T>(dataDir: string, work: (socketPath: string) => Promise<T>): Promise<T> {
  const socketPath = findSocketPath(dataDir);
  try {
    if (existsSync(socketPath)) checkSocketOwner(socketPath, dataDir);
  } catch (error) {
    throw new NotOwnerError(dataDir, { cause: error });
  }
  try {
    return await work(socketPath);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR')
      throw new NoGatewayError(dataDir, { cause: error });
    if (code === 'EACCES' || code === 'EPERM') throw new NotOwnerError(dataDir, { cause: error });
    throw error;
  }
}

function openReply(socketPath: string, url: string): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path: url, headers: { host: 'localhost' }, agent: false }, (response) =>
      resolve({ status: response.statusCode ?? 0, bytes: response }),
    );
    call.setTimeout(TIMEOUT_MS, () => call.destroy(new Error(`the gateway is silent for ${TIMEOUT_MS / 1000} s`)));
    call.on('error', reject);
    call.end();
  });
}

function exchange(socketPath: string, { method, url, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: 'localhost',
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const call = request({ socketPath, method, path: url, headers, agent: false, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      response.on('data', (chunk: Buffer) => {
        sizeBytes += chunk.length;
        if (sizeBytes > MAX_REPLY_BYTES) call.destroy(new Error('the reply of the gateway is too large'));
        else chunks.push(chunk);
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
      response.on('error', reject);
    });
    call.on('timeout', () => call.destroy(new Error(`the gateway did not answer within ${TIMEOUT_MS / 1000} s`)));
    call.on('error', reject);
    call.end(body);
  });
}
