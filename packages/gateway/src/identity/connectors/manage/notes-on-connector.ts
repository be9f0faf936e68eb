/** What a document of a connector says that gives nothing here, or not what its author may think. */
import { didYouMean } from '@gatehouse/contract/std/did-you-mean';
import type { AccessControl } from '../../../access/create-access.ts';
import type { Path } from '../../../access/document/locate.ts';
import { unmappedTraitNotes } from '../../../access/missing-traits.ts';
import { recordTrait } from '../../../access/user-traits.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { ParsedConnector } from '../document/parse-connector.ts';
import { placeOf } from '../mapping/check-mapping.ts';
import type { MappingEntry } from '../providers/provider.ts';
import { providerOf } from '../providers/providers.ts';

/** Comparing a name with thousands takes its time, and a document may hold thousands. */
const MAX_COMPARED = 10;

export function notesOnConnector(
  { access, actor }: { access: Pick<AccessControl, 'role' | 'of' | 'roleNames' | 'mayEditRoles'>; actor: Actor },
  { kind, document, secrets, lineOf }: Pick<ParsedConnector, 'kind' | 'document' | 'secrets' | 'lineOf'>,
  /** Whether one is kept for it, which the document need not hold. */
  hasSecret = false,
): string[] {
  const named = placesOfRoles(providerOf(kind).entries(document));
  const unknown = [...named].filter(([role]) => access.role(role) === undefined);
  // Of no role whose name they might not know.
  const known = access.mayEditRoles(actor) ? access.roleNames() : actor.roles;
  // As somebody to whom every mapping gave something: what they lack even so, nobody gets.
  const traits = Object.fromEntries((document.spec.traits ?? []).map(({ to }) => [recordTrait(to), [to]]));
  const roles = [...named.keys()].filter((role) => access.role(role) !== undefined);
  return [
    ...unknown.map(([role, path], at) => {
      const meant = at < MAX_COMPARED ? didYouMean(role, known) : undefined;
      const close = meant === undefined ? '' : `; did you mean '${meant}'?`;
      return `line ${lineOf(path)}: role '${role}' does not exist: nobody gets it until it does${close}`;
    }),
    ...unmappedTraitNotes(access.of({ username: '', roles, traits })),
    ...publicClientNotes({ kind, secrets }, hasSecret),
    ...(document.spec.enabled === false ? ['it is switched off: nobody signs in through it'] : []),
  ];
}

export function publicClientNotes(
  { kind, secrets }: Pick<ParsedConnector, 'kind' | 'secrets'>,
  hasSecret: boolean,
): string[] {
  return kind === 'oidc' && !hasSecret && secrets['spec.client_secret'] === undefined
    ? ['without a client_secret the provider must know this gateway as a public client']
    : [];
}

/** Where each role is named first. Those that a provider's words make up are left out. */
function placesOfRoles(entries: readonly MappingEntry[]): ReadonlyMap<string, Path> {
  const places = new Map<string, Path>();
  for (const { path, roles } of entries)
    for (const [at, role] of roles.entries())
      if (!role.includes('$') && !places.has(role)) places.set(role, ['spec', ...placeOf(path), 'roles', at]);
  return places;
}
