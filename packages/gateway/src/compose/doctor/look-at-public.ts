/** The address people use, as seen from this machine: who answers there, with which certificate, and by which clock. */
import { existsSync, readFileSync } from 'node:fs';
import type { Send } from '@gatehouse/contract/wire/client';
import type { GatewayConfig } from '../../platform/config/resolve.ts';
import { authorityFile } from '../../platform/tls/self-made.ts';
import { checkTls } from '../preflight/check-files.ts';
import { type AddressAnswer, AddressError, askAddress } from './ask-address.ts';
import { type Finding, fails, stands } from './check.ts';
import type { InsideFacts } from './inside.ts';

const KEY_PATH = '/v1/webapi/trustedclusters/key';
const DAY_MS = 86_400_000;
const MIN_DAYS = 14;
/** Codes of authenticator programs and signatures of clouds are not taken beyond about this. */
const MAX_SKEW_MS = 30_000;

export interface PublicPlace {
  origin: string;
  /** PEM, where the gateway made its authority itself. */
  ca: string | undefined;
  dataDir: string;
}

export function publicPlace(
  origin: string,
  { tls, dataDir }: { tls: InsideFacts['tls']; dataDir: string },
): PublicPlace {
  const file = authorityFile(dataDir);
  const ca = tls === 'self-made' && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  return { origin, ca, dataDir };
}

/** Whoever answers must be this very gateway, or one of its cluster: it has the same federation key. */
export async function lookAtPublicAddress(
  { origin, ca }: PublicPlace,
  own: Send,
  signal: AbortSignal,
): Promise<Finding> {
  let asked: AddressAnswer;
  try {
    asked = await askAddress(new URL(KEY_PATH, origin), { signal, ca });
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return fails(`${origin} cannot be reached from here: ${error.message}`, adviceFor(error.why, origin));
  }
  const [there, here] = [idIn(asked.text), idIn((await own({ method: 'GET', url: KEY_PATH })).text)];
  if (here === undefined) return fails('the gateway itself does not say who it is', 'see its log');
  if (there === here) return stands(`${origin} leads here (${asked.address})`);
  const other = there === undefined ? `something that is no gateway (status ${asked.status})` : 'another cluster';
  return fails(
    `${origin} (${asked.address}) is answered by ${other}`,
    `let the name or the proxy lead to this gateway, or set publicAddr to what does`,
  );
}

export async function lookAtCertificate(
  place: PublicPlace,
  facts: Pick<InsideFacts, 'tls'>,
  now: number,
  signal: AbortSignal,
): Promise<Finding> {
  const { origin, ca, dataDir } = place;
  if (!origin.startsWith('https:')) return stands('none: people come over plain HTTP, which is for this machine alone');
  let asked: AddressAnswer;
  try {
    asked = await askAddress(new URL(KEY_PATH, origin), { signal, ca });
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return fails(`nobody shows one: ${error.message}`, adviceFor(error.why, origin));
  }
  const { certificate } = asked;
  if (!certificate) return fails(`${origin} shows none`, 'see the log of the gateway');
  const { distrust, notAfter, issuer } = certificate;
  const end = notAfter.toISOString().slice(0, 10);
  const days = Math.floor((notAfter.getTime() - now) / DAY_MS);
  if (notAfter.getTime() <= now)
    return fails(`that of ${origin} has expired on ${end}`, certificateAdvice('CERT_HAS_EXPIRED', facts, dataDir));
  if (distrust)
    return fails(
      `browsers do not take that of ${origin}: ${distrust.words}`,
      certificateAdvice(distrust.code, facts, dataDir),
    );
  if (days < MIN_DAYS)
    return fails(
      `that of ${origin} ends on ${end}, in ${days} days`,
      certificateAdvice('CERT_HAS_EXPIRED', facts, dataDir),
    );
  const own = facts.tls === 'self-made' ? `; self-made: browsers need ${authorityFile(dataDir)}` : '';
  return stands(`that of ${origin} is good until ${end} (${days} days), from ${issuer}${own}`);
}

/** Of a stopped gateway: what it would show. */
export function lookAtClosedCertificate(config: GatewayConfig, now: number): Finding {
  if (config.tls.mode === 'off') return stands('none of its own is configured');
  if (config.tls.mode === 'self-made') return stands('a self-made one is renewed at the start');
  const found = checkTls(config, now);
  if (found.length === 0) return stands(`the one in ${config.tls.cert} can be used`);
  return fails(
    found.map(({ key, message }) => `${key}: ${message}`).join('; '),
    'put a good pair there: tls.cert, tls.key',
  );
}

/** Of this machine, held against those it has to agree with. */
export async function lookAtClock(
  { origin, ca }: PublicPlace,
  storeAheadMs: number,
  now: () => number,
  signal: AbortSignal,
): Promise<Finding> {
  const others: [whose: string, aheadMs: number][] = [];
  if (storeAheadMs !== 0) others.push(['the database', storeAheadMs]);
  const before = now();
  const asked = await askAddress(new URL('/v1/webapi/ping', origin), { signal, ca }).catch(() => undefined);
  const said = Date.parse(asked?.headers.date ?? '');
  // It names whole seconds, and is kept for one.
  if (!Number.isNaN(said)) others.push([origin, said + 500 - (before + now()) / 2]);
  const time = new Date(now()).toISOString().slice(0, 19).replace('T', ' ');
  const off = others.filter(([, aheadMs]) => Math.abs(aheadMs) > MAX_SKEW_MS);
  if (off.length > 0)
    return fails(
      `it is ${time} UTC here, and the clock of ${off.map(([whose, aheadMs]) => `${whose} is ${differenceWords(aheadMs)}`).join(', that of ')}`,
      'let all machines take the time from the same servers: timedatectl set-ntp true',
    );
  if (others.length === 0) return stands(`it is ${time} UTC here; nothing else could be asked for the time`);
  return stands(`it is ${time} UTC here, as at ${others.map(([whose]) => whose).join(' and ')}`);
}

function differenceWords(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const length = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `${length} ${aheadMs > 0 ? 'ahead' : 'behind'}`;
}

function certificateAdvice(code: string, { tls }: Pick<InsideFacts, 'tls'>, dataDir: string): string {
  if (tls === 'off') return 'renew it at the proxy in front of the gateway';
  if (tls === 'self-made') return `restart the gateway, which makes a new one; browsers need ${authorityFile(dataDir)}`;
  if (code === 'CERT_HAS_EXPIRED')
    return 'put a new pair where tls.cert and tls.key lead; it is taken up without a restart';
  return 'let tls.cert hold the certificate for the public address, with the certificates between it and its authority';
}

function adviceFor(why: AddressError['why'], origin: string): string {
  const { hostname } = new URL(origin);
  switch (why) {
    case 'name':
      return `give ${hostname} an address in the DNS, or set publicAddr to a name that has one`;
    case 'refused':
      return 'start what shall answer there (the gateway, or the proxy in front), or set publicAddr to where it does';
    case 'silent':
      return 'open the port in the firewall, or set publicAddr to an address that leads here';
    case 'other':
      return 'look at what listens there; publicAddr names it';
  }
}

function idIn(text: string): string | undefined {
  try {
    const { clusterId } = JSON.parse(text) as { clusterId?: unknown };
    return typeof clusterId === 'string' ? clusterId : undefined;
  } catch {
    return undefined;
  }
}
