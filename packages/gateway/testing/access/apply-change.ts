/** Carries out what an explanation says would turn a decision round. */
import { type RoleDocument, roleDocument } from '@gatehouse/contract/access/roles/role-document';
import type { Change } from '../../src/access/smallest-change.ts';
import type { RandomUser } from './random-roles.ts';

interface World {
  roles: readonly RoleDocument[];
  user: RandomUser;
}

type Loose = Record<string, unknown>;

export function applyChanges(world: World, changes: readonly Change[]): World {
  const { roles, user } = structuredClone(world) as unknown as {
    roles: Loose[];
    user: { username: string; traits: Record<string, string[]> };
  };
  const allowOf = (name: string) => {
    const spec = roles.find((role) => (role.metadata as Loose).name === name)!.spec as { allow?: Loose };
    spec.allow ??= {};
    return spec.allow;
  };
  const push = (owner: Loose, field: string, ...values: unknown[]) => {
    owner[field] = [...((owner[field] as unknown[] | undefined) ?? []), ...values];
  };
  for (const change of changes) {
    switch (change.type) {
      case 'remove-clause':
        blank(roles.find((role) => (role.metadata as Loose).name === change.role)!, change.path);
        break;
      case 'add-principal':
        push(allowOf(change.role), change.field, change.value);
        break;
      case 'add-label': {
        const allow = allowOf(change.role);
        allow[change.field] ??= {};
        const selector = allow[change.field] as Loose;
        const held = Object.hasOwn(selector, change.key) ? (selector[change.key] as string[]) : [];
        selector[change.key] = [...held, change.value];
        break;
      }
      case 'drop-label':
        delete (allowOf(change.role)[change.field] as Loose)[change.key];
        break;
      case 'add-object':
        push(allowOf(change.role), 'kubernetes_resources', change.entry);
        break;
      case 'add-rule':
        push(allowOf(change.role), 'rules', {
          resources: [change.resource],
          verbs: [change.verb],
        });
        break;
      case 'add-join':
        push(allowOf(change.role), 'join_sessions', {
          name: 'j',
          roles: [change.ownerRole],
          kinds: [change.kind],
          modes: [change.mode],
        });
        break;
      case 'add-trait':
        user.traits[change.trait] = [...(user.traits[change.trait] ?? []), change.value];
        break;
      case 'give-role':
        break;
      default:
        change satisfies never;
    }
  }
  const compact = roles.map((role) => roleDocument.parse(JSON.parse(JSON.stringify(role), withoutBlanks)));
  return { roles: compact, user };
}

/** Entries are blanked first and dropped at the end, so that the places of the others stay what the clauses name. */
function blank(role: Loose, path: string): void {
  const steps = [...path.matchAll(/[\w*]+/g)].map(([step]) => step);
  const last = steps.pop()!;
  let here: Loose = role;
  for (const step of steps) here = here[step] as Loose;
  here[last] = null;
}

function withoutBlanks(_: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null);
  return value === null ? undefined : value;
}
