/** An answer that is not taken, in words for whoever looks up its id. */
import type { ConnectorStep } from '@gatehouse/contract/identity/connectors/connector-tests';
import { ProviderError } from '../../provider-error.ts';

export function refuse(
  message: string,
  { step = 'token', cause }: { step?: ConnectorStep; cause?: unknown } = {},
): never {
  throw new ProviderError(step, message, { cause });
}

/** What strangers wrote, short enough to be told. */
export function told(value: string | undefined): string {
  return value === undefined ? 'nothing' : `'${value.slice(0, 200)}'`;
}
