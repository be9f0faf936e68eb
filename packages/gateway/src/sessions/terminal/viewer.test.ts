import type { TerminalReply } from '@gatehouse/contract/sessions/terminal-frames';
import { OutputBuffer } from '@gatehouse/tunnel/shells/output-buffer';
import { Timeline } from '@gatehouse/tunnel/shells/timeline';
import { expect, test, vi } from 'vitest';
import type { PastOutput } from '../past-output.ts';
import { Viewer } from './viewer.ts';

const SIZE = { cols: 80, rows: 24 };
/** Every byte says where it stands. */
const ALL = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index % 251));

/** Of `printed` bytes only the last are held, as after the recorder has stored them. */
function look({ printed = ALL.length, from = 0, past }: { printed?: number; from?: number; past: boolean | Error }) {
  const held = new OutputBuffer();
  held.append(ALL.subarray(0, printed));
  held.keep(printed);
  const got: Buffer[] = [];
  const told: TerminalReply[] = [];
  const state = { next: from, mayWatch: true };
  const viewer: Viewer = new Viewer({
    id: 'v',
    mode: 'peer',
    writer: 'w',
    size: SIZE,
    from,
    picture: undefined,
    held,
    timeline: new Timeline({ ...SIZE, echo: true }),
    mayWatch: () => state.mayWatch,
    past: past ? recorded : () => undefined,
    onProgress() {},
    wire: {
      output(offset, bytes) {
        expect(offset).toBe(state.next);
        state.next += bytes.length;
        got.push(Buffer.from(bytes));
      },
      picture() {},
      tell: (message) => told.push(message),
      end() {},
      moved() {},
    },
  });
  async function* recorded(at: number): AsyncGenerator<PastOutput> {
    if (past instanceof Error) throw past;
    for (let offset = at; offset < printed; offset += 100_000)
      yield { offset, bytes: ALL.subarray(offset, Math.min(printed, offset + 100_000)), size: { cols: 100, rows: 30 } };
  }
  return { viewer, held, told, state, got: () => Buffer.concat(got) };
}

test('who comes late reads from the recording what the holder has forgotten, no faster than they look', async () => {
  const { viewer, told, state, got } = look({ past: true });
  viewer.pump();
  await vi.waitFor(() => expect(state.next).toBe(1024 * 1024));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(state.next).toBe(1024 * 1024);
  while (state.next < ALL.length) {
    viewer.see(state.next);
    await new Promise((resolve) => setImmediate(resolve));
  }

  expect(got().equals(ALL)).toBe(true);
  expect(told).toEqual([
    { type: 'size', cols: 100, rows: 30 },
    { type: 'size', ...SIZE },
  ]);
});

test('what is printed while they catch up follows without a hole', async () => {
  const { viewer, held, state, got } = look({ printed: 2_000_000, past: true });
  viewer.pump();
  await vi.waitFor(() => expect(state.next).toBe(1024 * 1024));
  held.append(ALL.subarray(2_000_000));
  while (state.next < ALL.length) {
    viewer.see(state.next);
    await new Promise((resolve) => setImmediate(resolve));
  }

  expect(got().equals(ALL)).toBe(true);
});

test('without a recording, or with one that cannot be read, what is missing is said', async () => {
  for (const past of [false, new Error('gone')]) {
    const { viewer, held, told, state } = look({ past });
    state.next = held.start;
    viewer.pump();
    await vi.waitFor(() => expect(state.next).toBe(ALL.length));

    expect(told).toEqual([
      { type: 'notice', kind: 'skipped', text: `${held.start} bytes of output are not shown here` },
    ]);
  }
});

test('nobody is shown the past who may not watch, and one who has left is sent nothing more', async () => {
  const { viewer, state, got } = look({ past: true });
  state.mayWatch = false;
  viewer.pump();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(got()).toHaveLength(0);
  state.mayWatch = true;
  viewer.pump();
  viewer.close();
  await new Promise((resolve) => setTimeout(resolve, 5));

  expect(got()).toHaveLength(0);
});
