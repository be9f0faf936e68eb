/** Answers of a cluster as they stream, without the objects that somebody may not see. Memory is that of one object. */
import { Transform } from 'node:stream';
import { type Allows, ListScan } from './list-scan.ts';
import { WatchScan } from './watch-scan.ts';

export type { Allows } from './list-scan.ts';

/** For the JSON of a list, a table or a list of metadata. */
export function createListFilter(allows: Allows): Transform {
  return filterBy(new ListScan(allows));
}

/** For the JSON of a watch: one event after the other. */
export function createWatchFilter(allows: Allows): Transform {
  return filterBy(new WatchScan(allows));
}

function filterBy(scan: { write(chunk: Buffer): Buffer[]; finish(): void }): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      try {
        const passed = scan.write(chunk);
        if (passed.length > 0) this.push(passed.length === 1 ? passed[0] : Buffer.concat(passed));
        done();
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      try {
        scan.finish();
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
