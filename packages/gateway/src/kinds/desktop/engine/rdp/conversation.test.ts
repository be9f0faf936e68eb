import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DesktopTerms } from '../desktop-link.ts';
import { CHANNEL } from './channel-table.ts';
import { Conversation } from './conversation.ts';
import { FrameAcks } from './frame-acks.ts';
import { SECURITY } from './x224.ts';

const TERMS: DesktopTerms = {
  ...{ user: 'ann', domain: '', password: 'pw', serverName: 'host.test', width: 800, height: 600, scale: 100 },
  ...{ keyboard: 0, clipboard: true, drives: false, checkCertificate: () => undefined },
};
/** Data of a dynamic channel with a number of one byte. */
const layout = (size: number) => Buffer.of(0x30, 0x31, size);
const copied = (text: string) => Buffer.from(text);

let toHost: string[];
let toPage: string[];
let own: Conversation;

/** What each side got, without the heads in front. */
const said = (pdu: Buffer) => pdu.toString('latin1').replace(/^[\s\S]*(?=list|answer|01.$)/, '');

beforeEach(() => {
  vi.useFakeTimers();
  [toHost, toPage] = [[], []];
  own = new Conversation(
    TERMS,
    SECURITY.tls,
    {
      toHost: (pdu) => void toHost.push(said(pdu)),
      toPage: (pdu) => void toPage.push(said(pdu)),
      ...{ pointer() {}, sized() {}, clipboard() {}, played() {}, drained: () => undefined, failed() {}, left() {} },
    },
    new FrameAcks(() => {}),
  );
  own.channels.ask(['cliprdr', 'drdynvc'], [CHANNEL.clipboard, CHANNEL.dynamic], []);
  own.channels.learn({ io: 1003, ids: [1004, 1005] });
});
afterEach(() => {
  own.close();
  vi.useRealTimers();
});

const activate = () => {
  own.tracker.isActive = true;
  own.becameActive();
};

test('before a desktop is up for the first time, its channels greet and are answered at once', () => {
  own.toPageChannel(CHANNEL.clipboard, copied('list'));
  own.toHostChannel(CHANNEL.clipboard, copied('answer'));

  expect([toPage, toHost]).toEqual([['list'], ['answer']]);
});

test('while host and page agree anew, each hears of channels only when the desktop is up again', () => {
  activate();
  own.tracker.isActive = false;
  own.toPageChannel(CHANNEL.clipboard, copied('list'));
  own.toHostChannel(CHANNEL.clipboard, copied('answer'));
  expect([toPage, toHost]).toEqual([[], []]);
  activate();

  expect([toPage, toHost]).toEqual([['list'], ['answer']]);
});

test('behind a wish for another size a host is told nothing until it has taken it, or is seen not to', () => {
  activate();
  vi.advanceTimersByTime(1_000);
  own.toHostChannel(CHANNEL.dynamic, layout(65));
  own.toHostChannel(CHANNEL.clipboard, copied('list'));
  expect(toHost).toEqual(['01A']);
  vi.advanceTimersByTime(1_000);

  expect(toHost).toEqual(['01A', 'list']);
});

test('of sizes that are wished for meanwhile the last is asked for, once, when the host has drawn the one before', () => {
  activate();
  vi.advanceTimersByTime(1_000);
  for (const size of [65, 66, 67]) own.toHostChannel(CHANNEL.dynamic, layout(size));
  own.tracker.isActive = false;
  vi.advanceTimersByTime(5_000);
  expect(toHost).toEqual(['01A']);
  activate();
  vi.advanceTimersByTime(900);
  expect(toHost).toEqual(['01A']);
  vi.advanceTimersByTime(5_000);

  expect(toHost).toEqual(['01A', '01C']);
});

test('a page that comes in place of another hears nothing that was held for that one', () => {
  activate();
  own.tracker.isActive = false;
  own.toPageChannel(CHANNEL.clipboard, copied('list'));
  own.channelsAgain();
  activate();

  expect(toPage).toEqual([]);
});

test('what is held is bounded', () => {
  activate();
  own.tracker.isActive = false;
  for (let count = 0; count < 6_000; count += 1) own.toPageChannel(CHANNEL.clipboard, Buffer.alloc(1_600, 'x'));
  activate();

  expect(toPage.length).toBeGreaterThan(2_000);
  expect(toPage.length).toBeLessThan(3_000);
});
