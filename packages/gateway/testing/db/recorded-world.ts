/** A gateway that records sessions with a database, and somebody who may look at the recordings, for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordingUpkeepRoutes } from '@gatehouse/contract/recordings/recording-upkeep';
import {
  type Playback,
  type PlayedItem,
  type Recording,
  recordingRoutes,
} from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { pathFor } from '@gatehouse/contract/wire/route';
import { expect } from 'vitest';
import type { TestBrowser } from '../test-browser.ts';
import { CLUSTER, type DbWorld, type DbWorldOptions, startDbWorldOf, type WorldDatabase } from './db-world.ts';

export interface RecordedWorld extends DbWorld {
  auditor: TestBrowser;
  /** Where the recordings are. */
  folder: string;
  /** The only session, when what became of its recording is known. */
  recording(state?: Recording['state']): Promise<Recording>;
  all(): Promise<{ recordings: Recording[] }>;
  items(sid: string): Promise<PlayedItem[]>;
  /** Statements with what came of each, by the number of the statement. */
  statements(sid: string): Promise<RunStatement[]>;
  taken(sid: string, as: 'sql' | 'jsonl'): Promise<string>;
}

export type RunStatement = Partial<Extract<PlayedItem, { type: 'asked' }>> & {
  answer?: Extract<PlayedItem, { type: 'answered' }>;
  sample?: Extract<PlayedItem, { type: 'sample' }>;
};

export async function startRecordedWorld(
  db: WorldDatabase,
  recordings?: DbWorldOptions['recordings'],
): Promise<RecordedWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-db-recordings-'));
  const world = await startDbWorldOf(db, { dataDir, ...(recordings ? { recordings } : {}) });
  await world.gateway.addUser('eve', { roles: ['auditor'] });
  const auditor = await world.gateway.signedIn('eve');
  const items = async (sid: string) => {
    const played: PlayedItem[] = [];
    for (let query: { seek: string } | { next: string } = { seek: '0' }; ; ) {
      const piece: Playback = await call(auditor.send, recordingRoutes.playback, {
        params: { ...CLUSTER, sid },
        query,
      });
      played.push(...piece.items);
      if (piece.next === undefined || (piece.live && piece.items.length === 0)) return played;
      query = { next: piece.next };
    }
  };
  const all = async () => await call(auditor.send, recordingRoutes.list, { params: CLUSTER, query: { kind: 'db' } });
  return {
    ...world,
    all,
    auditor,
    folder: join(dataDir, 'recordings'),
    items,
    async recording(state = 'complete') {
      let found: Recording | undefined;
      await expect
        .poll(
          async () => {
            const { recordings: there } = await all();
            found = there[0];
            return there.map((each) => each.state);
          },
          { timeout: 20_000 },
        )
        .toEqual([state]);
      return found as Recording;
    },
    async statements(sid) {
      const runs = new Map<number, RunStatement>();
      for (const item of await items(sid)) {
        if (item.type === 'asked') runs.set(item.n, item);
        else if (item.type === 'answered') runs.set(item.n, { ...runs.get(item.n), answer: item });
        else if (item.type === 'sample') runs.set(item.n, { ...runs.get(item.n), sample: item });
      }
      return [...runs.values()];
    },
    async taken(sid, as) {
      const url = `${pathFor(recordingUpkeepRoutes.statements.path, { ...CLUSTER, sid })}?as=${as}`;
      return (await auditor.send({ method: 'GET', url })).text;
    },
    async close() {
      await world.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
