/** The one user or database that somebody may use, where they name none. */
import { Failure } from '../../runtime/failure.ts';

export function onlyOne(names: readonly string[], what: string, flag: string): string {
  const [first, ...more] = names.filter((name) => name !== '*');
  if (first !== undefined && more.length === 0) return first;
  const choice = first === undefined ? 'your roles name none' : `you may use ${[first, ...more].join(', ')}`;
  throw new Failure('usage', `say which ${what} with ${flag}: ${choice}`);
}
