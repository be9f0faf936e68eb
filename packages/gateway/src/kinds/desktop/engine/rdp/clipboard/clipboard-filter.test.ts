import { beforeEach, expect, test } from 'vitest';
import { type ClipboardTransfer, DesktopFailure } from '../../desktop-link.ts';
import { ChannelReader, channelChunks } from '../static-channel.ts';
import {
  ClipboardFilter,
  type ClipSide,
  MAX_CLIPBOARD_BYTES,
  MAX_CLIPBOARD_MESSAGE_BYTES,
} from './clipboard-filter.ts';
import { CLIP, clipMessage, FAIL, number, OK } from './clipboard-messages.ts';

const UNICODE_TEXT = 13;
const HTML = 0xc0de;
const FILES = 0xc0ff;
let sent: { to: ClipSide; message: Buffer }[];
let told: ClipboardTransfer[];
let filter: ClipboardFilter;

beforeEach(() => {
  [sent, told] = [[], []];
  filter = new ClipboardFilter({
    send: (to, message) => sent.push({ to, message }),
    told: (transfer) => told.push(transfer),
  });
  hear('host', clipMessage(CLIP.capabilities, 0, capabilities(0x3e)));
  hear('page', clipMessage(CLIP.capabilities, 0, capabilities(0x1e)));
});

function hear(side: ClipSide, message: Buffer, mayGive = true): void {
  const reader = new ChannelReader(MAX_CLIPBOARD_MESSAGE_BYTES);
  const whole = channelChunks(message)
    .map((chunk) => reader.push(chunk))
    .at(-1);
  filter.hear(side, whole!, mayGive);
}

function capabilities(flags: number): Buffer {
  const body = Buffer.alloc(16);
  body.writeUInt16LE(1, 0);
  body.writeUInt16LE(1, 4);
  body.writeUInt16LE(12, 6);
  body.writeUInt32LE(2, 8);
  body.writeUInt32LE(flags, 12);
  return body;
}

const format = (id: number, name: string) => Buffer.concat([number(id), Buffer.from(`${name}\0`, 'utf16le')]);
const LIST = clipMessage(
  CLIP.formatList,
  0,
  Buffer.concat([
    format(UNICODE_TEXT, ''),
    format(HTML, 'HTML Format'),
    format(FILES, 'FileGroupDescriptorW'),
    format(0xc001, 'Ole Private Data'),
  ]),
);
const request = (id: number) => clipMessage(CLIP.dataRequest, 0, number(id));
const answer = (bytes: Buffer) => clipMessage(CLIP.dataResponse, OK, bytes);
const last = () => sent.at(-1);

test('of what a side can, only names in full are told on: nothing about files', () => {
  expect(sent).toEqual([
    { to: 'page', message: clipMessage(CLIP.capabilities, 0, capabilities(2)) },
    { to: 'host', message: clipMessage(CLIP.capabilities, 0, capabilities(2)) },
  ]);
});

test('formats that may not pass leave the lists', () => {
  hear('host', LIST);

  const body = Buffer.concat([format(UNICODE_TEXT, ''), format(HTML, 'HTML Format')]);
  expect(last()).toEqual({ to: 'page', message: clipMessage(CLIP.formatList, 0, body) });
});

test('short names are read as well', () => {
  filter = new ClipboardFilter({ send: (to, message) => sent.push({ to, message }), told: () => {} });
  const short = (id: number, name: string) => {
    const bytes = Buffer.alloc(32);
    bytes.write(name, 'latin1');
    return Buffer.concat([number(id), bytes]);
  };
  hear('host', clipMessage(CLIP.formatList, 4, Buffer.concat([short(FILES, 'FileNameW'), short(HTML, 'HTML Format')])));

  expect(last()?.message).toEqual(clipMessage(CLIP.formatList, 4, short(HTML, 'HTML Format')));
});

test('text is copied both ways, and each time is told with its length alone', () => {
  hear('host', LIST);
  hear('page', request(UNICODE_TEXT));
  hear('host', answer(Buffer.from('from the host')));
  expect(last()).toEqual({ to: 'page', message: answer(Buffer.from('from the host')) });
  hear('page', LIST);
  hear('host', request(HTML));
  hear('page', answer(Buffer.from('from the page!')));

  expect(last()).toEqual({ to: 'host', message: answer(Buffer.from('from the page!')) });
  expect(told).toEqual([
    { direction: 'receive', length: 13 },
    { direction: 'send', length: 14 },
  ]);
});

test('what was not offered cannot be asked for, and what was not asked for is not passed on', () => {
  hear('host', LIST);
  hear('page', request(FILES));
  expect(last()).toEqual({ to: 'page', message: clipMessage(CLIP.dataResponse, FAIL) });
  const before = sent.length;
  hear('page', answer(Buffer.from('pushed')));

  expect(sent).toHaveLength(before);
  expect(told).toEqual([]);
});

