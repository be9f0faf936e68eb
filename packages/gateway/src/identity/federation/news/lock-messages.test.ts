import { MAX_TOLD_LOCKS, NEWS_BYTES, readRootNews } from '@gatehouse/contract/reach/trusted-clusters/news';
import { expect, test } from 'vitest';
import { inMessages } from './lock-messages.ts';

const locks = (count: number, message: string) =>
  Array.from({ length: count }, (_, at) => ({ id: `lock-${at}`, user: `user-${at}`, message }));

test.each([
  ['none', locks(0, '')],
  ['many short ones', locks(1_000, 'gone')],
  ['reasons of three bytes a letter', locks(1_000, '鎖'.repeat(500))],
  ['reasons that take six to be written', locks(1_000, '\u0001'.repeat(500))],
])('%s: every message is one that is taken, and together they are all', (_, all) => {
  const messages = inMessages(all);

  expect(messages.flat()).toEqual(all);
  expect(messages.length).toBeGreaterThan(0);
  for (const part of messages) {
    const news = { type: 'locks', locks: part, more: true };
    expect(part.length).toBeLessThanOrEqual(MAX_TOLD_LOCKS);
    expect(Buffer.byteLength(JSON.stringify(news))).toBeLessThanOrEqual(NEWS_BYTES);
    expect(readRootNews(news)).toEqual(news);
  }
});
