/** Indexes the recordings of a data folder in a process of its own, so that a test can kill it in the middle. */
import { join } from 'node:path';
import { silentLog } from '../../../std/log.ts';
import { openStorage } from '../../../storage/open-storage.ts';
import { openDiskStore } from '../../disk-store.ts';
import { createIndexer } from '../create-indexer.ts';
import { createIndexCache } from '../index-cache.ts';

const [dataDir = ''] = process.argv.slice(2);
const storage = await openStorage({ dataDir, log: silentLog, now: Date.now });
const store = openDiskStore(join(dataDir, 'recordings'));
const indexer = createIndexer({
  db: storage.db,
  store,
  cache: createIndexCache(store),
  clusterName: 'localhost',
  log: silentLog,
  now: Date.now,
});
process.stdout.write('begun\n');
await indexer.settled();
process.stdout.write('done\n');
await indexer.close();
await storage.close();
