/** Recordings of a fake gateway, in every state, with a small one that plays. */
import type { Recording, RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { type FakeGateway, failure, fakeGateway } from '../fake-gateway.ts';
import { fakeRecording, output } from './player/fake-recording.ts';

const BASE = '/v1/webapi/sites/one';

export function recording(sid: string, more: Partial<Recording> = {}): Recording {
  return {
    sid,
    kind: 'ssh',
    resource: { kind: 'node', id: 'id-web-01', name: 'web-01' },
    login: 'deploy',
    owner: 'maya',
    users: ['maya', 'ines'],
    started: '2026-11-13T22:52:20.000Z',
    ended: '2026-11-13T23:10:57.000Z',
    durationMs: 62_000,
    state: 'complete',
    playable: true,
    reason: '',
    bytes: 212_000,
    ...more,
  };
}

const unplayable = (sid: string, state: Recording['state'], reason = '') =>
  recording(sid, { state, playable: false, reason, bytes: 0 });

export const EVERY_STATE: Recording[] = [
  recording('s-complete'),
  recording('s-live', { state: 'live', ended: undefined, login: 'root' }),
  recording('s-truncated', { state: 'truncated', reason: 'the gateway was killed' }),
  recording('s-corrupted', { state: 'corrupted', playable: true }),
  unplayable('s-missing', 'missing'),
  unplayable('s-disabled', 'disabled', "role 'access' turns recording off"),
  unplayable('s-non', 'non_interactive'),
  unplayable('s-failed', 'failed', 'the disk was full'),
  unplayable('s-removed', 'removed'),
  recording('s-desktop', { kind: 'desktop', resource: { kind: 'desktop', id: 'w', name: 'win-1' } }),
];

export function details(of: Recording, more: Partial<RecordingDetails> = {}): RecordingDetails {
  return {
    ...of,
    activity: [1, 0.4, 0, 0, 0, 0.7],
    markers: [
      { ms: 0, type: 'join', text: 'maya joined' },
      { ms: 1_000, type: 'command', text: 'ls -la' },
      { ms: 2_000, type: 'resize', text: '100 × 30' },
      { ms: 60_000, type: 'command', text: 'exit' },
    ],
    markersComplete: true,
    cols: 80,
    rows: 24,
    indexedMs: of.durationMs,
    ...more,
  };
}

export const ITEMS = [
  output(0, '$ '),
  output(1_000, 'ls -la\r\n'),
  output(1_500, 'total 24\r\n'),
  output(60_000, '$ exit\r\n'),
  output(61_000, 'bye'),
];

export const COVERAGE = {
  sessions: 40,
  recorded: 40,
  share: 1,
  gaps: [] as object[],
  gapsComplete: true,
  checked: '2026-11-15T03:00:00.000Z',
};

export function fakeRecordings(rows: readonly Recording[] = EVERY_STATE): FakeGateway {
  const gateway = fakeGateway();
  addRecordings(gateway, rows);
  return gateway;
}

export function addRecordings(gateway: FakeGateway, rows: readonly Recording[]): void {
  gateway.answer(`GET ${BASE}/recordings`, { body: { recordings: rows, startKey: '' } });
  gateway.answer(`GET ${BASE}/recording-coverage`, { body: COVERAGE });
  for (const row of rows) addPlayer(gateway, details(row));
}

export function addPlayer(gateway: FakeGateway, facts: RecordingDetails, items = ITEMS): void {
  const path = `GET ${BASE}/recordings/${facts.sid}`;
  const played = fakeRecording(items, { live: facts.state === 'live' });
  gateway.answer(path, { body: facts });
  gateway.answer(`${path}/screen`, { body: { ms: 0, cols: 80, rows: 24, ansi: 'last' } });
  gateway.answer(`${path}/find`, { body: { hits: [], complete: true } });
  gateway.answer(`${path}/verify`, { body: { sid: facts.sid, ok: true, checked: 12, signedMs: facts.durationMs } });
  gateway.answer(`${path}/playback`, (query) => {
    if (!facts.playable) return { status: 404, body: failure('not_found', 'no such recording') };
    return { body: played.pieceFor(query.get('seek'), query.get('next')) };
  });
}
