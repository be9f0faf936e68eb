/** Programs at the SSH door that are shown a link for their second factor, and whoever opens it in their browser. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { expect, onTestFinished, vi } from 'vitest';
import { codeOf, enrolApp, type IdentityGateway } from '../identity-gateway.ts';
import type { TestBrowser } from '../test-browser.ts';
import { type Ran, runProgram } from './ssh-doors.ts';

export interface Person {
  browser: TestBrowser;
  secret: string;
}

/** With an authenticator app. */
export async function somebodyWithApp(
  gateway: IdentityGateway,
  name: string,
  roles: readonly string[],
): Promise<Person> {
  await gateway.addUser(name, { roles: [...roles] });
  const browser = await gateway.signedIn(name);
  return { browser, secret: await enrolApp(gateway, browser) };
}

/** Says yes with the code of an app, as they would with a key. */
export async function acceptByDevice(
  { clock }: IdentityGateway,
  { browser, secret }: Person,
  requestId: string,
): Promise<void> {
  // The code of before is used up.
  clock.advance(30_000);
  const body = { secondFactorToken: codeOf(secret, clock.now) };
  const tokenId = await call(browser.send, passwordRoutes.createPrivilegeToken, { body });
  await call(browser.send, cliLoginRoutes.answer, { params: { requestId }, body: { action: 'accept', tokenId } });
  // sshd looks at its own clock.
  clock.now = Date.now();
}

/** Whoever is asked opens the link, and presses Enter when `answer` is done with it. */
export async function askedByLink(
  args: readonly string[],
  answer: (requestId: string, question: string) => Promise<void>,
  environment: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-link-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const [question, go, program] = [join(dir, 'question'), join(dir, 'go'), join(dir, 'askpass')];
  const wait = `n=0; while [ ! -e ${go} ] && [ $n -lt 600 ]; do sleep 0.05; n=$((n+1)); done`;
  writeFileSync(program, `#!/bin/sh\nprintf '%s' "$1" > ${question}\n${wait}\necho\n`, { mode: 0o755 });
  const running = runProgram('ssh', args, {
    env: { ...environment, SSH_ASKPASS: program, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' },
  });
  const shown = vi.waitFor(
    () => {
      const asked = existsSync(question) ? readFileSync(question, 'utf8') : '';
      const id = /\/web\/cli\/([\w-]+)/.exec(asked)?.[1] ?? expect.fail(`nothing to open in '${asked}'`);
      return [asked, id] as const;
    },
    { timeout: SOON_MS },
  );
  const over = running.then((ran) => expect.fail(`it asked nothing: ${JSON.stringify(ran)}`));
  const [text, requestId] = await Promise.race([shown, over]);
  await answer(requestId, text);
  writeFileSync(go, '');
  return await running;
}
