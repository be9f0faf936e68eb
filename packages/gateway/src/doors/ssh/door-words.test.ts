import { expect, test, vi } from 'vitest';
import { AppError } from '../../platform/std/app-error.ts';
import { whyNotOpened } from './door-words.ts';

const deps = { log: { error: vi.fn() } as never };
const asked = { login: 'root', servers: ['web-1.one', 'web-1'], leaf: undefined };

test('a way that does not work comes with the line that says at which step', () => {
  const silent = new AppError('target_unreachable', 'no answer from 10.0.0.5:22 in 5 s');

  expect(whyNotOpened(deps, silent, asked)).toMatch(
    /^no answer from 10\.0\.0\.5:22 in 5 s; see at which step: gatehouse nodes test '?web-1'? --login '?root'?$/,
  );
  expect(whyNotOpened(deps, silent, { ...asked, login: "a'; rm" })).not.toContain("--login a'; rm");
});

test('what no test would say more about is told as it is', () => {
  expect(whyNotOpened(deps, new AppError('denied', 'you may not be root there'), asked)).toBe(
    'you may not be root there',
  );
});
