/** Events of locks. */
import { z } from 'zod';
import { byUser, defineEvent, resource } from './define-event.ts';

const about = { kind: 'lock', name: 'name' } as const;
const target = z.record(z.string(), z.string());

function told(targets: Record<string, string> | undefined): string {
  const [[kind, name] = ['', '']] = Object.entries(targets ?? {});
  return `${kind} ${name}`.trim();
}

export const lockCreated = defineEvent({
  code: 'TLK00I',
  event: 'lock.created',
  label: 'Lock Created',
  about,
  fields: { ...byUser, ...resource, target, message: z.string().optional() },
  tell: ({ user, target }) => `${user} locked ${told(target)}`,
});

export const lockDeleted = defineEvent({
  code: 'TLK01I',
  event: 'lock.deleted',
  label: 'Lock Deleted',
  about,
  fields: { ...byUser, ...resource, target: target.optional() },
  tell: ({ user, name, target }) => `${user} lifted the lock on ${told(target) || name}`,
});
