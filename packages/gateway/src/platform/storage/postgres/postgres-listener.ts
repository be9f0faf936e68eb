/** Listens on one connection of its own for the news that some gateway published a change, and comes back when it is cut. */

import { randomInt } from 'node:crypto';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import pg from 'pg';
import type { Log } from '../../std/log.ts';
import type { NewsWatch } from '../storage.ts';

const CHANNEL = 'gatehouse_change';
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 5_000;
/** A connection that died without a word (a firewall, a moved address) is noticed this much later, and the time to answer. */
const PROBE_EVERY_MS = 5_000;
const PROBE_ANSWER_MS = 3_000;

interface ListenerOptions {
  connect: pg.ClientConfig;
  log: Log;
  onNews: () => void;
}

export function listenForChanges({ connect, log, onNews }: ListenerOptions): NewsWatch {
  const closing = new AbortController();
  const done = keepListening({ connect, log, onNews }, closing.signal);
  return {
    async close() {
      closing.abort();
      await done;
    },
  };
}

async function keepListening({ connect, log, onNews }: ListenerOptions, closing: AbortSignal): Promise<void> {
  let retryMs = FIRST_RETRY_MS;
  while (!closing.aborted) {
    const client = new pg.Client({ ...connect, keepAlive: true, query_timeout: PROBE_ANSWER_MS });
    const over = new AbortController();
    try {
      const ended = endOf(client, { closing, over: over.signal });
      client.on('notification', onNews);
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      retryMs = FIRST_RETRY_MS;
      // Whatever was committed while nobody listened is news too.
      onNews();
      await probeUntil(ended, client);
    } catch (error) {
      if (!closing.aborted) log.warn({ error, retryMs }, 'connection for change notices lost');
    }
    over.abort();
    client.end().catch(() => {});
    await pause(randomInt(retryMs / 2, retryMs), closing);
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  }
}

/** Rejects when the connection ends by itself, resolves when we are closing. */
function endOf(client: pg.Client, { closing, over }: { closing: AbortSignal; over: AbortSignal }): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    whenAborted(over, whenAborted(closing, resolve));
    client.once('end', () => reject(new Error('the server ended the connection')));
    client.on('error', reject);
  });
  // While the connection is still being made its own rejection is the one that is awaited.
  ended.catch(() => {});
  return ended;
}

async function probeUntil(ended: Promise<void>, client: pg.Client): Promise<void> {
  const failure = Promise.withResolvers<never>();
  const probe = setInterval(() => {
    client.query('select 1').catch(failure.reject);
  }, PROBE_EVERY_MS).unref();
  try {
    await Promise.race([ended, failure.promise]);
  } finally {
    clearInterval(probe);
  }
}

function pause(ms: number, closing: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      forget();
      resolve();
    }, ms);
    const forget = whenAborted(closing, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
