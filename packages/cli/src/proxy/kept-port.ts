/** The port that something had last time: programs with windows are told one once, and look there ever after. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { z } from 'zod';
import type { Io } from '../command.ts';
import { ownFile, replaceOwnFile } from '../gateway/own-file.ts';
import type { ListenAddress } from './listen-address.ts';

const kept = z.record(z.string(), z.int().min(1).max(65_535));
/** The oldest are forgotten. */
const MAX_KEPT = 500;

/** The same again, unless something else listens there now or a port was named. */
export async function keptPort(io: Io, what: string, listen: ListenAddress): Promise<ListenAddress> {
  const port = listen.port === 0 ? readKept(io)[what] : undefined;
  return port !== undefined && (await isFree(listen.host, port)) ? { ...listen, port } : listen;
}

/** In vain where the folder cannot be written: the next run has another port then, and nothing else is lost. */
export function keepPort(io: Io, what: string, address: string): void {
  const port = Number(/:(\d+)$/.exec(address)?.[1]);
  const { [what]: before, ...others } = readKept(io);
  if (!(port > 0) || before === port) return;
  try {
    const entries = [...Object.entries(others), [what, port] as const].slice(-MAX_KEPT);
    replaceOwnFile(ownFile(io, 'ports.json'), Object.fromEntries(entries));
  } catch {
    return;
  }
}

function readKept(io: Io): Record<string, number> {
  try {
    return kept.parse(parseJson(readFileSync(ownFile(io, 'ports.json'), 'utf8')));
  } catch {
    return {};
  }
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen({ host, port }, () => server.close(() => resolve(true)));
  });
}
