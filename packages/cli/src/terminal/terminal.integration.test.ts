/** `gatehouse ssh` in a real terminal, to a server that a real agent holds, through networks that are cut and gateways that are killed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ProcessWorld,
  SERVER,
  startProcessWorld,
  startWire,
} from '@gatehouse/gateway/testing/sessions/process-world';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type OnTerminal, startOnTerminal } from '../../testing/on-terminal.ts';
import { annToken } from '../../testing/process-token.ts';

const GATEHOUSE = `${ROOT}/gatehouse`;
const AS_BEFORE = ['isig', 'icanon', 'echo'];
let world: ProcessWorld;
let token: string;
let folder: string;
beforeAll(async () => {
  world = await startProcessWorld();
  token = await annToken(world);
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-ssh-'));
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

function ssh(args: readonly string[], origin = world.gateway.origin): OnTerminal {
  const env = { ...cleanEnvironment(), HOME: folder, GATEHOUSE_ADDRESS: origin, GATEHOUSE_TOKEN: token, TERM: 'vt220' };
  const started = startOnTerminal([GATEHOUSE, 'ssh', ...args], { env, folder });
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
}
const shell = (origin?: string) => ssh([`${world.login}@${SERVER}`], origin);
/** A shell that says when it reads, and says nothing else. */
async function ready(terminal: OnTerminal): Promise<void> {
  await terminal.until(/[$#] /);
  terminal.type("PS1='' ; echo rea''dy\r");
  await terminal.until(/^ready\r/m);
}

test('the exit code of the shell is that of the command, and the terminal is as it was', async () => {
  const terminal = shell();
  await ready(terminal);
  terminal.type('echo "$TERM $(stty size)"; exit 7\r');

  expect(await terminal.ended()).toEqual({ code: 7, modes: AS_BEFORE });
  expect(terminal.shown()).toContain('vt220 30 100');
  expect(terminal.told()).toBe('');
});

test('a window of another size is one there too', async () => {
  const terminal = shell();
  await ready(terminal);
  await terminal.resize(77, 33);
  terminal.type('until [ "$(stty size)" = "33 77" ]; do sleep 0.05; done; exit\r');

  expect(await terminal.ended()).toEqual({ code: 0, modes: AS_BEFORE });
});

test('a gateway that is killed loses and repeats nothing, of what is shown nor of what is typed', async () => {
  const terminal = shell();
  await ready(terminal);
  terminal.type('seq 1 200000\r');
  await terminal.until(/^20\d\d\d\r/m);
  await world.gateway.crash();
  await terminal.untilTold(/no connection to .*: trying again; ~\. ends it/);
  terminal.type('echo typed-$((40+2)); ');
  terminal.type('exit 3\r');
  await world.gateway.startAgain();

  expect(await terminal.ended()).toEqual({ code: 3, modes: AS_BEFORE });
  const numbers = terminal.shown().match(/^\d+(?=\r$)/gm) ?? [];
  expect(numbers.length).toBe(200_000);
  expect(numbers.every((number, at) => number === String(at + 1))).toBe(true);
  expect(terminal.shown().match(/^typed-42\r$/gm)).toHaveLength(1);
  expect(terminal.told()).toContain('connected again');
});

test('a network that is cut over and over loses and repeats nothing', async () => {
  const wire = await startWire(Number(new URL(world.gateway.origin).port));
  onTestFinished(() => wire.close());
  const terminal = shell(`http://localhost:${wire.port}`);
  await ready(terminal);
  const last = 40;
  terminal.type(
    'echo begu""n; while read -r line; do echo "got $line"; seq 1 2000; [ "$line" = 40 ] && exit 4; done\r',
  );
  // What comes before is read as keys of a line, not as lines.
  await terminal.until(/^begun\r/m);
  for (let count = 1; count <= last; count += 1) {
    terminal.type(`${count}\r`);
    if (count % 10 === 0) {
      await terminal.until(new RegExp(`^got ${count - 5}\\r`, 'm'));
      wire.cut();
    }
  }

  expect((await terminal.ended()).code).toBe(4);
  const got = terminal.shown().match(/(?<=^got )\d+(?=\r$)/gm);
  expect(got).toEqual(Array.from({ length: last }, (_, at) => String(at + 1)));
  expect(terminal.shown().match(/^2000\r$/gm)).toHaveLength(last);
});

test('a tilde and a dot at the beginning of a line end the session', async () => {
  const terminal = shell();
  await ready(terminal);
  terminal.type('echo a ~.\r');
  await terminal.until(/^a ~\.\r/m);
  terminal.type('~?');
  await terminal.untilTold(/~\. {2}end the session/);
  terminal.type('~.');

  expect(await terminal.ended()).toEqual({ code: 255, modes: AS_BEFORE });
  expect(terminal.told()).toContain('gatehouse: you closed it');
});

test('a command that is told to stop leaves the terminal as it was', async () => {
  const terminal = shell();
  await ready(terminal);
  process.kill(terminal.pid(), 'SIGTERM');

  expect(await terminal.ended()).toEqual({ code: 143, modes: AS_BEFORE });
});

test('where there are several logins it is told which', async () => {
  const terminal = ssh([SERVER]);

  expect((await terminal.ended()).code).toBe(2);
  expect(terminal.told()).toBe(
    `gatehouse: say as whom: gatehouse ssh LOGIN@${SERVER}. You may be: ${[world.login, 'ghost'].toSorted().join(', ')}\n`,
  );
});

test('a login that nobody may use is refused in the words of the gateway', async () => {
  const terminal = ssh([`nobody@${SERVER}`]);

  expect(await terminal.ended()).toEqual({ code: 5, modes: AS_BEFORE });
  expect(terminal.told()).toContain('nobody');
});
