/** The checks of a key's answer whose failure has a reason worth telling; the library repeats them and does the rest. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { sameText } from '../../platform/crypto/tokens.ts';
import { AppError } from '../../platform/std/app-error.ts';

/** Where an answer must come from. */
export interface Ceremony {
  /** The stored one, base64url. Forget it before the answer is checked: it must serve once, also when checking fails. */
  challenge: string;
  rpId: string;
  origins: readonly string[];
}

const clientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
  topOrigin: z.string().optional(),
});

/** What the browser says about the prompt it showed. */
export function checkClientData(
  clientDataJson: string,
  { type, challenge, origins }: Ceremony & { type: 'webauthn.create' | 'webauthn.get' },
): void {
  const said = clientData.safeParse(parseJson(Buffer.from(clientDataJson, 'base64url').toString('utf8')));
  if (!said.success || said.data.type !== type) throw notUnderstood();
  if (!sameText(said.data.challenge, challenge)) {
    throw new AppError('bad_request', 'the prompt for the key has expired or was answered already: try again');
  }
  if (!origins.includes(said.data.origin)) {
    throw new AppError('bad_request', 'the key was used on another address than this one');
  }
  // A page of ours inside a stranger's frame has our origin; the library lets it through when no frame is named.
  if (said.data.crossOrigin || said.data.topOrigin !== undefined) {
    throw new AppError('bad_request', 'the key was used inside a page of another site');
  }
}

const FLAGS_AT = 32;
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
/** Hash of the site, flags, counter (WebAuthn §6.1). */
const AUTHENTICATOR_DATA_BYTES_MIN = 37;

/** What the key itself says: for which site it answered, and what it asked of the person. */
export function checkAuthenticatorData(
  data: Buffer,
  { rpId, passwordless }: { rpId: string; passwordless: boolean },
): void {
  if (data.length < AUTHENTICATOR_DATA_BYTES_MIN) throw notUnderstood();
  // An empty site would switch the library's own check off.
  if (rpId === '' || !timingSafeEqual(data.subarray(0, FLAGS_AT), createHash('sha256').update(rpId).digest())) {
    throw new AppError('bad_request', 'the key answered for another site than this one');
  }
  const flags = data.readUInt8(FLAGS_AT);
  if (!(flags & USER_PRESENT)) throw new AppError('bad_request', 'the key was not touched');
  if (passwordless && !(flags & USER_VERIFIED)) {
    throw new AppError(
      'bad_request',
      'the key did not ask for a PIN, a fingerprint or a face: without a password it must',
    );
  }
}

/** The user handle a key stored: who signs in without a password, and that a second factor is the person's own. */
export function checkUserHandle(
  handle: Buffer | undefined,
  { userId, passwordless }: { userId: Buffer; passwordless: boolean },
): void {
  if (!handle && !passwordless) return;
  if (!handle || handle.length !== userId.length || !timingSafeEqual(handle, userId)) {
    throw wrongKey();
  }
}

/**
 * The attestation object with its statement left out. We ask for none and trust none; checking one that came all the
 * same would mean reading certificates chosen by the sender and fetching revocation lists from addresses named in them.
 */
export async function withoutAttestation(
  attestationObject: string,
): Promise<{ authData: Buffer; attestationObject: string }> {
  // Loaded with the first key that is registered, as the rest of the library is.
  const { isoCBOR } = await import('@simplewebauthn/server/helpers');
  const sent = refusingSync(() =>
    isoCBOR.decodeFirst<unknown>(Uint8Array.from(Buffer.from(attestationObject, 'base64url'))),
  );
  const authData: unknown = sent instanceof Map ? sent.get('authData') : undefined;
  if (!(authData instanceof Uint8Array)) throw notUnderstood();
  const noStatement = new Map<string | number, string>();
  const bare = new Map<string | number, string | Uint8Array | typeof noStatement>([
    ['fmt', 'none'],
    ['attStmt', noStatement],
    ['authData', authData],
  ]);
  return {
    authData: Buffer.from(authData),
    attestationObject: Buffer.from(isoCBOR.encode(bare)).toString('base64url'),
  };
}

/** Whatever the library or a decoder throws over a hostile answer is the sender's fault, not an error of ours. */
export async function refusing<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (cause) {
    throw notUnderstood(cause);
  }
}

export function notVerified(): AppError {
  return new AppError('bad_request', 'the answer of the key is not valid');
}

export function notUnderstood(cause?: unknown): AppError {
  return new AppError('bad_request', 'the answer of the key could not be understood', { cause });
}

export function wrongKey(): AppError {
  return new AppError('bad_request', 'this key is not registered for this account');
}

export function copiedKey(): AppError {
  return new AppError(
    'bad_request',
    'this key was used elsewhere since it was last used here: it may have been copied, so it is refused',
  );
}

function refusingSync<T>(check: () => T): T {
  try {
    return check();
  } catch (cause) {
    throw notUnderstood(cause);
  }
}

function parseJson(text: string): unknown {
  return refusingSync(() => JSON.parse(text));
}
