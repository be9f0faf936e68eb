import { expect, test, vi } from 'vitest';
import { whileAllowed } from './while-allowed.ts';

async function* numbers() {
  for (let each = 0; ; each++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    yield each;
  }
}

test('what takes long to fetch ends when whoever fetches it may not have it any more', async () => {
  let isAllowed = true;
  const require = vi.fn(async () => {
    if (!isAllowed) throw new Error('denied');
  });
  const taken: number[] = [];
  const taking = (async () => {
    for await (const each of whileAllowed(numbers(), require, 10)) taken.push(each);
  })();
  await vi.waitFor(() => expect(require.mock.calls.length).toBeGreaterThan(1));
  isAllowed = false;

  await expect(taking).rejects.toThrow('denied');
  expect(taken.length).toBeGreaterThan(1);
});
