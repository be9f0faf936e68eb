/** Whether the addresses of a configuration can be listened on. What a running gateway of the same data folder holds is no problem. */
import { createServer } from 'node:net';
import { isGatewayRunning } from '../../doors/local-socket/local-send.ts';
import type { ListenAddress } from '../../platform/config/address.ts';
import { listenError } from '../../platform/config/listen-error.ts';
import type { GatewayConfig } from '../../platform/config/resolve.ts';
import { toldError } from '../../platform/std/told-error.ts';
import type { Finding } from './finding.ts';

export async function checkAddresses({
  listen,
  diagListen,
  ssh,
  databases,
  dataDir,
}: GatewayConfig): Promise<Finding[]> {
  const found = [
    await check('listen', listen),
    diagListen && (await check('diagListen', diagListen)),
    ssh?.listen && (await check('ssh.listen', ssh.listen)),
    databases?.mysqlListen && (await check('databases.mysqlListen', databases.mysqlListen)),
  ];
  const findings = found.filter((finding) => finding !== undefined);
  const isBusy = findings.some(({ kind }) => kind === 'busy');
  // Another user's gateway answers nobody else; then the address is in use, and that is what is told.
  const isOurs = isBusy && (await isGatewayRunning(dataDir).catch(() => false));
  return findings.filter(({ kind }) => kind !== 'busy' || !isOurs);
}

async function check(key: Parameters<typeof listenError>[2], address: ListenAddress): Promise<Finding | undefined> {
  if (address.port === 0) return undefined;
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address.host, port: address.port }, resolve);
    });
    await new Promise<void>((resolve) => server.close(() => resolve()));
    return undefined;
  } catch (error) {
    const isBusy = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const message = toldError(listenError(error, address, key));
    return { key, message, kind: isBusy ? 'busy' : 'configuration' };
  }
}
