import { expect, test } from 'vitest';
import { createProviderRecall } from './provider-memory.ts';

function worldOf(answers: (url: string) => Response) {
  let time = 1_000_000;
  const asked: string[] = [];
  const recall = createProviderRecall({
    fetch: async (url) => {
      asked.push(String(url));
      return answers(String(url));
    },
    now: () => time,
  });
  return { recall, asked, pass: (ms: number) => (time += ms) };
}

test('a page is asked for once while it is young enough, however many want it at the same time', async () => {
  const { recall, asked, pass } = worldOf(() => new Response('keys'));

  expect(await Promise.all([recall('https://a/keys', 60_000), recall('https://a/keys', 60_000)])).toEqual([
    'keys',
    'keys',
  ]);
  pass(59_999);
  await recall('https://a/keys', 60_000);
  expect(asked).toHaveLength(1);
  await recall('https://a/keys', 30_000);
  expect(asked).toHaveLength(2);
  pass(60_000);
  await recall('https://a/keys', 60_000);
  expect(asked).toHaveLength(3);
});

test('a failure is told with its address and status, and is not kept', async () => {
  let status = 503;
  const { recall } = worldOf(() => new Response('fine again', { status }));

  await expect(recall('https://a/keys', 60_000)).rejects.toThrow('https://a/keys answers with 503 instead of 200');
  status = 200;
  expect(await recall('https://a/keys', 60_000)).toBe('fine again');
});

test('a page that cannot be renewed is still there for whoever takes it as it is, also while it is asked for', async () => {
  let next: () => Promise<Response> = async () => new Response('keys');
  let time = 1_000_000;
  const recall = createProviderRecall({ fetch: () => next(), now: () => time });
  await recall('https://a/keys', 60_000);
  time += 30_000;
  const answer = Promise.withResolvers<Response>();
  next = () => answer.promise;
  const renewed = recall('https://a/keys', 5_000);

  expect(await recall('https://a/keys', 60_000)).toBe('keys');
  answer.resolve(new Response('', { status: 503 }));
  await expect(renewed).rejects.toThrow('503');
  expect(await recall('https://a/keys', 60_000)).toBe('keys');
  time += 30_000;
  await expect(recall('https://a/keys', 60_000)).rejects.toThrow('503');
});

test('who asks sparingly does not ask again as soon as an ask has failed, and everybody else does', async () => {
  const { recall, asked, pass } = worldOf(() => new Response('', { status: 503 }));
  const sparingly = () => expect(recall.sparing('https://a/keys', 60_000)).rejects.toThrow('503');

  await sparingly();
  await sparingly();
  pass(4_999);
  await sparingly();
  expect(asked).toHaveLength(1);
  await expect(recall('https://a/keys', 60_000)).rejects.toThrow('503');
  expect(asked).toHaveLength(2);
  pass(5_000);
  await sparingly();
  expect(asked).toHaveLength(3);
});

test('huge pages and pages beyond so many are asked for again instead of kept', async () => {
  const { recall, asked } = worldOf((url) => new Response(url.includes('huge') ? 'x'.repeat(300_000) : 'small'));

  await recall('https://a/huge', 60_000);
  await recall('https://a/huge', 60_000);
  expect(asked).toHaveLength(2);

  for (let index = 0; index < 100; index++) await recall(`https://a/${index}`, 60_000);
  await recall('https://a/99', 60_000);
  expect(asked).toHaveLength(102);
  await recall('https://a/0', 60_000);
  expect(asked).toHaveLength(103);
});

test('of a huge page what was read is kept, for as long as it is young enough', async () => {
  const { recall, asked, pass } = worldOf(() => new Response('x'.repeat(300_000)));
  const length = (text: string) => text.length;
  const first = (text: string) => text[0];

  expect(await recall.as('https://a/', 60_000, length)).toBe(300_000);
  pass(59_999);
  expect(await recall.as('https://a/', 60_000, length)).toBe(300_000);
  expect(asked).toHaveLength(1);
  expect(await recall.as('https://a/', 30_000, length)).toBe(300_000);
  expect(asked).toHaveLength(2);
  expect(await recall.as('https://a/', 60_000, first)).toBe('x');
  expect(asked).toHaveLength(3);
  for (let index = 0; index < 8; index++) await recall.as(`https://a/${index}`, 60_000, length);
  await recall.as('https://a/', 60_000, first);
  expect(asked).toHaveLength(12);
});

// A provider that publishes one address for both would otherwise have its settings taken for its keys.
test('a page is read once by each who reads it', async () => {
  const { recall, asked } = worldOf(() => new Response('text'));
  let count = 0;
  const upper = (text: string) => `${text.toUpperCase()}${++count}`;
  const long = async (text: string, url: string) => text.length + url.length;

  expect([await recall.as('https://a/', 60_000, upper), await recall.as('https://a/', 60_000, upper)]).toEqual([
    'TEXT1',
    'TEXT1',
  ]);
  expect(await recall.as('https://a/', 60_000, long)).toBe(14);
  expect(asked).toHaveLength(1);
});
