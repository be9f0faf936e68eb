import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { CallError, type Sent } from '@gatehouse/contract/wire/client';
import { expect, test } from 'vitest';
import { withFreshProof } from './fresh-proof.ts';

function gateway({ typed = [] as string[], noTerminal = false, wants = 'factor' as 'factor' | 'password' } = {}) {
  const sent: Sent[] = [];
  let isProven = false;
  const said: string[] = [];
  const send = async (request: Sent) => {
    sent.push(request);
    if (request.url === '/v1/webapi/mfa/authenticatechallenge')
      return { status: 200, text: JSON.stringify({ webauthn_challenge: null, totp_challenge: true }) };
    const isRight = request.body?.includes('222222') || request.body?.includes('correct');
    if (!isRight)
      return {
        status: 400,
        text: JSON.stringify({ error: { message: 'that is not right', code: 'bad_request', requestId: 'r-1' } }),
      };
    isProven = true;
    const reply =
      request.url === passwordRoutes.createPrivilegeToken.path
        ? 'token'
        : { webauthn_challenge: null, totp_challenge: false };
    return { status: 200, text: JSON.stringify(reply) };
  };
  const answer = async () => typed.shift() ?? '';
  const io = {
    stdout() {},
    stderr: (text: string) => void said.push(text),
    env: {},
    cwd: '/',
    ...(noTerminal ? {} : { ask: answer, askSecret: answer }),
  };
  const fields = wants === 'password' ? { reason: 'password' } : {};
  const change = async () => {
    if (!isProven) throw new CallError('prove it first', 'mfa_required', 403, { fields });
    return 'changed';
  };
  return { run: () => withFreshProof(io, send, change), sent, said };
}

test('a code is asked for when the gateway wants one, proven, and the change tried again', async () => {
  const { run, sent, said } = gateway({ typed: ['111111', '222 222'] });

  expect(await run()).toBe('changed');
  expect(said).toEqual(['that is not right\n']);
  expect(sent.map(({ url }) => url)).toEqual([
    '/v1/webapi/mfa/authenticatechallenge',
    '/v1/webapi/users/privilege/token',
    '/v1/webapi/users/privilege/token',
  ]);
});

test('somebody without a device is asked for the password', async () => {
  const { run, sent } = gateway({ typed: ['wrong', 'correct'], wants: 'password' });

  expect(await run()).toBe('changed');
  expect(sent.map(({ url }) => url)).toEqual(Array(2).fill('/v1/webapi/mfa/authenticatechallenge/password'));
});

test('where nobody can be asked it is told what to do, and other failures are left alone', async () => {
  await expect(gateway({ noTerminal: true }).run()).rejects.toThrow('run this in a terminal');
  await expect(gateway({ noTerminal: true, wants: 'password' }).run()).rejects.toThrow('run this in a terminal');
  const io = { stdout() {}, stderr() {}, env: {}, cwd: '/' };
  const change = async () => {
    throw new CallError('no', 'denied', 403);
  };
  await expect(withFreshProof(io, async () => ({ status: 200, text: '' }), change)).rejects.toThrow(/^no$/);
});
