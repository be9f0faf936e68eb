/** A master key that nobody else has. */
import { formatMasterKeys, newMasterKey } from '../../src/platform/secrets/master-key.ts';
import { Secret } from '../../src/platform/std/secret.ts';

export function testKey(): Secret {
  return new Secret(formatMasterKeys([newMasterKey()]));
}
