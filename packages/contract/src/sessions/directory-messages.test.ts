import { expect, test } from 'vitest';
import {
  answeredId,
  BrokenMessage,
  type DirectoryAnswer,
  type DirectoryRequest,
  directoryAcknowledge,
  directoryAnnounce,
  directoryAnswer,
  directoryRequest,
  MAX_LISTED_FILES,
  MAX_PIECE_BYTES,
  readFromGateway,
  readFromPage,
} from './directory-messages.ts';

const HEAD = { id: 7, directory: 2 };
const FILE = { path: 'a/ü 😀.txt', modified: 1_700_000_000_123, size: 2 ** 40 + 1, isDirectory: false, isEmpty: false };
const REQUESTS: DirectoryRequest[] = [
  { ...HEAD, type: 'info', path: 'a/b%c' },
  { ...HEAD, type: 'create', path: 'ü', isDirectory: true },
  { ...HEAD, type: 'delete', path: 'a' },
  { ...HEAD, type: 'read', path: 'a', offset: 2 ** 33, length: 65_536 },
  { ...HEAD, type: 'write', path: 'a', offset: 5, bytes: Uint8Array.of(1, 2, 3) },
  { ...HEAD, type: 'move', path: 'a', to: 'b' },
  { ...HEAD, type: 'list', path: '' },
];
const ANSWERS: DirectoryAnswer[] = [
  { id: 7, error: 0, type: 'info', file: FILE },
  { id: 7, error: 3, type: 'create', file: { ...FILE, isDirectory: true, isEmpty: true } },
  { id: 7, error: 2, type: 'delete' },
  { id: 7, error: 0, type: 'read', bytes: Uint8Array.of(9, 8) },
  { id: 7, error: 0, type: 'write', written: 3 },
  { id: 7, error: 1, type: 'move' },
  { id: 7, error: 0, type: 'list', files: [FILE, { ...FILE, path: 'a/c' }] },
];

test.each(REQUESTS)('a question is read as it was asked: $type', (request) => {
  expect(readFromGateway(directoryRequest(request))).toEqual({ type: 'request', request });
});

test.each(ANSWERS)('an answer is read as it was given: $type', (answer) => {
  expect(readFromPage(directoryAnswer(answer))).toEqual({ type: 'answer', answer });
});

test('the bytes are those of the wire: a write has its offset before its path', () => {
  const bytes = directoryRequest({ ...HEAD, type: 'write', path: 'ab', offset: 258, bytes: Uint8Array.of(255) });
  expect([...bytes]).toEqual([
    21,
    ...[0, 0, 0, 7, 0, 0, 0, 2],
    ...[0, 0, 0, 0, 0, 0, 1, 2],
    ...[0, 0, 0, 2, 0x61, 0x62],
    ...[0, 0, 0, 1, 255],
  ]);
});

test('a directory is announced and acknowledged', () => {
  expect(readFromPage(directoryAnnounce(2, 'Docs'))).toEqual({ type: 'announce', directory: 2, name: 'Docs' });
  expect(readFromGateway(directoryAcknowledge(1, 2))).toEqual({ type: 'acknowledge', error: 1, directory: 2 });
});

test('what is cut anywhere, or goes on behind its end, is no message', () => {
  const fromPage = [directoryAnnounce(2, 'Docs'), ...ANSWERS.map(directoryAnswer)];
  const fromGateway = [directoryAcknowledge(0, 2), ...REQUESTS.map(directoryRequest)];
  for (const [messages, read] of [
    [fromPage, readFromPage],
    [fromGateway, readFromGateway],
  ] as const)
    for (const bytes of messages) {
      for (let at = 0; at < bytes.length; at += 1) expect(() => read(bytes.subarray(0, at))).toThrow(BrokenMessage);
      expect(() => read(Uint8Array.of(...bytes, 0))).toThrow(BrokenMessage);
    }
});

test('lengths that nobody could mean make no room', () => {
  const list = directoryAnswer({ id: 1, error: 0, type: 'list', files: [] });
  list.fill(0xff, 9, 13);
  expect(() => readFromPage(list)).toThrow(BrokenMessage);
  const read = directoryAnswer({ id: 1, error: 0, type: 'read', bytes: new Uint8Array(MAX_PIECE_BYTES + 1) });
  expect(() => readFromPage(read)).toThrow('more than may be');
  const info = directoryAnswer({ id: 1, error: 0, type: 'info', file: FILE });
  info.fill(0xff, 17, 25);
  expect(() => readFromPage(info)).toThrow(BrokenMessage);
});

test('more files in a directory than may be are not read', () => {
  const file = { ...FILE, path: '' };
  const list = (count: number) =>
    directoryAnswer({ id: 1, error: 0, type: 'list', files: Array.from({ length: count }, () => file) });
  expect(readFromPage(list(MAX_LISTED_FILES))).toMatchObject({ answer: { files: { length: MAX_LISTED_FILES } } });
  expect(() => readFromPage(list(MAX_LISTED_FILES + 1))).toThrow('more than may be');
});

test('which question an answer is to is known by its head', () => {
  expect(answeredId(directoryAnswer({ id: 9, error: 0, type: 'delete' }))).toBe(9);
  expect(answeredId(directoryAnnounce(2, 'Docs'))).toBeUndefined();
  expect(() => answeredId(Uint8Array.of(14, 0, 0))).toThrow(BrokenMessage);
});

test('a name that is not UTF-8 is none, and types of nobody are not read', () => {
  const announced = directoryAnnounce(2, 'Docs');
  announced[13] = 0xff;
  expect(() => readFromPage(announced)).toThrow('UTF-8');
  for (const type of [0, 1, 10, 12, 13, 27, 255])
    expect(() => readFromPage(Uint8Array.of(type, ...Array(40).fill(0)))).toThrow(BrokenMessage);
});
