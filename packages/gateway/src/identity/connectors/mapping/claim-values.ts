/** The values of one claim, each once, for the many entries that are held against them. */
import { needleFinder } from './needle.ts';

export interface ClaimValues {
  values: ReadonlySet<string>;
  /** False only where no value holds it: most entries match none, which is told at once. */
  mayHold(needle: string): boolean;
}

export function claimValues(given: readonly string[]): ClaimValues {
  const values = new Set(given);
  let mayHold: ClaimValues['mayHold'] | undefined;
  return {
    values,
    mayHold(needle) {
      mayHold ??= needleFinder([...values].join('\n'));
      return mayHold(needle);
    },
  };
}
