/** A gateway in memory with recordings of sessions that are said to have happened, and people who may see some of them. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { expect, vi } from 'vitest';
import { openSigner } from '../../../src/evidence/audit-log/signing.ts';
import type { SealSigner } from '../../../src/evidence/recordings/format/seal.ts';
import type { Storage } from '../../../src/platform/storage/storage.ts';
import { insertSession, markEnded, updateSession } from '../../../src/sessions/host/session-store.ts';
import { type IdentityGateway, startIdentityGateway } from '../../identity-gateway.ts';
import { testKey } from '../../secrets/test-key.ts';
import { testClock } from '../../start-test-gateway.ts';
import type { TestBrowser } from '../../test-browser.ts';
import { buildRecording, type Happening } from './build-recording.ts';

export interface RecordedSessionOptions {
  user?: string;
  participants?: string[];
  login?: string;
  node?: string;
  labels?: Record<string, string>;
  /** How long ago it began. */
  agoMs?: number;
  durationMs?: number;
  running?: boolean;
  /** False: nothing answered. */
  connected?: boolean;
  /** What was recorded; undefined: there is no file. */
  happenings?: Iterable<Happening>;
  /** Of the file, as it is or changed. */
  change?: (bytes: Buffer) => Buffer;
}

export interface RecordingWorld {
  gateway: IdentityGateway;
  folder: string;
  signer: SealSigner;
  admin: TestBrowser;
  makeRole(name: string, spec: string): Promise<unknown>;
  /** Gives the id of the session. */
  record(options: RecordedSessionOptions): Promise<string>;
  pathOf(sid: string): string;
  /** Opens it, which has it indexed, and waits until it is. */
  indexed(browser: TestBrowser, sid: string): Promise<void>;
  close(): Promise<void>;
}

export const CLUSTER = { clusterId: 'localhost' };

/** In memory, or on a store that is closed with it. */
export async function startRecordingWorld(storage?: Storage): Promise<RecordingWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-playback-'));
  const folder = join(dataDir, 'recordings');
  mkdirSync(folder);
  const key = testKey();
  const shared = storage && { shared: { storage, key, clock: testClock() } };
  const gateway = await startIdentityGateway({ dataDir, ...shared });
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  const signer = await openSigner(gateway.storage.db, gateway.secrets, 0);
  const { db } = gateway.storage;
  const pathOf = (sid: string) => join(folder, `${sid}.rec`);

  return {
    gateway,
    folder,
    signer,
    admin,
    pathOf,
    makeRole: (name, spec) =>
      call(admin.send, roleRoutes.create, {
        body: { content: `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n` },
      }),
    async record({ user = 'ann', login = 'ubuntu', node = 'edge', labels = {}, ...options }) {
      const sid = randomUUID();
      const {
        agoMs = 3_600_000,
        durationMs = 60_000,
        happenings,
        running = false,
        change = (bytes) => bytes,
      } = options;
      const created = gateway.clock.now - agoMs;
      if (happenings)
        writeFileSync(pathOf(sid), change(buildRecording({ sid, user, started: created }, happenings, signer)));
      const resource = { cluster: 'localhost', kind: 'node' as const, id: `${node}-id`, name: node, labels };
      const whole = { ...resource, spec: { type: 'agent', hostname: node }, owner: `${node}-id`, expires: undefined };
      await db.transaction().execute(async (tx) => {
        const session = await insertSession(tx, {
          ...{ id: sid, cluster: 'localhost', user, signInId: 's', address: '127.0.0.1', request: sid, created },
          action: { type: 'connect', kind: 'node', login, resource: whole },
          ...{
            size: { cols: 80, rows: 24 },
            agent: undefined,
            gateway: 'g',
            mfa: false,
            recorded: true,
            begun: created,
            connected: options.connected === false ? undefined : created,
          },
        });
        await updateSession(tx, { ...session, participants: options.participants ?? [user] });
        if (!running) await markEnded(tx, { id: sid, user }, { cause: 'exited', message: '' }, created + durationMs);
      });
      return sid;
    },
    async indexed(browser, sid) {
      await vi.waitFor(
        async () => {
          const { indexedMs, durationMs } = await call(browser.send, recordingRoutes.get, {
            params: { ...CLUSTER, sid },
          });
          expect(indexedMs).toBeGreaterThanOrEqual(durationMs);
        },
        { timeout: 50_000, interval: 50 },
      );
    },
    async close() {
      await gateway.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** What each piece gives, until the last. */
export async function playAll(browser: TestBrowser, sid: string, seek = 0) {
  const params = { ...CLUSTER, sid };
  const pieces = [
    await call(browser.send, recordingRoutes.playback, { params, query: { seek: String(seek) } as never }),
  ];
  for (let next = pieces[0]?.next; next !== undefined; next = pieces.at(-1)?.next)
    pieces.push(await call(browser.send, recordingRoutes.playback, { params, query: { next } as never }));
  return pieces;
}
