/** What the claims of somebody give here: roles by the entries of the connector, traits that some role asks for. */
import type { AccessControl } from '../../../access/create-access.ts';
import type { Claims, OpenConnector } from '../providers/provider.ts';
import { providerOf } from '../providers/providers.ts';
import { createBudget } from './budget.ts';
import { compileMapping } from './map-roles.ts';
import { compileTraits } from './map-traits.ts';
import { inTurns, type Steps } from './steps.ts';

export interface Mapped {
  roles: string[];
  given: { role: string; entry: string; exists: boolean }[];
  unmatched: string[];
  traits: Record<string, string[]>;
  dropped: { claim: string; why: string }[];
}

/** A connector's mapping, read once and asked for many. Others go on meanwhile. Throws `ProviderError` where it would take too long. */
export type ConnectorMapping = (access: Pick<AccessControl, 'role' | 'askedTraits'>, claims: Claims) => Promise<Mapped>;

export function compileConnector({ kind, document }: Pick<OpenConnector, 'kind' | 'document'>): ConnectorMapping {
  const roles = compileMapping(providerOf(kind).entries(document));
  const traits = compileTraits(document.spec.traits);
  const map = function* (access: Pick<AccessControl, 'role' | 'askedTraits'>, claims: Claims): Steps<Mapped> {
    const budget = createBudget();
    return {
      ...(yield* roles(claims, (role) => access.role(role) !== undefined, budget)),
      ...(yield* traits(claims, access.askedTraits(), budget)),
    };
  };
  return (access, claims) => inTurns(map(access, claims));
}
