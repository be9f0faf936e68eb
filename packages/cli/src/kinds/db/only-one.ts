/** The users and databases that somebody may use: the only one where they name none, and a word where they name another. */
import { Failure } from '../../runtime/failure.ts';

export function onlyOne(names: readonly string[], what: string, flag: string): string {
  const [first, ...more] = names.filter((name) => name !== '*');
  if (first !== undefined && more.length === 0) return first;
  const choice = first === undefined ? 'your roles name none' : `you may use ${[first, ...more].join(', ')}`;
  throw new Failure('usage', `say which ${what} with ${flag}: ${choice}`);
}

/** What somebody named that is not theirs, in words; undefined where it is, or where nothing says which are. A role may give it a moment later: it is no reason to refuse. */
export function notOneOf(names: readonly string[], wanted: string, what: string): string | undefined {
  const folded = wanted.toLowerCase();
  if (names.length === 0 || names.some((name) => name === '*' || name.toLowerCase() === folded)) return undefined;
  return `no role of yours gives the ${what} '${wanted}': you may use ${names.join(', ')}`;
}
