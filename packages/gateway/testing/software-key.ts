/** A hardware key in software, for tests: makes and uses real keys, and lies where a test asks it to. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  AssertionOptions,
  AssertionResponse,
  CreationOptions,
  CreationResponse,
} from '@gatehouse/contract/identity/webauthn';

export type KeyAlgorithm = 'ES256' | 'EdDSA' | 'RS256' | 'ES384';

/** What an honest key and browser would fill in by themselves. */
export interface Prompt {
  origin: string;
  /** For which site the key answers; the one of the options unless told. */
  rpId?: string;
  challenge?: Buffer;
  type?: string;
  userPresent?: boolean;
  userVerified?: boolean;
  counter?: number;
  /** More of what the browser says. */
  clientData?: Record<string, unknown>;
  /** A statement about the key's maker that nobody asked for. */
  attestation?: { fmt: string; attStmt: Cbor };
}

export interface SoftwareKey {
  readonly credentialId: string;
  register(options: CreationOptions, prompt: Prompt): CreationResponse;
  assert(options: AssertionOptions, prompt: Prompt): AssertionResponse;
}

const FLAG = { userPresent: 0x01, userVerified: 0x04, attestedCredential: 0x40 } as const;

export function createSoftwareKey({
  algorithm = 'ES256',
  id = randomBytes(32),
}: {
  algorithm?: KeyAlgorithm;
  id?: Buffer;
} = {}): SoftwareKey {
  const { privateKey, publicKey } = newKeyPair(algorithm);
  const credentialId = id.toString('base64url');
  let counter = 0;
  let userHandle: string | undefined;

  const authenticatorData = (rpId: string, prompt: Prompt, attested?: Buffer): Buffer => {
    const flags =
      ((prompt.userPresent ?? true) ? FLAG.userPresent : 0) |
      ((prompt.userVerified ?? true) ? FLAG.userVerified : 0) |
      (attested ? FLAG.attestedCredential : 0);
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE(prompt.counter ?? ++counter, 1);
    return Buffer.concat([sha256(prompt.rpId ?? rpId), head, attested ?? Buffer.alloc(0)]);
  };

  return {
    credentialId,

    register({ publicKey: asked }, prompt) {
      const clientData = clientDataOf('webauthn.create', asked.challenge, prompt);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, cbor(coseOf(publicKey, algorithm))]);
      if (asked.authenticatorSelection.residentKey === 'required') {
        userHandle = Buffer.from(asked.user.id, 'base64').toString('base64url');
      }
      const attestationObject = cbor(
        new Map<string, Cbor>([
          ['fmt', prompt.attestation?.fmt ?? 'none'],
          ['attStmt', prompt.attestation?.attStmt ?? new Map()],
          ['authData', authenticatorData(asked.rp.id, prompt, attested)],
        ]),
      );
      return {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        extensions: { appid: false },
        response: {
          attestationObject: attestationObject.toString('base64url'),
          clientDataJSON: clientData.toString('base64url'),
        },
      };
    },

    assert({ publicKey: asked }, prompt) {
      const clientData = clientDataOf('webauthn.get', asked.challenge, prompt);
      const data = authenticatorData(asked.rpId ?? '', prompt);
      const signed = Buffer.concat([data, sha256(clientData)]);
      return {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        extensions: { appid: false },
        response: {
          authenticatorData: data.toString('base64url'),
          clientDataJSON: clientData.toString('base64url'),
          signature: sign(HASH[algorithm], signed, privateKey).toString('base64url'),
          userHandle: userHandle ?? '',
        },
      };
    },
  };
}

const HASH = { ES256: 'sha256', ES384: 'sha384', RS256: 'sha256', EdDSA: null } as const;

function newKeyPair(algorithm: KeyAlgorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  switch (algorithm) {
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' });
    case 'ES384':
      return generateKeyPairSync('ec', { namedCurve: 'P-384' });
    case 'EdDSA':
      return generateKeyPairSync('ed25519');
    case 'RS256':
      return generateKeyPairSync('rsa', { modulusLength: 2048 });
    default:
      return algorithm satisfies never;
  }
}

/** RFC 9052 §7, RFC 8230: kty 1, alg 3, then what the kind of key needs. */
function coseOf(publicKey: KeyObject, algorithm: KeyAlgorithm): Cbor {
  const jwk = publicKey.export({ format: 'jwk' });
  const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
  switch (algorithm) {
    case 'ES256':
      return new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytes(jwk.x)],
        [-3, bytes(jwk.y)],
      ]);
    case 'ES384':
      return new Map<number, Cbor>([
        [1, 2],
        [3, -35],
        [-1, 2],
        [-2, bytes(jwk.x)],
        [-3, bytes(jwk.y)],
      ]);
    case 'EdDSA':
      return new Map<number, Cbor>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, bytes(jwk.x)],
      ]);
    case 'RS256':
      return new Map<number, Cbor>([
        [1, 3],
        [3, -257],
        [-1, bytes(jwk.n)],
        [-2, bytes(jwk.e)],
      ]);
    default:
      return algorithm satisfies never;
  }
}

function clientDataOf(type: string, challenge: string, prompt: Prompt): Buffer {
  const said = {
    type: prompt.type ?? type,
    challenge: (prompt.challenge ?? Buffer.from(challenge, 'base64')).toString('base64url'),
    origin: prompt.origin,
    crossOrigin: false,
    ...prompt.clientData,
  };
  return Buffer.from(JSON.stringify(said));
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

export type Cbor = number | string | Uint8Array | readonly Cbor[] | ReadonlyMap<number | string, Cbor>;

/** As much of RFC 8949 as keys use; written here so that the tests do not check a library against itself. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
  if (typeof value === 'string') return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([cborHead(2, value.length), value]);
  if (value instanceof Map) {
    const entries = [...value].flatMap(([key, item]) => [cbor(key), cbor(item)]);
    return Buffer.concat([cborHead(5, value.size), ...entries]);
  }
  const items = value as readonly Cbor[];
  return Buffer.concat([cborHead(4, items.length), ...items.map(cbor)]);
}

function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 0x100) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 0xff]);
}