test('one more byte than may be copied is refused with an answer, and the next is copied', () => {
  hear('host', LIST);
  hear('page', request(UNICODE_TEXT));
  hear('host', answer(Buffer.alloc(MAX_CLIPBOARD_BYTES + 1)));
  expect(last()).toEqual({ to: 'page', message: clipMessage(CLIP.dataResponse, FAIL) });
  expect(told).toEqual([
    { direction: 'receive', length: MAX_CLIPBOARD_BYTES + 1, refused: 'more than 1 MiB is not copied' },
  ]);
  hear('page', request(UNICODE_TEXT));
  hear('host', answer(Buffer.alloc(5 * MAX_CLIPBOARD_BYTES)));
  expect(last()?.message).toEqual(clipMessage(CLIP.dataResponse, FAIL));
  hear('page', request(UNICODE_TEXT));
  hear('host', answer(Buffer.alloc(MAX_CLIPBOARD_BYTES)));

  expect(last()?.message.length).toBe(MAX_CLIPBOARD_BYTES + 8);
});

test('without the right, lists are answered and not passed on, and nothing is given', () => {
  hear('host', LIST);
  filter.isAllowed = false;
  hear('page', request(UNICODE_TEXT));
  expect(last()).toEqual({ to: 'page', message: clipMessage(CLIP.dataResponse, FAIL) });
  hear('page', LIST);
  expect(last()).toEqual({ to: 'page', message: clipMessage(CLIP.formatListResponse, OK) });
  hear('host', request(UNICODE_TEXT));
  expect(last()).toEqual({ to: 'host', message: clipMessage(CLIP.dataResponse, FAIL) });
});

test('a right that ends while an answer is under way keeps that from the other side', () => {
  hear('host', LIST);
  hear('page', request(UNICODE_TEXT));
  filter.isAllowed = false;
  hear('host', answer(Buffer.from('too late')));

  expect(last()?.message).toEqual(clipMessage(CLIP.dataResponse, FAIL));
  expect(told).toEqual([{ direction: 'receive', length: 8, refused: 'the clipboard is not allowed here' }]);
});

test('a page that may not type gives nothing to the host', () => {
  hear('page', LIST, false);
  expect(last()).toEqual({ to: 'page', message: clipMessage(CLIP.formatListResponse, OK) });
  hear('host', request(UNICODE_TEXT));

  expect(last()).toEqual({ to: 'host', message: clipMessage(CLIP.dataResponse, FAIL) });
});

test('a page that may not type hears nothing of what the host has', () => {
  hear('host', LIST);
  hear('page', request(UNICODE_TEXT), false);

  expect(last()).toEqual({ to: 'page', message: clipMessage(CLIP.dataResponse, FAIL) });
});

test('a host that greets without end is remembered once', () => {
  for (let left = 100; left > 0; left -= 1) hear('host', clipMessage(CLIP.monitorReady, 0));

  expect(filter.again()).toHaveLength(2);
});

test('files are asked for in vain', () => {
  hear('page', clipMessage(CLIP.fileRequest, 0, Buffer.alloc(24, 7)));

  expect(last()).toEqual({ to: 'page', message: clipMessage(9, FAIL, Buffer.alloc(4, 7)) });
});

test('no broken message does more than fail in words', () => {
  for (const sound of [LIST, request(13), answer(Buffer.alloc(9)), clipMessage(CLIP.capabilities, 0, capabilities(2))])
    for (let length = 0; length <= sound.length; length += 1)
      for (const at of [0, 2, 4, 8, 9, 10, 12, 16]) {
        const other = Buffer.from(sound.subarray(0, length));
        if (at < length) other[at] = 0xff;
        try {
          hear('host', other);
        } catch (error) {
          expect(error).toBeInstanceOf(DesktopFailure);
        }
      }
});

test('a page that comes in the place of another begins anew, and the host hears nothing of that but a failed answer', () => {
  hear('host', clipMessage(CLIP.monitorReady, 0));
  hear('page', LIST);
  hear('host', request(UNICODE_TEXT));
  sent.length = 0;

  expect(filter.again()).toEqual([
    clipMessage(CLIP.capabilities, 0, capabilities(2)),
    clipMessage(CLIP.monitorReady, 0),
  ]);
  hear('page', clipMessage(CLIP.capabilities, 0, capabilities(0x1e)));
  expect(sent).toEqual([{ to: 'host', message: clipMessage(CLIP.dataResponse, FAIL) }]);
  hear('page', LIST);
  expect(last()?.to).toBe('host');
});
