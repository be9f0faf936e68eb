/** With what the user can prove themselves again, by the devices they hold and the ones this gateway takes. */

import { usePageConfig } from '../../platform/sign-in/user.ts';
import { takesCodes, takesKeys } from '../../shared/public-page/public-facts.ts';
import { useDevices } from './account-queries.ts';

export type Factor = 'key' | 'code';

export function useUsableFactors(): Factor[] {
  const mode = usePageConfig().auth.second_factor;
  const devices = useDevices();
  const hasKey = takesKeys(mode) && devices.some(({ type }) => type !== 'TOTP');
  const hasApp = takesCodes(mode) && devices.some(({ type }) => type === 'TOTP');
  return [...(hasKey ? (['key'] as const) : []), ...(hasApp ? (['code'] as const) : [])];
}
