/** Why a host ends a connection, by its own numbers, in words. */

const POLICY = 'a policy of the host ended the session';
export const TAKEN_OVER = 'the desktop was taken over by another connection';
const LICENCE = 'the host has no licence for this connection';

const REASONS: Readonly<Record<number, string>> = {
  1: 'an administrator of the host ended the connection',
  2: 'an administrator of the host ended the session',
  3: 'the host ended the session because nobody did anything for too long',
  4: 'the host ended the session because its time was over',
  5: TAKEN_OVER,
  6: 'the host is out of memory',
  7: 'the host refused the connection',
  9: 'this login may not sign in remotely',
  10: 'the host asks for the password anew',
  11: 'the login signed out, or was signed out by an administrator of the host',
  12: 'the login signed out',
  15: 'the driver of the screen of the host did not answer in time',
  16: 'the driver of the screen of the host did not start',
  20: 'a program on the host ended the session',
  22: 'the host is shutting down or starts again',
  23: 'the host is shutting down or starts again',
  25: POLICY,
  256: LICENCE,
  257: 'the host has no licence left for remote desktops',
  258: LICENCE,
  259: LICENCE,
  260: LICENCE,
  261: LICENCE,
  262: LICENCE,
  263: LICENCE,
  264: LICENCE,
  265: LICENCE,
  266: LICENCE,
};

/** Of those that say what went wrong inside the protocol. */
const MIN_PROTOCOL_REASON = 0x10c9;

/** Undefined: zero is no error. */
export function errorInfo(code: number): string | undefined {
  if (code === 0) return undefined;
  const number = `0x${code.toString(16).toUpperCase()}`;
  if (code >= MIN_PROTOCOL_REASON) return `the host found a mistake in what it was sent (${number})`;
  return REASONS[code] ?? `the host ended the session (${number})`;
}
