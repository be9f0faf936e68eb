import { beforeAll, expect, test, vi } from 'vitest';
import { createConnection } from '../platform/api/connection.ts';
import { fetchCode, fetchForAction, mendMissingWith } from '../platform/code/fetch-code.ts';
import { loadWords } from '../platform/i18n/words.ts';
import { createMendMissing, forgetFailedLinks } from './missing-code.ts';

beforeAll(() => loadWords(['common']));

const FAILED = new TypeError('Failed to fetch dynamically imported module: /web/app/assets/users.js');

interface Given {
  /** What the gateway says it serves, one answer a question; the last one stays. */
  served: (string | 'away')[];
  marks?: Record<string, string>;
}

function page({ served, marks = {} }: Given) {
  const storage = new Map(Object.entries(marks));
  const reload = vi.fn();
  const connection = createConnection({ ping: async () => false });
  const askBuild = async () => {
    const answer = served.length > 1 ? served.shift() : served[0];
    if (answer === 'away') throw new TypeError('Failed to fetch');
    return answer;
  };
  mendMissingWith(
    createMendMissing({
      connection,
      build: 'one',
      askBuild,
      reload,
      now: () => 1_000_000,
      pauseMs: 1,
      storage: { getItem: (key) => storage.get(key) ?? null, setItem: (key, value) => storage.set(key, value) },
    }),
  );
  return { connection, reload, storage };
}

/** Code that arrives at the given try. */
function arrivingAt(last: number) {
  let tries = 0;
  return vi.fn(async () => {
    tries += 1;
    if (tries < last) throw FAILED;
    return 'code';
  });
}

test('while the gateway is away nothing is reloaded; the code is asked for again once it answers', async () => {
  const { connection, reload } = page({ served: ['away'] });
  const load = arrivingAt(2);
  const code = fetchCode(load);
  await vi.waitFor(() => expect(connection.state()).toBe('lost'));
  expect(load).toHaveBeenCalledTimes(1);

  connection.answered();
  expect(await code).toBe('code');
  expect(reload).not.toHaveBeenCalled();
});

test('what a button does fails in words while the gateway is away', async () => {
  page({ served: ['away'] });
  await expect(fetchForAction(arrivingAt(2))).rejects.toThrow(
    'The gateway does not answer. Check your connection and try again.',
  );
});

test('a gateway with another build makes the page reload', async () => {
  const { reload, storage } = page({ served: ['two'] });
  void fetchCode(arrivingAt(Number.POSITIVE_INFINITY));
  await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
  expect([...storage.values()]).toContain('two');
});

test('a page that was reloaded for a build and is still another is not reloaded again', async () => {
  const { reload } = page({ served: ['two'], marks: { 'reloaded-for-build': 'two' } });
  await expect(fetchCode(arrivingAt(9))).rejects.toThrow('A part of the console did not arrive');
  expect(reload).not.toHaveBeenCalled();
});

test('code that fails once under the same build is asked for again, without a reload', async () => {
  const { reload } = page({ served: ['one'] });
  expect(await fetchCode(arrivingAt(2))).toBe('code');
  expect(reload).not.toHaveBeenCalled();
});

test('code that is missing for good under the same build ends in words after one reload', async () => {
  const first = page({ served: ['one'] });
  void fetchCode(arrivingAt(9));
  await vi.waitFor(() => expect(first.reload).toHaveBeenCalledTimes(1), { timeout: 5000 });

  const second = page({ served: ['one'], marks: Object.fromEntries(first.storage) });
  await expect(fetchCode(arrivingAt(9))).rejects.toThrow('A part of the console did not arrive');
  expect(second.reload).not.toHaveBeenCalled();
});

test('a style sheet that failed is taken out of the page, so that the second try fetches it again', () => {
  forgetFailedLinks(document);
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  document.head.append(link);
  link.dispatchEvent(new Event('error'));
  expect(link.isConnected).toBe(false);
});
