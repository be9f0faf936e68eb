/** What a document of a connector says that gives nothing here, or not what its author may think. */
import { didYouMean } from '@gatehouse/contract/std/did-you-mean';
import type { AccessControl } from '../../../access/create-access.ts';
import { unmappedTraitNotes } from '../../../access/missing-traits.ts';
import { recordTrait } from '../../../access/user-traits.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { ParsedConnector } from '../document/parse-connector.ts';
import { placeOf } from '../mapping/check-mapping.ts';
import { providerOf } from '../providers/providers.ts';

export function notesOnConnector(
  { access, actor }: { access: Pick<AccessControl, 'role' | 'of' | 'roleNames' | 'mayEditRoles'>; actor: Actor },
  { kind, document, secrets, lineOf }: Pick<ParsedConnector, 'kind' | 'document' | 'secrets' | 'lineOf'>,
  /** Whether one is kept for it, which the document need not hold. */
  hasSecret = false,
): string[] {
  const entries = providerOf(kind).entries(document);
  const named = [...new Set(entries.flatMap(({ roles }) => roles))].filter((role) => !role.includes('$'));
  const unknown = named.filter((role) => access.role(role) === undefined);
  // As somebody to whom every mapping gave something: what they lack even so, nobody gets.
  const traits = Object.fromEntries((document.spec.traits ?? []).map(({ to }) => [recordTrait(to), [to]]));
  const roles = named.filter((role) => !unknown.includes(role));
  return [
    ...unknown.map((role) => {
      const { path, roles: written } = entries.find((entry) => entry.roles.includes(role))!;
      const line = lineOf(['spec', ...placeOf(path), 'roles', written.indexOf(role)]);
      // Of no role whose name they might not know.
      const meant = didYouMean(role, access.mayEditRoles(actor) ? access.roleNames() : actor.roles);
      const close = meant === undefined ? '' : `; did you mean '${meant}'?`;
      return `line ${line}: role '${role}' does not exist: nobody gets it until it does${close}`;
    }),
    ...unmappedTraitNotes(access.of({ username: '', roles, traits })),
    ...(kind === 'oidc' && !hasSecret && secrets['spec.client_secret'] === undefined
      ? ['without a client_secret the provider must know this gateway as a public client']
      : []),
    ...(document.spec.enabled === false ? ['it is switched off: nobody signs in through it'] : []),
  ];
}
