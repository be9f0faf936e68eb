/** What a draft changes for those who have signed in before, put together by role: who gets it, who loses it, who is shut out. */
import type { ConnectorEffect } from '@gatehouse/contract/identity/connectors/connector-tests';

export interface RoleChange {
  role: string;
  users: string[];
}

export interface GroupedEffects {
  gained: RoleChange[];
  lost: RoleChange[];
  /** Could not sign in any more, and why. */
  refused: { user: string; why: string }[];
}

export function groupEffects(effects: readonly ConnectorEffect[]): GroupedEffects {
  const gained = new Map<string, string[]>();
  const lost = new Map<string, string[]>();
  for (const { user, before, after } of effects) {
    for (const role of after) if (!before.includes(role)) add(gained, role, user);
    for (const role of before) if (!after.includes(role)) add(lost, role, user);
  }
  return {
    gained: sorted(gained),
    lost: sorted(lost),
    refused: effects.flatMap(({ user, refused }) => (refused === undefined ? [] : [{ user, why: refused }])),
  };
}

function add(changes: Map<string, string[]>, role: string, user: string): void {
  const users = changes.get(role);
  if (users) users.push(user);
  else changes.set(role, [user]);
}

/** What touches most people first. */
function sorted(changes: Map<string, string[]>): RoleChange[] {
  return [...changes]
    .map(([role, users]) => ({ role, users }))
    .sort((a, b) => b.users.length - a.users.length || a.role.localeCompare(b.role));
}
