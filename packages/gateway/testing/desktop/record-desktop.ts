/** A recording of what xrdp drew, written by the real writer under a clock that is set by hand. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SealSigner } from '../../src/evidence/recordings/format/seal.ts';
import { OutputRate } from '../../src/evidence/recordings/output-rate.ts';
import { recordingPath } from '../../src/evidence/recordings/stores/disk-store.ts';
import { createRecorder, type RecordedSession } from '../../src/evidence/recordings/writer/create-recorder.ts';
import { recordDesktops } from '../../src/evidence/recordings/writer/record-desktops.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import type { DesktopRecorder } from '../../src/sessions/desktop/desktop-recorder.ts';
import { madeSession } from '../recordings/make-recording.ts';
import { type RecordedPdu, recordedPdus } from './recorded-pdus.ts';

export function desktopSession(change: Partial<RecordedSession> = {}): RecordedSession {
  const resource = { id: 'w', name: 'win-1', spec: { protocol: 'rdp' } };
  return madeSession({ action: { kind: 'desktop', resource, login: 'ann' }, agent: undefined, ...change });
}

interface RecordingHand {
  writer: DesktopRecorder;
  /** What follows came so long after the beginning. */
  at(ms: number): void;
  /** What was said so far is in the file. */
  settled(): Promise<void>;
}

/** A recording that is written by hand. */
export async function recordByHand(
  signer: SealSigner,
  session: RecordedSession,
  write: (hand: RecordingHand) => Promise<void>,
): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-desktop-'));
  let time = session.created;
  const nothing = async () => {};
  const recorder = createRecorder({
    ...{ folder, signer, log: silentLog, now: () => time, place: 'gateway', isOn: true, onEnded: () => {} },
    notes: {
      ...{ begins: async () => {}, began: async () => undefined, marked: nothing, tampered: nothing, skipped: nothing },
      ...{ full: nothing, failed: nothing },
    },
  });
  const writer = await recordDesktops(recorder, new OutputRate()).open(session);
  const at = (ms: number) => {
    time = session.created + ms;
  };
  await write({ writer, at, settled: () => recorder.settled() });
  writer.close({ cause: 'closed', message: 'ann left' });
  await recorder.settled();
  const file = readFileSync(recordingPath(folder, session.id));
  rmSync(folder, { recursive: true });
  return file;
}

/** Of the last size: whole frames, after a message of the long form, which only handshakes have. */
function drawnAgain(pdus: readonly RecordedPdu[], { everyMs, untilMs }: { everyMs: number; untilMs: number }) {
  const drawn = pdus.slice(pdus.findLastIndex(({ bytes }) => bytes[0] === 3) + 1);
  const [first, last] = [drawn[0]?.ms ?? 0, drawn.at(-1)?.ms ?? 0];
  const more: RecordedPdu[] = [];
  for (let at = last + everyMs; at + last - first < untilMs; at += everyMs)
    for (const { ms, bytes } of drawn) more.push({ ms: at + ms - first, bytes });
  return more;
}

/** `again`: what was drawn last is drawn again so often, until then. */
export async function recordDesktop(
  signer: SealSigner,
  session = desktopSession(),
  again?: { everyMs: number; untilMs: number },
): Promise<Buffer> {
  return await recordByHand(signer, session, async ({ writer, at, settled }) => {
    const { pdus, pointers } = recordedPdus();
    if (again) pdus.push(...drawnAgain(pdus, again));
    writer.begin('rdp', { width: 800, height: 600 });
    let frameMs = 0;
    for (const { ms, bytes } of pdus) {
      at(ms);
      for (const pointer of pointers.splice(0, pointers.findLastIndex((each) => each.ms <= ms) + 1))
        writer.pointer(pointer.x, pointer.y, 0);
      writer.picture(bytes);
      if (ms - frameMs < 1_000) continue;
      frameMs = ms;
      await settled();
    }
    writer.joined('bob', 'observer');
    writer.note({ kind: 'clipboard', direction: 'receive', length: 12 });
  });
}
