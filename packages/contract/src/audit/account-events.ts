/** Events of a user's own account: devices, password, recovery codes, tokens. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { byUser, connection, resource, status } from '../events/event-fields.ts';
import { because, line } from '../events/line.ts';

const device = {
  ...byUser,
  mfa_device_name: z.string(),
  mfa_device_uuid: z.string(),
  mfa_device_type: z.string(),
} as const;

export const mfaDeviceAdded = defineEvent({
  code: 'T1006I',
  event: 'mfa.add',
  label: 'MFA Device Added',
  about: { kind: 'user', name: 'user' },
  fields: device,
  tell: (fields) => line`${fields.user} added the device ${fields.mfa_device_name} (${fields.mfa_device_type})`,
});

export const mfaDeviceDeleted = defineEvent({
  code: 'T1007I',
  event: 'mfa.delete',
  label: 'MFA Device Deleted',
  about: { kind: 'user', name: 'user' },
  fields: device,
  tell: (fields) => line`${fields.user} removed the device ${fields.mfa_device_name} (${fields.mfa_device_type})`,
});

export const passwordChanged = defineEvent({
  code: 'T1005I',
  event: 'user.password_change',
  label: 'User Password Updated',
  about: { kind: 'user', name: 'user' },
  fields: { ...byUser, ...connection },
  tell: ({ user }) => line`${user} changed their password`,
});

export const resetTokenCreated = defineEvent({
  code: 'T6000I',
  event: 'reset_password_token.create',
  label: 'Reset Password Token Created',
  about: { kind: 'user', name: 'name' },
  fields: { ...byUser, ...resource },
  tell: ({ user, name }) => line`${user} made a link with which ${name} sets new credentials`,
});

export const recoveryTokenCreated = defineEvent({
  code: 'T6001I',
  event: 'recovery_token.create',
  label: 'Recovery Token Created',
  about: { kind: 'user', name: 'name' },
  fields: { ...byUser, ...resource },
  tell: ({ name }) => line`${name} began to recover their account`,
});

export const privilegeTokenCreated = defineEvent({
  code: 'T6002I',
  event: 'privilege_token.create',
  label: 'Privilege Token Created',
  about: { kind: 'user', name: 'name' },
  fields: { ...byUser, ...resource },
  tell: ({ name }) => line`${name} proved who they are to change their account`,
});

export const recoveryCodesGenerated = defineEvent({
  code: 'T1008I',
  event: 'recovery_code.generated',
  label: 'Recovery Codes Generated',
  about: { kind: 'user', name: 'user' },
  fields: byUser,
  tell: ({ user }) => line`${user} got new recovery codes`,
});

export const recoveryCodeUsed = defineEvent({
  code: 'T1009I',
  event: 'recovery_code.used',
  label: 'Recovery Code Used',
  about: { kind: 'user', name: 'user' },
  fields: { ...byUser, ...status, ...connection },
  tell: ({ user }) => line`${user} used a recovery code`,
});

export const recoveryCodeFailed = defineEvent({
  code: 'T1009W',
  event: 'recovery_code.used',
  label: 'Recovery Code Use Failed',
  about: { kind: 'user', name: 'user' },
  fields: { ...byUser, ...status, ...connection },
  tell: ({ user, error }) => line`a recovery code for ${user || 'an unknown user'} was refused${because(error)}`,
});

export const apiTokenCreated = defineEvent({
  code: 'GH110I',
  event: 'api_token.create',
  label: 'API Token Created',
  about: { kind: 'user', name: 'user' },
  fields: { ...byUser, ...resource, scope: z.string() },
  tell: ({ user, name, scope, expires }) => line`${user} made the token ${name} (${scope}, until ${expires})`,
});

export const apiTokenDeleted = defineEvent({
  code: 'GH111I',
  event: 'api_token.delete',
  label: 'API Token Deleted',
  about: { kind: 'user', name: 'user' },
  fields: { ...byUser, ...resource },
  tell: ({ user, name }) => line`${user} took back the token ${name}`,
});
