/** Whether a provider may be on the machine the gateway runs on, where services listen that nobody else should reach: for those who may edit roles to say. */
import { isLoopbackName } from '@gatehouse/contract/identity/connectors/connector-document';
import type { AccessControl } from '../../../access/create-access.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { type ParsedConnector, readStoredConnector } from '../document/parse-connector.ts';
import { providerOf } from '../providers/providers.ts';
import type { StoredConnector } from '../stores/connector-store.ts';

type Written = Pick<ParsedConnector, 'kind' | 'document'>;

/**
 * What is kept of it with a document that is saved or tried. Who may not edit roles leaves it as it was while the addresses are those
 * that were entered by somebody who may; a name that leads here is refused when it is dialled. Throws where an address says so itself.
 */
export function ownMachineOf(
  { access, actor }: { access: Pick<AccessControl, 'mayEditRoles'>; actor: Actor },
  parsed: Written,
  held: StoredConnector | undefined,
): boolean {
  if (access.mayEditRoles(actor)) return true;
  if (held?.ownMachine && held.kind === parsed.kind && hasSameAddresses(parsed, held)) return true;
  const here = addressesOf(parsed).find(([, address]) => isLoopbackName(new URL(address).hostname));
  if (!here) return false;
  const field = `spec.${here[0]}`;
  const message = `'${field}' is on the machine the gateway runs on: only those who may edit roles write that`;
  throw new AppError('denied', message, { fields: { field } });
}

function hasSameAddresses(parsed: Written, { kind, content }: StoredConnector): boolean {
  const before = { kind, document: readStoredConnector(kind, content) };
  return JSON.stringify(addressesOf(parsed)) === JSON.stringify(addressesOf(before));
}

function addressesOf({ kind, document }: Written): [string, string][] {
  const spec: Readonly<Record<string, unknown>> = document.spec;
  return providerOf(kind).addressFields.flatMap((field): [string, string][] => {
    const address = spec[field];
    return typeof address === 'string' ? [[field, address]] : [];
  });
}
