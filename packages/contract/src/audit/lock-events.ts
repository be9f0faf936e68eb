/** Events of locks. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { byUser, resource } from '../events/event-fields.ts';
import { type Line, line } from '../events/line.ts';

const about = { kind: 'lock', name: 'name' } as const;
const target = z.record(z.string(), z.string());

function told(targets: Record<string, string> | undefined, otherwise?: string): Line {
  const [target] = Object.entries(targets ?? {});
  return target ? line`${target[0]} ${target[1]}` : line`${otherwise}`;
}

export const lockCreated = defineEvent({
  code: 'TLK00I',
  event: 'lock.created',
  label: 'Lock Created',
  about,
  fields: { ...byUser, ...resource, target, message: z.string().optional() },
  tell: ({ user, target }) => line`${user} locked ${told(target)}`,
});

export const lockDeleted = defineEvent({
  code: 'TLK01I',
  event: 'lock.deleted',
  label: 'Lock Deleted',
  about,
  fields: { ...byUser, ...resource, target: target.optional() },
  tell: ({ user, name, target }) => line`${user} lifted the lock on ${told(target, name)}`,
});
