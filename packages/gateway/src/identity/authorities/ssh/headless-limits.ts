/** What a certificate for one session of a machine without a browser is good for. It says so itself, in options that no server knows. */
import { isLoopback } from '../../../platform/config/address.ts';
import type { Certificate } from '../../../platform/crypto/ssh/certificate.ts';
import { clientKey } from '../../../platform/std/client-key.ts';

export interface HeadlessLimits {
  /** Of the request that was approved. */
  request: string;
  /** From where. */
  address: string;
  server: string;
  login: string;
  /** What alone may run, as it was shown; nothing: whatever is typed in a shell. */
  command: string;
}

export interface AskedHeadless {
  id: string;
  user: string;
  /** The bytes that were sent. */
  publicKey: Buffer;
  /** `login@server`. */
  target: string;
  command: string;
  client: string;
}

export interface ApprovedHeadless {
  who: { username: string; signInId: string };
  limits: HeadlessLimits;
}

const OPTION = 'headless@gatehouse';
const SOURCE = 'source-address';
const COMMAND = 'force-command';

export function limitOptions({ request, address, server, login, command }: HeadlessLimits): Record<string, string> {
  return {
    [OPTION]: `${request} ${login}@${server}`,
    [SOURCE]: `${address}/${address.includes(':') ? 128 : 32}`,
    ...(command === '' ? {} : { [COMMAND]: command }),
  };
}

/** Undefined: good for whatever the person may. Throws where it says what nobody here knows how to heed. */
export function readLimits({ criticalOptions, criticalValues }: Certificate): HeadlessLimits | undefined {
  if (criticalOptions.length === 0) return undefined;
  const [, request, login, server] = /^([0-9a-f-]{36}) (.+)@([^@\s]+)$/.exec(criticalValues[OPTION] ?? '') ?? [];
  const [, address] = /^([0-9a-f.:]+)\/(?:32|128)$/i.exec(criticalValues[SOURCE] ?? '') ?? [];
  const known = criticalOptions.filter((name) => name !== COMMAND).length === 2 && criticalValues[COMMAND] !== '';
  if (!known || !request || !login || !server || !address) throw new Error('an option is not known here');
  return { request, address, server, login, command: criticalValues[COMMAND] ?? '' };
}

/** Whether somebody there is who asked. This machine has more than one address. */
export function isWithin({ address }: HeadlessLimits, from: string): boolean {
  return clientKey(address) === clientKey(from) || (isLoopback(address) && isLoopback(from));
}
