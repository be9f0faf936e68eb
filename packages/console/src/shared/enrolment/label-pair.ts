/** Labels as people write them, one `name=value` after the other. */
import { labelKey, labelValue } from '@gatehouse/contract/std/resource-fields';

/** Nothing when it is not a pair. */
function readLabelPair(pair: string): [string, string] | undefined {
  const at = pair.indexOf('=');
  if (at <= 0) return undefined;
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  return labelKey.safeParse(name).success && labelValue.safeParse(value).success ? [name, value] : undefined;
}

/** The first that is none, for whoever wrote it. */
export function wrongPair(pairs: readonly string[]): string | undefined {
  return pairs.find((pair) => !readLabelPair(pair));
}

/** The labels of pairs that were read before; a name given twice has its last value. */
export function labelsOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(pairs.map(readLabelPair).filter((pair) => pair !== undefined));
}
