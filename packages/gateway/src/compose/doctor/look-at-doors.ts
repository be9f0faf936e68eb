/** Whether each door of a running gateway is answered at, each in its own words; of a stopped one, whether it could listen there. */
import { connect } from 'node:net';
import { urlHost } from '../../platform/config/address.ts';
import { toldError } from '../../platform/std/told-error.ts';
import type { Preflight } from '../preflight/preflight.ts';
import { askAddress } from './ask-address.ts';
import { type Finding, fails, stands } from './check.ts';
import type { InsideFacts } from './inside.ts';

interface DoorAddress {
  host: string;
  port: number;
}

type Knock = (place: DoorAddress, signal: AbortSignal) => Promise<void>;

const KEYS = {
  web: 'listen',
  ssh: 'ssh.listen',
  mysql: 'databases.mysqlListen',
  diagnostics: 'diagListen',
} as const satisfies Record<keyof InsideFacts['listening'], string>;
type DoorName = keyof typeof KEYS;

export async function lookAtDoors({ listening, tls }: InsideFacts, signal: AbortSignal): Promise<Finding> {
  const knocks: Record<DoorName, Knock> = {
    web: (place, within) => getOk(tls === 'off' ? 'http' : 'https', '/v1/webapi/ping', place, within),
    ssh: (place, within) => firstBytes(place, within, (bytes) => bytes.toString('latin1').startsWith('SSH-2.0-')),
    // The greeting: three bytes of length, a number, and the version of the protocol.
    mysql: (place, within) => firstBytes(place, within, (bytes) => bytes[3] === 0 && bytes[4] === 10),
    diagnostics: (place, within) => getOk('http', '/healthz', place, within),
  };
  const found = await Promise.all(
    (Object.keys(knocks) as DoorName[]).flatMap((name) => {
      const place = listening[name];
      return place ? [knockAt(name, place, knocks[name], signal)] : [];
    }),
  );
  const shut = found.filter(({ trouble }) => trouble !== undefined);
  if (shut.length === 0) return stands(found.map(({ name, where }) => `${name} at ${where}`).join(', '));
  return fails(
    shut.map(({ name, where, trouble }) => `${name} at ${where}: ${trouble}`).join('; '),
    `see the log of the gateway; the address is set by ${shut.map(({ name }) => KEYS[name]).join(', ')}`,
  );
}

/** What stands in the way of a start. */
export function lookAtClosedDoors(problems: Preflight['problems']): Finding {
  const found = problems.filter(({ key }) => Object.values<string>(KEYS).includes(key));
  if (found.length === 0) return fails('nothing listens: the gateway is stopped', 'gatehouse start');
  return fails(
    `nothing listens, and the gateway could not: ${found.map(({ key, message }) => `${key}: ${message}`).join('; ')}`,
    `end what uses it, or set another: ${found.map(({ key }) => key).join(', ')}`,
  );
}

async function knockAt(name: DoorName, place: DoorAddress, knock: Knock, signal: AbortSignal) {
  const where = `${urlHost(place.host)}:${place.port}`;
  try {
    await knock({ ...place, host: reachable(place.host) }, signal);
    return { name, where, trouble: undefined };
  } catch (error) {
    return { name, where, trouble: toldError(error) };
  }
}

async function getOk(scheme: string, path: string, { host, port }: DoorAddress, signal: AbortSignal): Promise<void> {
  const { status } = await askAddress(new URL(`${scheme}://localhost:${port}${path}`), { signal, host });
  if (status !== 200) throw new Error(`it answers with ${status}`);
}

async function firstBytes(
  { host, port }: DoorAddress,
  signal: AbortSignal,
  isIt: (bytes: Buffer) => boolean,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('it hangs up')));
    socket.once('data', (bytes) => {
      if (isIt(bytes)) resolve();
      else reject(new Error('something else answers'));
      socket.destroy();
    });
  });
}

/** Listening everywhere is also listening here. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
