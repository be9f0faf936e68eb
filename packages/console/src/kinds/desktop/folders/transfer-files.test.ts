import type { DesktopReply } from '@gatehouse/contract/sessions/desktop-frames';
import { beforeEach, expect, test, vi } from 'vitest';
import type { BytesOptions, SentBytes } from '../../../platform/api/send-bytes.ts';
import {
  createTransferFiles,
  MAX_TICKET_MS,
  NO_TRANSFER,
  type TransferDeps,
  type TransferView,
} from './transfer-files.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

function begin() {
  let view: TransferView = NO_TRANSFER;
  const line = { isOpen: true };
  const told: Parameters<TransferDeps['tell']>[0][] = [];
  const saved: string[] = [];
  const sending: (SentBytes & BytesOptions & { answer(status: number, text?: string): void; lose(): void })[] = [];
  const files = createTransferFiles({
    tell(command) {
      if (line.isOpen) told.push(command);
      return line.isOpen;
    },
    sendBytes: (request, options) => {
      const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
      const answer = (status: number, text = '{}') => resolve({ status, text });
      sending.push({ ...request, ...options, answer, lose: () => reject(new Error('lost')) });
      return promise;
    },
    save: (url) => saved.push(url),
    view: () => view,
    change: (next) => {
      view = next;
    },
  });
  const hear = (part: Partial<Extract<DesktopReply, { type: 'transfer' }>>) =>
    files.hear({ type: 'transfer', is: 'on', files: [], more: 0, freeBytes: 1_000, ...part });
  const give = async () => {
    for (const { type, ...command } of told.splice(0))
      if (type !== 'transfer' && 'id' in command)
        files.hear({ type: 'ticket', id: command.id, url: `/ticket/${command.id}` });
    await vi.advanceTimersByTimeAsync(0);
  };
  return {
    files,
    told,
    saved,
    sending,
    line,
    hear,
    give,
    view: () => view,
    states: () => view.uploads.map(({ state }) => state),
  };
}
const chosen = (...names: string[]) => names.map((name) => ({ name, file: new File(['four'], name) }));

test('what is dropped opens the folder, waits for the desktop to take it, and is sent a few at a time', async () => {
  const { files, told, sending, hear, give, view, states } = begin();
  files.put(chosen('a.txt', 'sub/b.txt', 'c.txt', 'd.txt'));
  expect(told.splice(0)).toEqual([{ type: 'transfer', isOn: true }]);
  expect(view().is).toBe('asking');
  hear({});
  expect(told).toMatchObject([
    { type: 'upload', name: 'a.txt', size: 4 },
    { type: 'upload', name: 'sub/b.txt', size: 4 },
    { type: 'upload', name: 'c.txt', size: 4 },
  ]);
  await give();
  expect(sending.map(({ method, url }) => `${method} ${url.slice(0, 8)}`)).toEqual(Array(3).fill('POST /ticket/'));
  sending[0]!.onProgress(2);
  expect(view().uploads[0]).toMatchObject({ state: 'running', sent: 2 });
  sending[0]!.answer(200);
  await vi.advanceTimersByTimeAsync(0);
  expect(states()).toEqual(['done', 'running', 'running', 'running']);
  expect(told).toMatchObject([{ type: 'upload', name: 'd.txt' }]);
});

test('what the gateway refuses is told as it says it, and can be tried again', async () => {
  const { files, told, sending, hear, give, view } = begin();
  files.put(chosen('a.txt'));
  hear({});
  const upload = told.at(-1);
  files.hear({ type: 'ticket', id: upload && 'id' in upload ? upload.id : -1, why: 'nothing passes at this moment' });
  await vi.advanceTimersByTimeAsync(0);
  expect(view().uploads).toMatchObject([{ state: 'failed', why: 'nothing passes at this moment' }]);
  told.splice(0);
  files.again(view().uploads[0]!.id);
  await give();
  const error = { message: 'the transfer folder is full', code: 'too_large', requestId: 'r' };
  sending[0]!.answer(413, JSON.stringify({ error }));
  await vi.advanceTimersByTimeAsync(0);
  expect(view().uploads).toMatchObject([{ state: 'failed', why: 'the transfer folder is full' }]);
  files.again(view().uploads[0]!.id);
  await give();
  sending[1]!.lose();
  await vi.advanceTimersByTimeAsync(0);
  expect(view().uploads).toMatchObject([{ state: 'failed', why: undefined }]);
});

test('a folder that is refused fails what waits for it, and one that ends is shown so', () => {
  const { files, hear, view } = begin();
  files.put(chosen('a.txt'));
  hear({ is: 'refused', why: 'a role of yours says no' });
  expect(view()).toMatchObject({ is: 'refused', why: 'a role of yours says no', uploads: [{ state: 'failed' }] });
  hear({ files: [{ path: 'x', size: 1, modified: 0 }] });
  expect(view()).toMatchObject({ is: 'on', files: [{ path: 'x' }] });
  expect(view().why).toBeUndefined();
  hear({ is: 'off', why: 'a role of yours does not let folders be shared' });
  expect(view()).toMatchObject({ is: 'off', files: [] });
});

test('without a line nothing waits for ever', async () => {
  const { files, line, view, hear, give } = begin();
  line.isOpen = false;
  files.put(chosen('a.txt'));
  expect(view().uploads).toMatchObject([{ state: 'failed', why: undefined }]);
  expect(await files.download('x')).toBe('');
  line.isOpen = true;
  hear({});
  const downloading = files.download('x');
  await vi.advanceTimersByTimeAsync(MAX_TICKET_MS);
  expect(await downloading).toBe('');
  const lost = files.download('x');
  files.lineOpened();
  expect(await lost).toBe('');
  expect(view().is).toBe('off');
  await give();
});

test('a download is what the browser saves', async () => {
  const { files, saved, hear, give } = begin();
  hear({ files: [{ path: 'x', size: 1, modified: 0 }] });
  const downloading = files.download('x');
  await give();
  expect(await downloading).toBeUndefined();
  expect(saved).toEqual([expect.stringContaining('/ticket/')]);
});

test('an upload that is given up is stopped, and makes room for the next', async () => {
  const { files, told, sending, hear, give, view } = begin();
  files.put(chosen('a', 'b', 'c', 'd'));
  hear({});
  await give();
  files.drop(view().uploads[0]!.id);
  expect(sending[0]!.signal.aborted).toBe(true);
  expect(view().uploads.map(({ name }) => name)).toEqual(['b', 'c', 'd']);
  expect(told).toMatchObject([{ type: 'upload', name: 'd' }]);
  files.stop();
  expect(sending.every(({ signal }) => signal.aborted)).toBe(true);
});
