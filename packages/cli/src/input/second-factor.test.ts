import { CallError } from '@gatehouse/contract/wire/client';
import { expect, test, vi } from 'vitest';
import { createSecondFactor } from './second-factor.ts';

const needed = () => new CallError('a role of yours asks for a second factor', 'mfa_required', 403);
const wrong = () => new CallError('the code is not right', 'bad_request', 400);

function terminal({ typed = [] as string[], hasCodes = true, noTerminal = false } = {}) {
  const said: string[] = [];
  const ask = vi.fn(async () => typed.shift() ?? '');
  const factor = createSecondFactor({
    io: { stderr: (text) => void said.push(text), ask: noTerminal ? undefined : ask },
    send: () => async () => ({
      status: 200,
      text: JSON.stringify({ webauthn_challenge: null, totp_challenge: hasCodes }),
    }),
    what: 'postgres',
    needed: 'a role of yours asks for a second factor for each session',
    inBrowser: 'open it at https://gate.example.com/web, or',
    signal: new AbortController().signal,
  });
  return { factor, ask, said };
}

test('nobody is asked where nobody wants a second factor', async () => {
  const { factor, ask } = terminal();

  expect(await factor.with(async (given) => given ?? 'none')).toBe('none');
  expect(ask).not.toHaveBeenCalled();
});

test('a code is asked for when it is wanted, and again when it was wrong', async () => {
  const { factor, ask, said } = terminal({ typed: ['111 111', ' 222222'] });
  const attempt = vi.fn(async (given?: { code?: string | undefined }) => {
    if (!given) throw needed();
    if (given.code === '111111') throw wrong();
    return given.code;
  });

  expect(await factor.with(attempt)).toBe('222222');
  expect(ask).toHaveBeenCalledWith('Code of your authenticator app, for postgres: ', expect.anything());
  expect(said).toEqual(['the code is not right\n']);
});

test('three wrong codes are enough', async () => {
  const { factor, ask } = terminal();

  const attempt = async (given?: object) => {
    throw given ? wrong() : needed();
  };

  await expect(factor.with(attempt)).rejects.toThrow('the code is not right');
  expect(ask).toHaveBeenCalledTimes(3);
});

test('two who need one at once are asked one after the other, and the second perhaps not at all', async () => {
  const { factor, ask } = terminal({ typed: ['111111'] });
  let has = false;
  const attempt = async (given?: object) => {
    if (!given && !has) throw needed();
    has = true;
    return 'in';
  };

  expect(await Promise.all([factor.with(attempt), factor.with(attempt)])).toEqual(['in', 'in']);
  expect(ask).toHaveBeenCalledTimes(1);
});

test.each([
  [{ noTerminal: true }, 'run this in a terminal'],
  [{ hasCodes: false }, 'only browsers read: open it at https://gate.example.com/web, or add an authenticator app'],
])('with %j it says what to do', async (world, words) => {
  const { factor } = terminal(world);

  await expect(
    factor.with(async () => {
      throw needed();
    }),
  ).rejects.toThrow(words);
});
