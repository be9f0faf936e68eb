/** What travels when a browser registers a second factor or proves that it holds one: challenges out, answers back. */
import { z } from 'zod';

/**
 * The two alphabets differ on purpose. Challenges go out in standard base64 because that is what clients of this wire
 * were written against; answers come back in unpadded base64url, as browsers themselves print them.
 */
const base64 = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be base64');
const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be unpadded base64url')
    // One character left over holds six bits: no byte ends there, so the text was cut.
    .refine((text) => text.length % 4 !== 1, 'must be unpadded base64url');

/** A credential id is at most 1,023 bytes (WebAuthn §4); a user handle at most 64. */
const CREDENTIAL_ID_MAX = 1_364;
const USER_HANDLE_MAX = 86;
const CREDENTIALS_MAX = 256;

const publicKeyType = z.literal('public-key');
const transports = z.array(z.string().min(1).max(32)).max(8);
const userVerification = z.enum(['discouraged', 'preferred', 'required']);
const timeoutMs = z.int().positive();
const siteId = z.string().min(1).max(253);
const credentialDescriptor = z.object({
  type: publicKeyType,
  id: base64(CREDENTIAL_ID_MAX + 4),
  transports: transports.optional(),
});

/** A device is asked for as a second factor, or instead of the password. */
export const deviceUsage = z.enum(['mfa', 'passwordless']);
export type DeviceUsage = z.output<typeof deviceUsage>;

/** Handed to `navigator.credentials.get` once challenge and ids are bytes. */
export const assertionOptions = z.object({
  publicKey: z.object({
    challenge: base64(128),
    timeout: timeoutMs.optional(),
    rpId: siteId.optional(),
    allowCredentials: z.array(credentialDescriptor).max(CREDENTIALS_MAX).optional(),
    userVerification: userVerification.optional(),
    extensions: z.object({ appid: z.string().max(2_048).optional() }).optional(),
  }),
});
export type AssertionOptions = z.output<typeof assertionOptions>;

/** Handed to `navigator.credentials.create` once challenge and ids are bytes. */
export const creationOptions = z.object({
  publicKey: z.object({
    challenge: base64(128),
    rp: z.object({ id: siteId, name: z.string().max(256) }),
    user: z.object({
      id: base64(USER_HANDLE_MAX + 4),
      name: z.string().max(256),
      displayName: z.string().max(256),
    }),
    pubKeyCredParams: z.array(z.object({ type: publicKeyType, alg: z.int() })).max(16),
    authenticatorSelection: z.object({
      requireResidentKey: z.boolean(),
      residentKey: z.enum(['discouraged', 'required']),
      userVerification,
    }),
    timeout: timeoutMs,
    excludeCredentials: z.array(credentialDescriptor).max(CREDENTIALS_MAX).optional(),
    attestation: z.enum(['none', 'direct']),
  }),
});
export type CreationOptions = z.output<typeof creationOptions>;

/** Asks for proof of a second factor already held. Mind the key: `webauthn_challenge` here, `webauthn` below. */
export const authenticateChallenge = z.object({
  webauthn_challenge: assertionOptions.nullable(),
  totp_challenge: z.boolean(),
});
export type AuthenticateChallenge = z.output<typeof authenticateChallenge>;

/** Asks a browser to make a new key, or a person to scan a code. */
export const registerChallenge = z.object({
  webauthn: creationOptions.nullable(),
  totp: z.object({ qrCode: base64(65_536) }).nullable(),
});
export type RegisterChallenge = z.output<typeof registerChallenge>;

const clientDataJson = base64url(8_192);
const extensionResults = z.object({ appid: z.boolean().optional() });

/** A browser's answer to `assertionOptions`. */
export const assertionResponse = z.object({
  id: base64url(CREDENTIAL_ID_MAX),
  type: publicKeyType,
  extensions: extensionResults.optional(),
  rawId: base64url(CREDENTIAL_ID_MAX),
  response: z.object({
    authenticatorData: base64url(4_096),
    clientDataJSON: clientDataJson,
    signature: base64url(2_048),
    /** Keys that store no user send none; clients print that as empty text, null or nothing. */
    userHandle: z.union([base64url(USER_HANDLE_MAX), z.literal('')]).nullish(),
  }),
});
export type AssertionResponse = z.output<typeof assertionResponse>;

/** A browser's answer to `creationOptions`. */
export const creationResponse = z.object({
  id: base64url(CREDENTIAL_ID_MAX),
  type: publicKeyType,
  extensions: extensionResults.optional(),
  rawId: base64url(CREDENTIAL_ID_MAX),
  response: z.object({
    attestationObject: base64url(32_768),
    clientDataJSON: clientDataJson,
    /** Not on the reference wire; our console sends it so that later prompts name the right kind of device. */
    transports: transports.optional(),
  }),
});
export type CreationResponse = z.output<typeof creationResponse>;

/** What proves a second factor inside another call: a code of an app, or the answer of a key to a challenge. */
export const factorAnswer = z.object({ code: z.string().max(16).optional(), key: assertionResponse.optional() });
export type FactorAnswer = z.output<typeof factorAnswer>;
