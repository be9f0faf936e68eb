/** Where a sign-in through a provider begins. */
import type { Provider } from '../../shared/public-page/public-facts.ts';

/** The gateway gives the address with two places to fill. */
export function providerAddress({ url, name }: Provider, target: string): string {
  return url
    .replace(':providerName', () => encodeURIComponent(name))
    .replace(':redirect', () => encodeURIComponent(window.location.origin + target));
}
