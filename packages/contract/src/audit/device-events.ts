/** Events of trusted devices. Who did it and whether it worked are objects here, as on the wire. */
import { z } from 'zod';
import { defineEvent, type ReadFields } from '../events/define-event.ts';
import { byUser } from '../events/event-fields.ts';
import { because, type Line, line, when } from '../events/line.ts';

const fields = {
  status: z.object({ success: z.boolean(), error: z.string().optional(), message: z.string().optional() }),
  device: z
    .object({
      device_id: z.string().optional(),
      os_type: z.union([z.string(), z.number()]).optional(),
      asset_tag: z.string().optional(),
    })
    .optional(),
  user: z.object(byUser),
} as const;

type DeviceFields = ReadFields<typeof fields>;

function told({ user, device, status }: DeviceFields, done: string, attempted: string): Line {
  const which = device?.asset_tag || device?.device_id;
  const named = when(which, line` ${which}`);
  if (status?.success === false) return line`${user?.user} could not ${attempted}${named}${because(status.error)}`;
  return line`${user?.user} ${done}${named}`;
}

export const deviceRegistered = defineEvent({
  code: 'TV001I',
  event: 'device',
  label: 'Device Register',
  fields,
  tell: (read) => told(read, 'registered the device', 'register the device'),
});

export const deviceDeleted = defineEvent({
  code: 'TV002I',
  event: 'device',
  label: 'Device Delete',
  fields,
  tell: (read) => told(read, 'removed the device', 'remove the device'),
});

export const deviceEnrollTokenCreated = defineEvent({
  code: 'TV003I',
  event: 'device',
  label: 'Device Enroll Token Create',
  fields,
  tell: (read) => told(read, 'made a token to enrol the device', 'make a token to enrol the device'),
});

export const deviceEnrollTokenSpent = defineEvent({
  code: 'TV004I',
  event: 'device',
  label: 'Device Enroll Token Spent',
  fields,
  tell: (read) => told(read, 'used the token to enrol the device', 'use the token to enrol the device'),
});

export const deviceEnrolled = defineEvent({
  code: 'TV005I',
  event: 'device',
  label: 'Device Enrollment',
  fields,
  tell: (read) => told(read, 'enrolled the device', 'enrol the device'),
});

export const deviceAuthenticated = defineEvent({
  code: 'TV006I',
  event: 'device',
  label: 'Device Authenticate',
  fields,
  tell: (read) => told(read, 'proved the device', 'prove the device'),
});
