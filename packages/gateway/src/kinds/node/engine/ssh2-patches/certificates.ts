/**
 * Certificates for the ssh2 client, which has none (tried with the pinned 1.17.0): login by user certificate, and host
 * certificates in the key exchange.
 *
 * Login: ssh2 writes the name of the key type into the signature as well, where OpenSSH wants the plain one. So it is given a
 * key whose blob is the certificate, and the one signed packet is rewritten on its way out.
 * Key exchange: what is hashed is the whole certificate, what signs is the plain key in it. So the first reading of the host
 * key gives the one, every later reading the other.
 * Both fail closed: should the inside of ssh2 change, logins fail and the tests say so.
 */
import { type KeyObject, sign } from 'node:crypto';
import type { Client } from 'ssh2';
import { ED25519_CERTIFICATE } from '../../../../platform/crypto/ssh/certificate.ts';
import { ED25519, typeOf } from '../../../../platform/crypto/ssh/public-key.ts';
import { sshString } from '../../../../platform/crypto/ssh/ssh-wire.ts';
import { parsedKey } from '../../../../platform/crypto/ssh/ssh2/parsed-key.ts';

type Sign = (data: Buffer, done: (signature: Buffer) => void) => void;

/** What is used of the inside of a client after `connect()`. */
interface Inside {
  _protocol: {
    authPK(user: string, key: unknown, algorithm: string | Sign | undefined, signWith?: Sign): void;
    _packetRW: {
      write: {
        allocStart: number;
        alloc(bytes: number): Buffer;
        finalize(packet: Buffer, ...rest: unknown[]): unknown;
      };
    };
    _kex: { negotiated: { serverHostKey: string } };
  };
}

/** A key for ssh2's `publickey` method that shows the certificate, and signs with the key when the server would take it. */
export function certificateKey(key: KeyObject, certificate: Buffer, maySign: () => boolean): object {
  return parsedKey({
    type: ED25519_CERTIFICATE,
    blob: certificate,
    sign: (data) => (maySign() ? sign(null, data, key) : new Error('nothing is signed')),
  });
}

/** Call it right after `connect()`: makes the client sign with these keys the way OpenSSH reads it. */
export function signPlainly(client: Client, keys: readonly object[]): void {
  const { _protocol: protocol } = client as unknown as Inside;
  const { authPK } = protocol;
  protocol.authPK = function (this: Inside['_protocol'], user, key, algorithm, given) {
    const signWith = typeof algorithm === 'function' ? algorithm : given;
    const named = typeof algorithm === 'function' ? undefined : algorithm;
    if (!signWith || !keys.includes(key as object)) return authPK.call(this, user, key, named, signWith);
    const { write } = this._packetRW;
    return authPK.call(this, user, key, named, (data, done) =>
      signWith(data, (signature) => {
        const { finalize } = write;
        // Exactly one packet: the signed request.
        write.finalize = (packet, ...rest) => {
          write.finalize = finalize;
          const start = write.allocStart;
          // What was signed is the session's id and then the body of the request.
          const body = data.length - 4 - data.readUInt32BE(0);
          const tail = sshString(Buffer.concat([sshString(ED25519), sshString(signature)]));
          const rewritten = write.alloc(body + tail.length);
          packet.copy(rewritten, start, start, start + body);
          tail.copy(rewritten, start + body);
          return finalize.call(write, rewritten, ...rest);
        };
        try {
          done(signature);
        } finally {
          write.finalize = finalize;
        }
      }),
    );
  };
}

/** Call it in the host verifier, at every exchange: lets the signature be checked with the key inside a checked certificate. */
export function readAsPlainKey(client: Client, certificate: Buffer, plain: Buffer): void {
  const { _kex: exchange } = (client as unknown as Inside)._protocol;
  let reads = 0;
  Object.defineProperty(exchange, '_hostKey', {
    configurable: true,
    get() {
      reads += 1;
      return reads === 1 ? certificate : plain;
    },
    set() {},
  });
  exchange.negotiated.serverHostKey = typeOf(plain);
}
