/** Passwords typed into real programs, where and whenever they ask for them, held against what a recording of input keeps. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { call } from '@gatehouse/contract/wire/client';
import { startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { recordedItems } from '../../../testing/recordings/recorded-output.ts';
import { signInToProcess } from '../../../testing/sessions/process-people.ts';
import { type ProcessWorld, SERVER, startProcessWorld } from '../../../testing/sessions/process-world.ts';
import { connectTerminal, opening, type Tab, type TerminalClient } from '../../../testing/sessions/terminal-client.ts';

const PLAIN = 'plain';
const SECRET = 'Hunter2-zq';

let world: ProcessWorld;
let sshd: TestSshd;
let typist: Tab;
beforeAll(async () => {
  [world, sshd] = await Promise.all([
    startProcessWorld({ GATEHOUSE_DRAIN_SECONDS: '2' }),
    startSshd({ settings: ['PasswordAuthentication yes'] }),
  ]);
  sshd.trust((await world.gateway.command('ca', 'export')).stdout.trim().split('\n'));
  await world.gateway.command('nodes', 'add', PLAIN, sshd.addr);
  const spec = `{options: {record_session: {input: true}}, allow: {logins: [${world.login}], node_labels: {'*': '*'}}}`;
  const content = `kind: role\nversion: v6\nmetadata: {name: typist}\nspec: ${spec}\n`;
  await call(world.owner, roleRoutes.create, { body: { content } });
  typist = await signInToProcess(world.gateway, 'tina', 'typist');
});
afterAll(async () => {
  await world?.close();
  await sshd?.stop();
});

async function openShell(server: string) {
  const client = connectTerminal(typist, opening(server, world.login));
  const { sid } = await client.state;
  client.type(`unset PROMPT_COMMAND HISTFILE; PS1='rea''dy$ '\r`);
  await client.until(/ready\$ $/);
  return { client, sid };
}

/** Like a person: a key after the other, each a moment after the last. */
async function typeKeys(client: TerminalClient, keys: string): Promise<void> {
  for (const key of keys) {
    client.type(key);
    await sleep(25);
  }
}

async function typedIn(client: TerminalClient, sid: string): Promise<string> {
  client.send({ type: 'end' });
  await client.told('ended');
  const path = join(world.gateway.dataDir, 'recordings', `${sid}.rec`);
  const items = await vi.waitFor(
    async () => {
      const all = await recordedItems(path);
      expect(all.at(-1)?.type).toBe('end');
      return all;
    },
    { timeout: 20_000, interval: 100 },
  );
  return items.map((item) => (item.type === 'input' ? String(item.bytes) : '')).join('');
}

const asks = (delay: string) =>
  `sh -c 'sleep ${delay}; stty -echo; printf "Pass""word: "; read x; stty echo; echo "do""ne"'`;
const ssh = () =>
  `ssh -p ${sshd.port} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR ` +
  `-o NumberOfPasswordPrompts=1 -o PreferredAuthentications=password ${world.login}@127.0.0.1`;

interface Case {
  name: string;
  command(): string;
  /** Typed before it, and what is waited for then. */
  inside?: [string, RegExp];
}
const CASES: Case[] = [
  ...['0', '0.05', '0.1', '0.3', '1.5'].map((delay) => ({
    name: `a prompt after ${delay} s`,
    command: () => asks(delay),
  })),
  { name: 'su', command: () => 'su root' },
  { name: 'ssh', command: ssh },
  {
    name: 'a prompt inside another terminal',
    command: () => `script -qec "${asks('0').replaceAll('"', '\\"')}" /dev/null`,
  },
  { name: 'su inside tmux', command: () => 'su root', inside: ['tmux -f /dev/null new-session', /\[\d+\] 0:/] },
];

const ELSEWHERE = ['a prompt after 0.3 s', 'ssh', 'su inside tmux'];

for (const server of [SERVER, PLAIN])
  test.concurrent.each(CASES.filter(({ name }) => server === SERVER || ELSEWHERE.includes(name)))(
    `on the server ${server} the password for $name is not kept`,
    async ({ command, inside }) => {
      const { client, sid } = await openShell(server);
      if (inside) {
        client.type(`${inside[0]}\r`);
        await client.until(inside[1]);
        await sleep(500);
      }

      client.type(`${command()}\r`);
      await client.until(/[Pp]assword: /);
      await typeKeys(client, SECRET);
      await sleep(300);
      client.type('\r');
      await sleep(1_500);

      const kept = await typedIn(client, sid);
      for (let from = 0; from + 3 <= SECRET.length; from++) expect(kept).not.toContain(SECRET.slice(from, from + 3));
    },
  );

test.each([SERVER, PLAIN])('on the server %s ordinary commands are kept, also after a password', async (server) => {
  const { client, sid } = await openShell(server);
  await typeKeys(client, 'echo one two');
  client.type('\r');
  await client.until(/\none two\n/);
  client.type(`${asks('0')}\r`);
  await client.until(/Password: /);
  await typeKeys(client, `${SECRET}\r`);
  await client.until(/done\n/);
  await client.until(/ready\$ $/);
  // What the terminal says of itself comes by a process that a busy machine may start late.
  await sleep(3_000);
  await typeKeys(client, 'cat');
  client.type('\r');
  await client.until(/cat\n/);
  await sleep(500);
  await typeKeys(client, 'three four\r');
  await client.until(/three four\nthree four\n/);

  const kept = await typedIn(client, sid);
  expect(kept).toContain('echo one two\r');
  expect(kept).toContain('cat\r');
  expect(kept).toContain('three four\r');
  expect(kept).not.toContain(SECRET.slice(0, 3));
});
