/** Second factors: signing in with a key or passkey, challenges, and the devices of a user. */
import { z } from 'zod';
import { ack } from '../wire/ack.ts';
import { defineRoutes } from '../wire/route.ts';
import { deviceName } from './passwords.ts';
import { oneTimeCode, password, signInReply, tokenId, userName } from './sign-in.ts';
import {
  assertionResponse,
  authenticateChallenge,
  creationResponse,
  deviceUsage,
  registerChallenge,
} from './webauthn.ts';

const usage = deviceUsage.default('mfa');

export const mfaDevice = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  /** The zero time when it was never used. */
  lastUsed: z.string(),
  addedAt: z.string(),
  /** Ours: a passkey signs in without password. */
  passwordless: z.boolean().default(false),
});
export type MfaDevice = z.output<typeof mfaDevice>;

const DESCRIPTIONS: Record<string, string> = {
  TOTP: 'Authenticator App',
  WebAuthn: 'Hardware Key',
  U2F: 'Hardware Key',
};

export function deviceDescription(type: string): string {
  return DESCRIPTIONS[type] ?? 'unknown device';
}

export const mfaRoutes = defineRoutes({
  beginLogin: {
    method: 'POST',
    path: '/v1/webapi/mfa/login/begin',
    summary: 'Begins a sign-in with a key: after the password, or without one.',
    auth: 'public',
    csrf: 'always',
    limited: true,
    body: z.object({ passwordless: z.boolean().default(false), user: userName.optional(), pass: password.optional() }),
    reply: authenticateChallenge,
  },
  finishLogin: {
    method: 'POST',
    path: '/v1/webapi/mfa/login/finishsession',
    summary: 'Finishes a sign-in with a key.',
    auth: 'public',
    csrf: 'always',
    body: z.object({ user: z.string().max(256).optional(), webauthnAssertionResponse: assertionResponse }),
    reply: signInReply,
  },
  challenge: {
    method: 'POST',
    path: '/v1/webapi/mfa/authenticatechallenge',
    summary: 'A challenge for one of the caller’s devices.',
    auth: 'signed-in',
    reply: authenticateChallenge,
  },
  readChallenge: {
    method: 'GET',
    path: '/v1/webapi/mfa/authenticatechallenge',
    summary: 'The same challenge, asked with GET.',
    auth: 'signed-in',
    reply: authenticateChallenge,
  },
  challengeWithPassword: {
    method: 'POST',
    path: '/v1/webapi/mfa/authenticatechallenge/password',
    summary: 'A challenge for one of the caller’s devices, after the password.',
    auth: 'signed-in',
    body: z.object({ pass: password }),
    reply: authenticateChallenge,
  },
  tokenChallenge: {
    method: 'POST',
    path: '/v1/webapi/mfa/token/:tokenId/authenticatechallenge',
    summary: 'A challenge for a device of the user a token was made for.',
    auth: 'public',
    reply: authenticateChallenge,
  },
  registerChallenge: {
    method: 'POST',
    path: '/v1/webapi/mfa/token/:tokenId/registerchallenge',
    summary: 'Begins to enrol a device for the user a token was made for.',
    auth: 'public',
    body: z.object({ deviceType: z.enum(['totp', 'webauthn']), deviceUsage: usage }),
    /** Ours: the secret in the QR code, for typing it in. */
    reply: registerChallenge.extend({ totpSecret: z.string().optional() }),
  },
  devices: {
    method: 'GET',
    path: '/v1/webapi/mfa/devices',
    summary: 'The caller’s devices.',
    auth: 'signed-in',
    reply: z.array(mfaDevice),
  },
  addDevice: {
    method: 'POST',
    path: '/v1/webapi/mfa/devices',
    summary: 'Adds a device with a privilege token.',
    auth: 'signed-in',
    body: z.object({
      tokenId,
      deviceName,
      secondFactorToken: oneTimeCode.optional(),
      deviceUsage: usage,
      webauthnRegisterResponse: creationResponse.optional(),
    }),
    reply: ack,
  },
  tokenDevices: {
    method: 'GET',
    path: '/v1/webapi/mfa/token/:tokenId/devices',
    summary: 'The devices of the user a token was made for.',
    auth: 'public',
    reply: z.array(mfaDevice),
  },
  removeDevice: {
    method: 'DELETE',
    path: '/v1/webapi/mfa/token/:tokenId/devices/:deviceName',
    summary: 'Removes a device with a privilege token.',
    auth: 'public',
    reply: ack,
  },
});
