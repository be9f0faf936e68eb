/** A gateway's store that writes as fast as it can and prints what is committed, until it is killed. Run as a program. */
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { publish } from '../../src/platform/change-feed/publish.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import { openStorage } from '../../src/platform/storage/open-storage.ts';

// Who is killed hands nothing on at its end: the next round would compile all of it again.
flushCompileCache();
const [dataDir, round] = process.argv.slice(2) as [string, string];
const { db } = await openStorage({ dataDir, log: silentLog, now: Date.now });

/** Alone and in transactions, several at once: every way a write can be acknowledged. */
await Promise.all([writeSingly('a'), writeSingly('b'), writeInTransactions('c'), writeInTransactions('d')]);

async function writeSingly(writer: string): Promise<never> {
  for (let count = 0; ; count++) {
    const key = `crash-${round}-${writer}-${count}`;
    await db
      .insertInto('meta')
      .values({ key, value: 'y'.repeat(300) })
      .execute();
    acknowledge(key);
  }
}

async function writeInTransactions(writer: string): Promise<never> {
  for (let count = 0; ; count++) {
    const key = `crash-${round}-${writer}-${count}`;
    await db.transaction().execute(async (tx) => {
      await tx
        .insertInto('meta')
        .values({ key, value: 'y'.repeat(300) })
        .execute();
      await publish(tx, { topic: 'crash', id: key });
    });
    acknowledge(key);
  }
}

function acknowledge(key: string): void {
  writeSync(1, `${key}\n`);
}
