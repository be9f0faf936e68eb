/** The name of this gateway's own chain. Gateways that shared one would wait for each other at every event. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../storage/tables.ts';
import { GATEWAY_CHAIN } from './emit.ts';

/** Kept in the data folder, so that a restart goes on with the same chain. */
export function chainName(engine: Engine, dataDir: string): string {
  if (engine === 'sqlite') return GATEWAY_CHAIN;
  const file = join(dataDir, 'gateway-id');
  try {
    writeFileSync(file, `${randomBytes(6).toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const id = readFileSync(file, 'utf8').trim();
  return /^[0-9a-f]{12}$/.test(id) ? `${GATEWAY_CHAIN}-${id}` : GATEWAY_CHAIN;
}
