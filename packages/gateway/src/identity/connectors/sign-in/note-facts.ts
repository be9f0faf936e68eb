/** Keeps what was learnt of a provider. */
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import type { Assertion } from '../providers/provider.ts';
import { providerOf } from '../providers/providers.ts';
import { findConnector, noteConnector } from '../stores/connector-store.ts';

export async function noteFacts(
  tx: Tx,
  audit: Audit,
  name: string,
  { issuer, facts }: Pick<Assertion, 'issuer' | 'facts'>,
): Promise<void> {
  const stored = await findConnector(tx, name);
  // A draft that is tried may lead to another provider: what was learnt there says nothing of the one that is saved.
  if (facts === undefined || stored?.issuer !== issuer) return;
  await providerOf(stored.kind).tellLearnt?.({ tx, audit, name }, stored.facts, facts);
  await noteConnector(tx, name, { facts });
}
