/** Serves HTTP calls on a Unix socket that only the gateway's own user (and root) can open: administration from the same machine. */
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { containConnections } from '../../platform/std/contain-connections.ts';
import { StartError } from '../../platform/std/start-error.ts';
import { chooseSocketPath, userId } from './socket-path.ts';

export interface LocalSocketOptions {
  dataDir: string;
  /** Gets every call that arrives here; whoever can open the socket is an administrator. */
  handler: RequestListener;
}

export interface LocalSocket {
  path: string;
  close(): Promise<void>;
}

export async function serveLocalSocket({ dataDir, handler }: LocalSocketOptions): Promise<LocalSocket> {
  const path = chooseSocketPath(dataDir);
  await removeStale(path, dataDir);

  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000, maxHeaderSize: 16_384 }, handler);
  containConnections(server, 'local socket');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  const { uid, mode } = lstatSync(path);
  if (uid !== userId() || (mode & 0o077) !== 0) {
    server.close();
    throw new StartError(
      `the local socket '${path}' cannot be kept to its owner: is the data folder on a foreign file system?`,
    );
  }

  return {
    path,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await closed;
    },
  };
}

/** A killed gateway leaves its socket behind; a living one answers on it and keeps it. */
async function removeStale(path: string, dataDir: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) throw new StartError(`'${path}' is in the way of the local socket: remove it`);
  if (await answers(path)) throw new StartError(`another gateway is running on data folder '${dataDir}'`);
  rmSync(path, { force: true });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) =>
      resolve('code' in error && error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}
