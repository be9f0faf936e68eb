/** Who tells a host that its pictures were drawn: the page, and where it does not, or tells of old ones alone, the gateway. */
import { beforeEach, expect, test, vi } from 'vitest';
import { FrameAcks } from './frame-acks.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

function acks() {
  const sent: number[] = [];
  return { sent, acks: new FrameAcks((frame) => sent.push(frame)) };
}

test('while a page tells, the gateway does not', () => {
  const { sent, acks: told } = acks();
  for (let frame = 1; frame < 100; frame += 1) {
    told.drawn(frame);
    told.drawn(frame + 1);
    vi.advanceTimersByTime(1_500);
    told.told(frame);
  }
  expect(sent).toEqual([]);
});

test('a page that tells nothing, or of the same old one again and again, stops no host', () => {
  const { sent, acks: told } = acks();
  told.drawn(7);
  for (let at = 0; at < 5; at += 1) {
    told.told(0);
    vi.advanceTimersByTime(500);
  }
  expect(sent).toEqual([7]);
  told.told(0);
  told.drawn(8);
  vi.advanceTimersByTime(2_000);
  expect(sent).toEqual([7, 8]);
});

test('numbers begin anew', () => {
  const { sent, acks: told } = acks();
  told.drawn(0xffff_ffff);
  told.told(0);
  told.drawn(1);
  told.told(1);
  vi.advanceTimersByTime(10_000);
  expect(sent).toEqual([]);
});
