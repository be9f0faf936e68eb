/** A gateway's store that records events as fast as it can and prints which are acknowledged, until it is killed. Run as a program. */
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { userLogin } from '@gatehouse/contract/audit/sign-in-events';
import { openDiskQueue } from '../../src/platform/audit/disk-queue.ts';
import { createAudit } from '../../src/platform/audit/emit.ts';
import { openEventStream } from '../../src/platform/audit/event-stream.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import { openStorage } from '../../src/platform/storage/open-storage.ts';

// Who is killed hands nothing on at its end: the next round would compile all of it again.
flushCompileCache();
const [dataDir, round] = process.argv.slice(2) as [string, string];
const { db } = await openStorage({ dataDir, log: silentLog, now: Date.now });
const facts = { now: Date.now, clusterName: 'c1', chain: 'gateway' };
const audit = createAudit(facts);
const queue = await openDiskQueue(join(dataDir, 'audit-queue'));
const stream = openEventStream({ ...facts, db, queue, strict: false, log: silentLog });
const login = (user: string) => ({ user, success: true, method: 'local' });

await Promise.all([inTransactions('a'), inStream('b'), inStream('c'), inStream('d')]);

async function inTransactions(writer: string): Promise<never> {
  for (let count = 0; ; count++) {
    const user = `${round}-${writer}-${count}`;
    await db.transaction().execute((tx) => audit.emit(tx, userLogin, login(user)));
    acknowledge(user);
  }
}

async function inStream(writer: string): Promise<never> {
  for (let count = 0; ; count++) {
    const user = `${round}-${writer}-${count}`;
    await stream.write(userLogin, login(user));
    acknowledge(user);
  }
}

function acknowledge(user: string): void {
  try {
    writeSync(1, `${user}\n`);
  } catch {
    // The reader is slower than we write: what it is not told of it does not ask for.
  }
}
