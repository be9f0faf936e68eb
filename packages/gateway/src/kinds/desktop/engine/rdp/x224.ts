/** The first exchange with a host: which security it has. The old one of RDP is refused. */

import type { ByteSource } from '../byte-source.ts';
import { DesktopFailure } from '../desktop-link.ts';

export const SECURITY = { tls: 1, nla: 2, nlaEx: 8 } as const;
const WANTED = SECURITY.tls | SECURITY.nla | SECURITY.nlaEx;
const REQUEST = Buffer.from([3, 0, 0, 19, 14, 0xe0, 0, 0, 0, 0, 0, 1, 0, 8, 0, WANTED, 0, 0, 0]);
const HEAD_BYTES = 4;
const MAX_CONFIRM_BYTES = 64;
const RESPONSE = 2;
const FAILURE = 3;

/** As clients begin: no name of a user, which would be readable for everybody in between. */
export function x224Request(): Buffer {
  return Buffer.from(REQUEST);
}

/** The security that the host chose: one of SECURITY. */
export async function readX224Confirm(source: ByteSource): Promise<number> {
  const head = await source.take(HEAD_BYTES);
  const length = head.readUInt16BE(2);
  if (head[0] !== 3 || length < 11 || length > MAX_CONFIRM_BYTES) throw noRdp();
  const body = await source.take(length - HEAD_BYTES);
  if (body[1] !== 0xd0) throw noRdp();
  // The short form is that of hosts that know nothing but the old security.
  if (body.length < 15) throw plain();
  const [type, value] = [body[7], body.readUInt32LE(11)];
  if (type === FAILURE) throw refused(value);
  if (type !== RESPONSE) throw noRdp();
  if (value === 0) throw plain();
  if (!Object.values<number>(SECURITY).includes(value))
    throw new DesktopFailure('protocol', 'unsupported', 'the host chose a security that nobody asked for');
  return value;
}

function noRdp(): DesktopFailure {
  return new DesktopFailure('protocol', 'not_rdp', 'what answers there does not speak RDP', {
    next: 'look at the address and the port: Remote Desktop listens on 3389 unless it was changed',
  });
}

function plain(): DesktopFailure {
  return new DesktopFailure(
    'protocol',
    'plain_security',
    'the host has only the old security of RDP, which is refused',
    {
      next: "let the host require TLS or Network Level Authentication: in Windows 'Require use of specific security layer' set to SSL",
    },
  );
}

const FAILURES: Readonly<Record<number, readonly [code: string, message: string, next: string]>> = {
  1: ['unsupported', 'the host asks for TLS and was offered it: it contradicts itself', ''],
  3: ['no_certificate', 'the host has no certificate for TLS', 'give its Remote Desktop service a certificate'],
  4: ['unsupported', 'the host takes the request for contradictory', ''],
  5: ['unsupported', 'the host asks for Network Level Authentication and was offered it: it contradicts itself', ''],
  6: [
    'certificate_sign_in',
    'the host asks for a certificate of the person during TLS, which is not supported',
    "let it take passwords by Network Level Authentication ('CredSSP') instead",
  ],
};

function refused(value: number): DesktopFailure {
  if (value === 2) return plain();
  const [code, message, next] = FAILURES[value] ?? [
    'refused',
    'the host refuses the connection, and gives no reason',
    '',
  ];
  return new DesktopFailure('protocol', code, message, { next });
}
