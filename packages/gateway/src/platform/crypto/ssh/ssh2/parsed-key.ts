/// <reference path="./ssh2-internals.d.ts" />
/** Keys of our own for ssh2, which takes what bears its mark for a key it has parsed: so certificates can be shown in their place. */
import ssh2 from 'ssh2';
import constants from 'ssh2/lib/protocol/constants.js';
import { CERTIFICATE_TYPES } from '../certificate.ts';
import { ED25519, publicKeyLine } from '../public-key.ts';
import { sshString } from '../ssh-wire.ts';

/** Beyond these ssh2 cannot parse the key that is inside. */
const HOST_CERTIFICATE_TYPES: readonly string[] = Object.keys(CERTIFICATE_TYPES);

for (const type of HOST_CERTIFICATE_TYPES) {
  const { SUPPORTED_SERVER_HOST_KEY: supported } = constants;
  if (!supported.includes(type)) supported.push(type);
}

/** The mark by which ssh2 knows keys it has parsed. */
const PARSED = (() => {
  // The same key each time: of those ssh2 makes itself it cannot read one in 256, and then no server could be reached.
  const parsed = ssh2.utils.parseKey(publicKeyLine(Buffer.concat([sshString(ED25519), sshString(Buffer.alloc(32))])));
  const mark = Object.getOwnPropertySymbols(parsed).find((symbol) => typeof Reflect.get(parsed, symbol) === 'boolean');
  if (!mark) throw new Error('this version of ssh2 marks parsed keys in another way');
  return mark;
})();

export interface ShownKey {
  type: string;
  /** As it is shown to the other side. */
  blob: Buffer;
  sign(data: Buffer): Buffer | Error;
}

export function parsedKey({ type, blob, sign }: ShownKey): object {
  return {
    type,
    comment: '',
    [PARSED]: true,
    isPrivateKey: () => true,
    getPrivatePEM: () => '',
    getPublicPEM: () => '',
    getPublicSSH: () => blob,
    sign,
    verify: () => false,
    equals: () => false,
  };
}
