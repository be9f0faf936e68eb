/** Indexes the recordings of a data folder in a process of its own, so that a test can kill it in the middle. */

import { join } from 'node:path';
import { createIndexer } from '../../../src/evidence/recordings/index/create-indexer.ts';
import { createIndexCache } from '../../../src/evidence/recordings/index/index-cache.ts';
import { OutputRate } from '../../../src/evidence/recordings/output-rate.ts';
import { openDiskStore } from '../../../src/evidence/recordings/stores/disk-store.ts';
import { silentLog } from '../../../src/platform/std/log.ts';
import { openStorage } from '../../../src/platform/storage/open-storage.ts';

const [dataDir = ''] = process.argv.slice(2);
const storage = await openStorage({ dataDir, log: silentLog, now: Date.now });
const store = openDiskStore(join(dataDir, 'recordings'));
const indexer = createIndexer({
  db: storage.db,
  store,
  cache: createIndexCache(store),
  outputRate: new OutputRate(),
  clusterName: 'localhost',
  log: silentLog,
  now: Date.now,
});
process.stdout.write('begun\n');
await indexer.settled();
process.stdout.write('done\n');
await indexer.close();
await storage.close();
