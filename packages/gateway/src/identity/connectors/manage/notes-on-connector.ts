/** What a document of a connector says that gives nothing here, or not what its author may think. */
import type { AccessControl } from '../../../access/create-access.ts';
import { unmappedTraitNotes } from '../../../access/missing-traits.ts';
import { recordTrait } from '../../../access/user-traits.ts';
import type { ParsedConnector } from '../document/parse-connector.ts';
import { providerOf } from '../providers/providers.ts';

export function notesOnConnector(
  access: Pick<AccessControl, 'role' | 'of'>,
  { kind, document, secrets }: Pick<ParsedConnector, 'kind' | 'document' | 'secrets'>,
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
    ...unknown.map((role) => `role '${role}' does not exist: nobody gets it until it does`),
    ...unmappedTraitNotes(access.of({ username: '', roles, traits })),
    ...(kind === 'oidc' && !hasSecret && secrets['spec.client_secret'] === undefined
      ? ['without a client_secret the provider must know this gateway as a public client']
      : []),
    ...(document.spec.enabled === false ? ['it is switched off: nobody signs in through it'] : []),
  ];
}
