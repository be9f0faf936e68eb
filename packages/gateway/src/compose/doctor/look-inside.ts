/** The gateway's part of `gatehouse doctor`: what is looked at with its own rights, credentials and connections. */
import { VERSION } from '@gatehouse/contract/std/version';
import type { LocalOperation } from '../../doors/local-socket/local-operations.ts';
import type { ListenAddress } from '../../platform/config/address.ts';
import type { GatewayConfig } from '../../platform/config/resolve.ts';
import { toldError } from '../../platform/std/told-error.ts';
import { databaseNow } from '../../platform/storage/database-clock.ts';
import { DISK_IS_FULL, isDiskFull } from '../../platform/storage/errors.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { type Finding, fails, lookWithin, stands } from './check.ts';
import { type InsideFacts, LOOK_AT_BUCKET, LOOK_AT_STORE, LOOK_AT_STORE_CLOCK, LOOK_INSIDE } from './inside.ts';
import { lookAtBucket } from './look-at-bucket.ts';
import { lookAtRoom } from './look-at-store.ts';

/** Less than whoever asks waits: they then hear what was waited for. */
const LIMIT_MS = 8_000;

export interface InsideDeps {
  config: GatewayConfig;
  storage: Pick<Storage, 'db' | 'engine' | 'probeWrite'>;
  origin(): string;
  /** Chosen by the system where the configuration says 0. */
  ports(): { web: number; ssh: number | undefined; mysql: number | undefined };
  now: () => number;
}

export function insideOperations(deps: InsideDeps): Record<string, LocalOperation> {
  const { config, storage, now } = deps;
  return {
    [LOOK_INSIDE]: async () => factsOf(deps),
    [LOOK_AT_STORE]: () => lookWithin(() => lookAtOpenStore(deps), LIMIT_MS),
    [LOOK_AT_BUCKET]: () => lookWithin(() => lookAtBucket(config.recordings.store), LIMIT_MS),
    [LOOK_AT_STORE_CLOCK]: async () => ({ aheadMs: await aheadOf(storage, now) }),
  };
}

function factsOf({ config, origin, ports }: InsideDeps): InsideFacts {
  const { web, ssh, mysql } = ports();
  const at = (listen: ListenAddress | undefined, port: number | undefined) =>
    listen && port ? { host: listen.host, port } : undefined;
  return {
    version: VERSION,
    origin: origin(),
    tls: config.tls.mode,
    listening: {
      web: { host: config.listen.host, port: web },
      ssh: at(config.ssh?.listen, ssh),
      mysql: at(config.databases?.mysqlListen, mysql),
      diagnostics: at(config.diagListen, config.diagListen?.port),
    },
  };
}

async function lookAtOpenStore({ config, storage }: InsideDeps): Promise<Finding> {
  const what = storage.engine === 'sqlite' ? 'SQLite in the data folder' : 'PostgreSQL';
  try {
    await storage.probeWrite();
  } catch (error) {
    if (isDiskFull(error)) return fails(DISK_IS_FULL, `make room at ${config.dataDir}, or at the database`);
    return fails(`the store cannot be written: ${toldError(error)}`, 'see the log of the gateway');
  }
  const room = await lookAtRoom(config);
  return room.ok ? stands(`${what} takes what is written; ${room.message}`) : room;
}

/** Halfway between asking and hearing is when it looked. */
async function aheadOf({ db, engine }: InsideDeps['storage'], now: () => number): Promise<number> {
  if (engine === 'sqlite') return 0;
  const before = now();
  const { there } = await db.selectNoFrom(databaseNow(db).as('there')).executeTakeFirstOrThrow();
  return Math.round(Number(there) - (before + now()) / 2);
}
