/**
 * `gatehouse doctor`: every part of an installation looked at once, at the same time, each within its limit. With the gateway
 * running, by what it says of itself, whatever was typed here; with it stopped, by the configuration alone.
 */
import type { Send } from '@gatehouse/contract/wire/client';
import { isGatewayRunning, localSend } from '../../doors/local-socket/local-send.ts';
import type { LoadedConfig } from '../../platform/config/load-config.ts';
import type { GatewayConfig } from '../../platform/config/resolve.ts';
import { type Preflight, preflight } from '../preflight/preflight.ts';
import { type CheckResult, type Finding, fails, type Look, lookAtAll, stands } from './check.ts';
import { askBucket, askInside, askStore, askStoreClock } from './inside.ts';
import { lookAtBucket } from './look-at-bucket.ts';
import { lookAtClosedDoors, lookAtDoors } from './look-at-doors.ts';
import { lookAtAgents, lookAtClusters, lookAtEvents } from './look-at-others.ts';
import {
  lookAtCertificate,
  lookAtClock,
  lookAtClosedCertificate,
  lookAtPublicAddress,
  publicPlace,
} from './look-at-public.ts';
import { lookAtClosedStore, lookAtRoom } from './look-at-store.ts';

export interface Examined {
  running: boolean;
  checks: CheckResult[];
}

const START = 'gatehouse start';
/** Nothing in the configuration would send any. */
const NO_MAIL = stands('this gateway sends none: links are handed over by whoever makes them');

/** `more`: looks of whoever asks, beside its own. Throws when the gateway is somebody else's. */
export async function examine(loaded: LoadedConfig, more: Record<string, Look>, now = Date.now): Promise<Examined> {
  const { dataDir } = loaded.config;
  const running = await isGatewayRunning(dataDir);
  const looks = running ? ofRunning(loaded.config, localSend(dataDir), now) : ofStopped(loaded, now);
  return { running, checks: await lookAtAll({ ...looks, ...more }) };
}

function ofRunning(config: GatewayConfig, send: Send, now: () => number): Record<string, Look> {
  const inside = askInside(send);
  inside.catch(() => {});
  const place = async () => {
    const { origin, tls } = await inside;
    return publicPlace(origin, { tls, dataDir: config.dataDir });
  };
  return {
    gateway: async () => {
      const { version, origin } = await inside;
      return stands(`Gatehouse ${version} runs on '${config.dataDir}', for ${origin}`);
    },
    'public-address': async (signal) => lookAtPublicAddress(await place(), send, signal),
    certificate: async (signal) => lookAtCertificate(await place(), await inside, now(), signal),
    clock: async (signal) => lookAtClock(await place(), (await askStoreClock(send)).aheadMs, now, signal),
    store: async () => askStore(send),
    bucket: async () => askBucket(send),
    mail: async () => NO_MAIL,
    events: () => lookAtEvents(send),
    doors: async (signal) => lookAtDoors(await inside, signal),
    agents: () => lookAtAgents(send),
    clusters: () => lookAtClusters(send),
  };
}

function ofStopped(loaded: LoadedConfig, now: () => number): Record<string, Look> {
  const { config } = loaded;
  // Once: two that try the same address at the same moment would be in each other's way.
  const found = preflight(loaded);
  found.catch(() => {});
  const unknown = async () => fails('cannot be told: the gateway is stopped', START);
  return {
    gateway: async () => stopped(config, await found),
    'public-address': unknown,
    certificate: async () => lookAtClosedCertificate(config, now()),
    clock: async (signal) => lookAtOwnClock(config, now, signal),
    store: async () => lookAtStopped(config),
    bucket: () => lookAtBucket(config.recordings.store),
    mail: async () => NO_MAIL,
    events: unknown,
    doors: async () => lookAtClosedDoors((await found).problems),
    agents: unknown,
    clusters: unknown,
  };
}

function stopped({ dataDir }: GatewayConfig, { problems }: Preflight): Finding {
  const wrong = problems.filter(({ kind }) => kind === 'configuration');
  const is = `no gateway runs on '${dataDir}'`;
  if (wrong.length === 0) return fails(is, START);
  return fails(
    `${is}, and none can: ${wrong.map(({ key, message }) => `${key}: ${message}`).join('; ')}`,
    'gatehouse config check names the lines',
  );
}

async function lookAtStopped(config: GatewayConfig): Promise<Finding> {
  const room = await lookAtRoom(config);
  if (!room.ok) return room;
  const store = await lookAtClosedStore(config);
  return store.ok ? stands(`${store.message}; ${room.message}`) : store;
}

async function lookAtOwnClock(config: GatewayConfig, now: () => number, signal: AbortSignal): Promise<Finding> {
  const origin = config.publicAddr?.origin;
  if (origin !== undefined)
    return await lookAtClock(publicPlace(origin, { tls: config.tls.mode, dataDir: config.dataDir }), 0, now, signal);
  return stands(`it is ${new Date(now()).toISOString().slice(0, 19).replace('T', ' ')} UTC here`);
}
