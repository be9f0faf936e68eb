/** A command of a machine without a browser, and whoever approves what it asks for with a security key elsewhere, for tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { headlessRoutes } from '@gatehouse/contract/identity/headless';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { call } from '@gatehouse/contract/wire/client';
import { PROMPT } from '@gatehouse/gateway/testing/identity-gateway';
import type { SoftwareKey } from '@gatehouse/gateway/testing/software-key';
import type { TestBrowser } from '@gatehouse/gateway/testing/test-browser';

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export interface HowAnswered {
  input?: string;
  action?: 'accept' | 'denied' | 'nothing';
  lateMs?: number;
}

interface HeadlessRun extends HowAnswered {
  env: NodeJS.ProcessEnv;
  by: { browser: TestBrowser; key: SoftwareKey };
}

export async function runHeadless(
  program: string,
  args: readonly string[],
  { env, by, input = '', action = 'accept', lateMs = 0 }: HeadlessRun,
): Promise<Ran> {
  const child: ChildProcess = spawn(program, args, { env });
  const heard = { stdout: '', stderr: '' };
  const asked = Promise.withResolvers<string>();
  child.stdout?.on('data', (bytes) => {
    heard.stdout += bytes;
  });
  child.stderr?.on('data', (bytes) => {
    heard.stderr += bytes;
    const id = ID.exec(heard.stderr)?.[0];
    if (id && heard.stderr.includes('the code ')) asked.resolve(id);
  });
  child.stdin?.end(input);
  const over = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
  void over.then(() => asked.resolve(''));
  const requestId = await asked.promise;
  if (requestId !== '' && action !== 'nothing') await answer(requestId, { by, action, lateMs });
  return { code: await over, ...heard };
}

async function answer(
  requestId: string,
  { by: { browser, key }, action, lateMs }: { by: HeadlessRun['by']; action: 'accept' | 'denied'; lateMs: number },
): Promise<void> {
  await call(browser.send, headlessRoutes.get, { params: { requestId } });
  await sleep(lateMs);
  const challenge = await call(browser.send, mfaRoutes.challenge, {});
  const webauthnAssertionResponse = key.assert(challenge.webauthn_challenge!, PROMPT);
  const body = action === 'accept' ? { action, webauthnAssertionResponse } : { action };
  await call(browser.send, headlessRoutes.answer, { params: { requestId }, body });
}
