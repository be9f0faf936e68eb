/** How long to wait before saying that something is loading. A quick answer should not flash. */

import { useEffect, useState } from 'react';

export const DELAY_MS = { none: 0, short: 400, long: 600 } as const;

export type Delay = keyof typeof DELAY_MS;

/** False until the delay has passed since the first render; true at once without a delay. */
export function useDelay(delay: Delay): boolean {
  const [passed, setPassed] = useState(DELAY_MS[delay] === 0);

  useEffect(() => {
    if (DELAY_MS[delay] === 0) return;
    const timer = setTimeout(() => setPassed(true), DELAY_MS[delay]);
    return () => clearTimeout(timer);
  }, [delay]);

  return passed;
}
