/** What is decided about where somebody becomes a login. */
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import type { Resource } from '../../inventory/resource-store.ts';
import type { SessionAction } from './session-store.ts';

/** Connects to a resource as a login, under the name that the kind's row has for it. */
export function connectAs(kind: Kind, resource: Resource, login: string): SessionAction {
  const principal = factsOf(kind).principals.find((each) => each.login);
  return { type: 'connect', kind, resource, ...(principal ? { [principal.name]: login } : {}) } as SessionAction;
}
