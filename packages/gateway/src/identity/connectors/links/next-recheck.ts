/** When a provider is asked about somebody again. */
import { RECHECK } from '@gatehouse/contract/identity/connectors/connector-document';
import { randomFraction } from '../../../platform/std/random-fraction.ts';
import type { OpenConnector } from '../providers/provider.ts';
import { providerOf } from '../providers/providers.ts';

/** Spread, so that those who came together are not asked about together. */
export function nextRecheck(
  { kind, document }: Pick<OpenConnector, 'kind' | 'document'>,
  tokens: string | undefined,
  now: number,
): number | undefined {
  if (tokens === undefined || providerOf(kind).recheck === undefined) return undefined;
  const every = document.spec.recheck ?? RECHECK.standardMs;
  return Math.round(now + every * (0.9 + 0.1 * randomFraction()));
}
