/** Events of signing in and out, and of the locks that failures bring. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { byUser, connection, status } from '../events/event-fields.ts';
import { because, line, when } from '../events/line.ts';
import { SIGN_IN_KINDS } from '../identity/sign-ins.ts';

const login = {
  ...byUser,
  ...status,
  ...connection,
  method: z.string().optional(),
  attributes: z.record(z.string(), z.unknown()).optional(),
  mfa_device: z
    .object({ mfa_device_name: z.string(), mfa_device_uuid: z.string(), mfa_device_type: z.string() })
    .optional(),
  user_agent: z.string().optional(),
  /** Of a sign-in through a provider that failed: what its public page tells instead of the reason. */
  failure_id: z.string().optional(),
} as const;

const signIn = {
  ...byUser,
  ...connection,
  sign_in_kind: z.enum(SIGN_IN_KINDS).optional(),
  user_agent: z.string().optional(),
} as const;

export const userLogin = defineEvent({
  code: 'T1000I',
  event: 'user.login',
  label: 'Local Login',
  about: { kind: 'user', name: 'user' },
  fields: login,
  tell: ({ user, method }) => line`${user} signed in${when(method === 'passwordless', line` with a passkey`)}`,
});

export const userLoginFailed = defineEvent({
  code: 'T1000W',
  event: 'user.login',
  label: 'Local Login Failed',
  about: { kind: 'user', name: 'user' },
  fields: login,
  tell: ({ user, error }) => line`a sign-in as ${user || 'an unknown user'} failed${because(error)}`,
});

export const ssoLogin = defineEvent({
  code: 'T1001I',
  event: 'user.login',
  label: 'SSO Login',
  about: { kind: 'user', name: 'user' },
  fields: login,
  tell: ({ user, method }) => line`${user} signed in with ${method || 'an identity provider'}`,
});

export const ssoLoginFailed = defineEvent({
  code: 'T1001W',
  event: 'user.login',
  label: 'SSO Login Failed',
  about: { kind: 'user', name: 'user' },
  fields: login,
  tell: ({ method, error }) => line`a sign-in with ${method || 'an identity provider'} failed${because(error)}`,
});

export const ssoTestLogin = defineEvent({
  code: 'T1010I',
  event: 'user.login',
  label: 'SSO Test Flow Login',
  about: { kind: 'user', name: 'user' },
  fields: login,
  tell: ({ user, method }) =>
    line`a test of signing in with ${method || 'an identity provider'} went through as ${user}`,
});

export const ssoTestLoginFailed = defineEvent({
  code: 'T1011W',
  event: 'user.login',
  label: 'SSO Test Flow Login Failed',
  about: { kind: 'user', name: 'user' },
  fields: login,
  tell: ({ method, error }) =>
    line`a test of signing in with ${method || 'an identity provider'} failed${because(error)}`,
});

export const authAttemptFailed = defineEvent({
  code: 'T3007W',
  event: 'auth',
  label: 'Auth Attempt Failed',
  about: { kind: 'user', name: 'user' },
  fields: { ...byUser, ...connection, ...status },
  tell: ({ user, error }) => line`${user || 'an unknown user'} did not prove who they are${because(error)}`,
});

export const userSignedOut = defineEvent({
  code: 'GH100I',
  event: 'user.logout',
  label: 'Signed Out',
  about: { kind: 'user', name: 'user' },
  fields: { ...signIn, reason: z.string() },
  tell: ({ user, reason }) =>
    reason === 'signed_out'
      ? line`${user} signed out`
      : line`a sign-in of ${user} ended: ${reason?.replaceAll('_', ' ')}`,
});

export const sshCertificateRevoked = defineEvent({
  code: 'GH230I',
  event: 'ssh_certificate.revoke',
  label: 'SSH Certificate Revoked',
  about: { kind: 'user', name: 'user' },
  /** `name`: its serial. */
  fields: { ...signIn, name: z.string() },
  tell: ({ user, name }) => line`${user} revoked the SSH certificate ${name}`,
});

export const signInEndedByOther = defineEvent({
  code: 'GH101I',
  event: 'user.signin_ended',
  label: 'Sign-in Ended by Administrator',
  about: { kind: 'user', name: 'name' },
  fields: { ...signIn, name: z.string() },
  tell: ({ user, name }) => line`${user} ended a sign-in of ${name}`,
});

export const lockedOut = defineEvent({
  code: 'GH102W',
  event: 'user.lockout',
  label: 'Locked After Failed Sign-ins',
  about: { kind: 'user', name: 'user' },
  fields: { ...byUser, ...connection, failures: z.number().int(), until: z.string() },
  tell: ({ user, failures, until }) => line`${user} is locked until ${until} after ${failures} failed sign-ins`,
});

export const lockOutLifted = defineEvent({
  code: 'GH103I',
  event: 'user.lockout_lifted',
  label: 'Lock Lifted',
  about: { kind: 'user', name: 'name' },
  fields: { ...byUser, name: z.string() },
  tell: ({ user, name }) => line`${user} let ${name} sign in again`,
});

export const cliLoginAccepted = defineEvent({
  code: 'GH104I',
  event: 'cli.login',
  label: 'Command Line Signed In',
  about: { kind: 'user', name: 'user' },
  fields: { ...byUser, ...connection, client: z.string() },
  tell: ({ user, client }) => line`${user} signed in the command line ${client}`,
});

export const cliLoginDenied = defineEvent({
  code: 'GH104W',
  event: 'cli.login',
  label: 'Command Line Refused',
  about: { kind: 'user', name: 'user' },
  fields: { ...byUser, ...connection, client: z.string() },
  tell: ({ user, client }) => line`${user} refused the command line ${client}`,
});

export const signInElsewhere = defineEvent({
  code: 'GH170W',
  event: 'sign_in.elsewhere',
  label: 'Sign-in Used From Another Address',
  about: { kind: 'user', name: 'user' },
  fields: { ...signIn, tied_to: z.string(), door: z.string() },
  tell: ({ user, tied_to, door, 'addr.remote': address }) =>
    line`a sign-in of ${user}, tied to ${tied_to}, was refused at ${address || 'an unknown address'} (${door})`,
});

const headless = { ...byUser, ...connection, request: z.string(), command: z.string().optional() } as const;

export const headlessLoginAccepted = defineEvent({
  code: 'GH105I',
  event: 'headless.login',
  label: 'Headless Sign-in Approved',
  about: { kind: 'user', name: 'user' },
  fields: headless,
  tell: ({ user, request }) => line`${user} approved the sign-in ${request} of a machine without a browser`,
});

export const headlessLoginDenied = defineEvent({
  code: 'GH105W',
  event: 'headless.login',
  label: 'Headless Sign-in Denied',
  about: { kind: 'user', name: 'user' },
  fields: headless,
  tell: ({ user, request }) => line`${user} denied the sign-in ${request} of a machine without a browser`,
});
