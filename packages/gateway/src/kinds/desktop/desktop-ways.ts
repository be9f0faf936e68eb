/** How somebody gets into a desktop: as whom. */
import type { Access } from '../../access/bind-access.ts';
import { decide } from '../../access/decide.ts';
import type { WayIn } from '../../access/label-gifts.ts';
import { principalsFor } from '../../access/principals-for.ts';
import type { Resource } from '../../inventory/resource-store.ts';

/** None where they do not even see it. */
export function desktopLoginsOf(held: Access, resource: Pick<Resource, 'name' | 'labels' | 'id' | 'owner'>): string[] {
  if (!decide(held, { type: 'see', kind: 'desktop', resource }).allowed) return [];
  return principalsFor(held, 'desktop', resource.labels, 'windows_desktop_logins');
}

export function desktopWays(held: Access, resource: Resource): WayIn[] {
  return desktopLoginsOf(held, resource).map((login) => ({
    name: `sign in there as '${login}'`,
    action: { type: 'connect', kind: 'desktop', resource, login },
  }));
}
