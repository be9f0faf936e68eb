/** Asks the browser for keys and passkeys, in the shapes of the wire. */
import { isForSignedIn } from '@gatehouse/contract/identity/signed-in-challenge';
import type {
  AssertionOptions,
  AssertionResponse,
  CreationOptions,
  CreationResponse,
} from '@gatehouse/contract/identity/webauthn';
import { fromBase64, toBase64url } from './bytes.ts';
import { WebauthnError, type WebauthnFailure } from './webauthn-error.ts';

export function supportsKeys(): boolean {
  return typeof window.PublicKeyCredential === 'function' && navigator.credentials !== undefined;
}

/** Whether passkeys can be offered where the user name is typed. */
export async function supportsAutofill(): Promise<boolean> {
  if (!supportsKeys()) return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}

/** Makes a new key. Throws a `WebauthnError`. */
export async function createKey({ publicKey }: CreationOptions): Promise<CreationResponse> {
  requireSupport();
  const { challenge, user, excludeCredentials = [], ...rest } = publicKey;
  const made = await navigator.credentials
    .create({
      publicKey: {
        ...rest,
        challenge: fromBase64(challenge),
        user: { ...user, id: fromBase64(user.id) },
        excludeCredentials: excludeCredentials.map(descriptor),
      },
    })
    .catch((error: unknown) => {
      throw asWebauthnError(error, 'nothing-created');
    });
  if (!isPublicKey(made)) throw new WebauthnError('nothing-created');
  const response = made.response as AuthenticatorAttestationResponse;
  return {
    ...identity(made),
    response: {
      attestationObject: toBase64url(response.attestationObject),
      clientDataJSON: toBase64url(response.clientDataJSON),
      transports: response.getTransports?.() ?? [],
    },
  };
}

interface AskOptions {
  signal?: AbortSignal;
  /** Waits silently until a passkey is chosen in the field with `webauthn` in its autocomplete. */
  autofill?: boolean;
}

/** Asks for the answer of a key that is registered already. Throws a `WebauthnError`. */
export async function askKey(
  { publicKey }: AssertionOptions,
  { signal, autofill = false }: AskOptions = {},
): Promise<AssertionResponse> {
  requireSupport();
  const { challenge, allowCredentials, ...rest } = publicKey;
  const given = await navigator.credentials
    .get({
      publicKey: {
        ...rest,
        challenge: fromBase64(challenge),
        ...(allowCredentials ? { allowCredentials: allowCredentials.map(descriptor) } : {}),
      },
      ...(signal ? { signal } : {}),
      ...(autofill ? { mediation: 'conditional' } : {}),
    })
    .catch((error: unknown) => {
      throw asWebauthnError(error, 'nothing-obtained');
    });
  if (!isPublicKey(given)) throw new WebauthnError('nothing-obtained');
  const response = given.response as AuthenticatorAssertionResponse;
  return {
    ...identity(given),
    response: {
      authenticatorData: toBase64url(response.authenticatorData),
      clientDataJSON: toBase64url(response.clientDataJSON),
      signature: toBase64url(response.signature),
      userHandle: response.userHandle ? toBase64url(response.userHandle) : '',
    },
  };
}

/** The same where a session asks: that may be one of another cluster, which must not be given what signs in here. */
export async function askKeyForSession(options: AssertionOptions): Promise<AssertionResponse> {
  if (!isForSignedIn(options)) throw new WebauthnError('for-something-else');
  return askKey(options);
}

function identity(credential: PublicKeyCredential) {
  const { appid } = credential.getClientExtensionResults();
  const rawId = toBase64url(credential.rawId);
  return { id: rawId, rawId, type: 'public-key' as const, extensions: { appid: Boolean(appid) } };
}

function descriptor({ type, id, transports }: { type: 'public-key'; id: string; transports?: string[] }) {
  return {
    type,
    id: fromBase64(id),
    ...(transports ? { transports: transports as AuthenticatorTransport[] } : {}),
  };
}

function requireSupport(): void {
  if (!supportsKeys()) throw new WebauthnError('unsupported');
}

function isPublicKey(credential: Credential | null): credential is PublicKeyCredential {
  return credential !== null && 'rawId' in credential;
}

/** The names are those of WebAuthn §5.1.3 and §5.1.4; whatever else goes wrong is told as the specification says. */
const FAILURES: Record<string, WebauthnFailure> = {
  NotAllowedError: 'cancelled',
  AbortError: 'superseded',
  InvalidStateError: 'registered-already',
  SecurityError: 'wrong-address',
};

function asWebauthnError(error: unknown, otherwise: WebauthnFailure): WebauthnError {
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  const failure = FAILURES[name] ?? otherwise;
  // Asking for an answer never says "registered": there it only means that this key is not the right one.
  const meant = failure === 'registered-already' && otherwise === 'nothing-obtained' ? otherwise : failure;
  return new WebauthnError(meant, error);
}
