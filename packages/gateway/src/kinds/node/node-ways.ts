/** How somebody gets into a server: by which logins. */
import type { ReachedResource } from '../../access/action.ts';
import type { Access } from '../../access/bind-access.ts';
import { decide } from '../../access/decide.ts';
import type { WayIn } from '../../access/label-gifts.ts';
import { principalsFor } from '../../access/principals-for.ts';

/** Logins somebody may use there; none where they do not even see it. */
export function loginsOf(held: Access, resource: ReachedResource): string[] {
  if (!decide(held, { type: 'see', kind: 'node', resource }).allowed) return [];
  return principalsFor(held, 'node', resource.labels, 'logins');
}

export function nodeWays(held: Access, resource: ReachedResource): WayIn[] {
  return loginsOf(held, resource).map((login) => ({
    name: `sign in there as '${login}'`,
    action: { type: 'connect', kind: 'node', resource, login },
  }));
}
