/** A machine with plain OpenSSH that enters itself, in memory: its host keys, and what it signs with them. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { ENROL_NAMESPACE, enrolText } from '../src/kinds/node/enrol-proof.ts';
import { ED25519, ed25519Blob, publicKeyLine } from '../src/platform/crypto/ssh/public-key.ts';
import type { SignedText } from '../src/platform/crypto/ssh/ssh-signature.ts';
import { sshString, uint32 } from '../src/platform/crypto/ssh/ssh-wire.ts';

export const newHostKey = () => generateKeyPairSync('ed25519').privateKey;
export const hostKeyLine = (key: KeyObject) => publicKeyLine(ed25519Blob(key));

interface Shape {
  version?: number;
  reserved?: string;
  hash?: string;
  /** Another one than the one that signs, as it travels. */
  claim?: Buffer;
  algorithm?: string;
  more?: Buffer;
}

/** As `ssh-keygen -Y sign` writes it, but for what `shape` says. */
export function sshSignature(key: KeyObject, { namespace, text }: SignedText, shape: Shape = {}): string {
  const { version = 1, reserved = '', hash = 'sha512', claim = ed25519Blob(key), more = Buffer.alloc(0) } = shape;
  const digest = createHash(hash).update(text).digest();
  const signed = Buffer.concat([Buffer.from('SSHSIG'), ...[namespace, reserved, hash, digest].map(sshString)]);
  const signature = Buffer.concat([shape.algorithm ?? ED25519, sign(null, signed, key)].map(sshString));
  const parts = [claim, namespace, reserved, hash, signature].map(sshString);
  return armor(Buffer.concat([Buffer.from('SSHSIG'), uint32(version), ...parts, more]));
}

export function armor(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,70}/g) ?? [];
  return `-----BEGIN SSH SIGNATURE-----\n${lines.join('\n')}\n-----END SSH SIGNATURE-----\n`;
}

interface TestHost {
  token: string;
  name: string;
  addr: string;
  /** It holds these. */
  keys: readonly KeyObject[];
  /** Named beside them. */
  claims?: readonly string[];
  labels?: Record<string, string>;
}

export async function enrolBody(send: Send, { keys, claims = [], ...host }: TestHost) {
  const { nonce } = await call(send, agentRoutes.joinChallenge, {});
  const audience = 'localhost:3080';
  const signed = { namespace: ENROL_NAMESPACE, text: enrolText({ ...host, nonce, audience }) ?? '' };
  const proofs = keys.map((key) => sshSignature(key, signed));
  return { ...host, hostKeys: [...keys.map(hostKeyLine), ...claims], nonce, audience, proofs };
}
