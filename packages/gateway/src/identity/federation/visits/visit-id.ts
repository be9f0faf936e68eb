/** The sign-in here that stands for one at a root: the same for all of its calls. */
import { createHash } from 'node:crypto';

/** In the shape all ids of sign-ins have. */
export function visitId(rootId: string, sid: string): string {
  const hex = createHash('sha256').update(`${rootId}\0${sid}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
