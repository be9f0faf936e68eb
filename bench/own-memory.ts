/** Memory of this process without the pages of files that are mapped, which are the system's to drop; once what nobody holds any more is gone. */
import { readFileSync } from 'node:fs';

export function ownKilobytes(): number {
  globalThis.gc?.();
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}
