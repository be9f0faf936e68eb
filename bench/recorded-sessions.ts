/** Sessions with recordings, made up without waiting for them, in the folder of a gateway that is not running. */
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openSigner } from '@gatehouse/gateway/evidence/audit-log/signing';
import { openSecretBox } from '@gatehouse/gateway/platform/secrets/open-secret-box';
import { silentLog } from '@gatehouse/gateway/platform/std/log';
import { openStorage } from '@gatehouse/gateway/platform/storage/open-storage';
import { insertSession, markEnded } from '@gatehouse/gateway/sessions/host/session-store';
import { type Happening, recordingPieces } from '@gatehouse/gateway/testing/recordings/playback/build-recording';

export interface MadeUpSession {
  number: number;
  user: string;
  durationMs: number;
  agoMs: number;
  happenings: Iterable<Happening>;
}

export interface FilledFolder {
  sids: string[];
  bytes: number;
}

export async function fillFolder(
  folder: string,
  { url, cluster = 'localhost' }: { url?: string | undefined; cluster?: string },
  sessions: Iterable<MadeUpSession>,
): Promise<FilledFolder> {
  const storage = await openStorage({ dataDir: folder, url, log: silentLog, now: Date.now });
  // After the store: recordings without one are what is left of a gateway.
  mkdirSync(join(folder, 'recordings'), { recursive: true });
  const secrets = await openSecretBox(storage.db, { dataDir: folder, log: silentLog });
  const signer = await openSigner(storage.db, secrets, Date.now());
  const filled: FilledFolder = { sids: [], bytes: 0 };
  const labels = { env: 'bench' };
  const spec = { type: 'agent', hostname: 'edge' };
  const node = { cluster, kind: 'node' as const, id: 'node-1', name: 'edge', labels, spec, owner: 'node-1' };
  for (const { number, user, durationMs, agoMs, happenings } of sessions) {
    const sid = sidOf(number);
    const created = Date.now() - agoMs;
    const path = join(folder, 'recordings', `${sid}.rec`);
    const file = openSync(path, 'w');
    for (const piece of recordingPieces({ sid, user, started: created }, happenings, signer)) writeSync(file, piece);
    closeSync(file);
    filled.bytes += statSync(path).size;
    await storage.db.transaction().execute(async (tx) => {
      await insertSession(tx, {
        ...{ id: sid, cluster, user, signInId: 's', address: '127.0.0.1', request: sid, created, begun: created },
        action: { type: 'connect', kind: 'node', login: 'ubuntu', resource: { ...node, expires: undefined } },
        ...{ size: { cols: 120, rows: 36 }, agent: undefined, gateway: 'g', mfa: false, recorded: true },
      });
      await markEnded(tx, { id: sid, user }, { cause: 'exited', message: '' }, created + durationMs);
    });
    filled.sids.push(sid);
  }
  await storage.close();
  return filled;
}

function sidOf(number: number): string {
  const hex = createHash('sha256').update(String(number)).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
