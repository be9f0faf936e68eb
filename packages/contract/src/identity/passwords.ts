/** Invite and reset links, passwords, and the privilege token that dangerous steps on an account ask for. */
import { z } from 'zod';
import { isLineText, STEERING } from '../std/line-text.ts';
import { ack } from '../wire/ack.ts';
import { defineRoutes } from '../wire/route.ts';
import { recoveryCodes } from './recovery.ts';
import { oneTimeCode, tokenId, userName } from './sign-in.ts';
import { assertionResponse, creationResponse } from './webauthn.ts';

/** Base64 of the password's UTF-8 bytes. */
const encodedPassword = z.base64().max(1400);

export const deviceName = z.string().trim().min(1).max(64).refine(isLineText, STEERING);

/** Why a link does not work; in `fields.reason` of the error. */
export const LINK_FAILURES = ['unknown', 'used', 'expired'] as const;
export type LinkFailure = (typeof LINK_FAILURES)[number];

export const passwordRoutes = defineRoutes({
  createToken: {
    method: 'POST',
    path: '/v1/webapi/users/password/token',
    summary: 'Makes a link with which a user sets new credentials.',
    auth: 'signed-in',
    needs: ['users', 'edit'],
    body: z.object({ name: userName, type: z.enum(['invite', 'password']).default('password') }),
    /** `link` is ours: the whole address to hand to the user. */
    reply: z.object({ tokenId: z.string(), user: z.string(), expiry: z.string(), link: z.string().default('') }),
  },
  readToken: {
    method: 'GET',
    path: '/v1/webapi/users/password/token/:tokenId',
    summary: 'Whose link this is, and a fresh QR code for an authenticator app.',
    auth: 'public',
    reply: z.object({
      tokenId: z.string(),
      user: z.string(),
      /** PNG in base64. */
      qrCode: z.string(),
      /** The zero time; other clients expect the field. */
      expiry: z.string(),
      /** Ours. A `recovery` link keeps the password and only asks for a new device. */
      type: z.enum(['invite', 'password', 'recovery']).default('password'),
      /** Ours: the secret in the QR code, for typing it in. */
      totpSecret: z.string().default(''),
      /** Ours: the user has a password that this link leaves as it is. */
      keepsPassword: z.boolean().default(false),
    }),
  },
  useToken: {
    method: 'PUT',
    path: '/v1/webapi/users/password/token',
    summary: 'Sets password and second factor by a link, and signs in.',
    auth: 'public',
    csrf: 'always',
    body: z.object({
      token: tokenId,
      /** Null or empty with a creation response: passwordless from now on. */
      password: encodedPassword.nullable().optional(),
      second_factor_token: oneTimeCode.optional(),
      deviceName: deviceName.optional(),
      webauthnCreationResponse: creationResponse.optional(),
    }),
    reply: z.object({ recovery: recoveryCodes, privateKeyPolicyEnabled: z.literal(true).optional() }),
  },
  change: {
    method: 'PUT',
    path: '/v1/webapi/users/password',
    summary: 'Changes the caller’s password.',
    auth: 'signed-in',
    body: z.object({
      old_password: encodedPassword,
      new_password: encodedPassword,
      second_factor_token: oneTimeCode.optional(),
      webauthnAssertionResponse: assertionResponse.optional(),
    }),
    reply: ack,
  },
  createPrivilegeToken: {
    method: 'POST',
    path: '/v1/webapi/users/privilege/token',
    summary: 'Proves the second factor again; the answer is the token itself.',
    auth: 'signed-in',
    body: z.object({
      secondFactorToken: oneTimeCode.optional(),
      webauthnAssertionResponse: assertionResponse.optional(),
    }),
    reply: z.string(),
  },
});
