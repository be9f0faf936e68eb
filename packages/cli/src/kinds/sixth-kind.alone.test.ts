import { addSixthKind, SIXTH } from '@gatehouse/gateway/testing/kinds/sixth-kind';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommandLine } from '../../testing/command-line.ts';

let line: CommandLine<{ close(): Promise<void> }>;

beforeAll(async () => {
  addSixthKind({ shared: { hosts: false } });
  const { startCommandLine } = await import('../../testing/command-line.ts');
  const { startIdentityGateway } = await import('@gatehouse/gateway/testing/identity-gateway');
  const { KIND_DEEDS } = await import('@gatehouse/gateway/kinds/kinds');
  Object.assign(KIND_DEEDS, { [SIXTH]: () => ({}) });
  line = await startCommandLine(() => startIdentityGateway());
});
afterAll(() => line?.close());

test('a token names one by the flag that refusals advise, and its command the script', async () => {
  const { command } = await line.json('tokens', 'add', '--printer', 'laser=a4');

  expect(command).toContain("/install-printer.sh?name=laser&tray=a4'");
});

test('a token names which may be offered; one that names none is refused with what to write', async () => {
  const made = await line.local('tokens', 'add', '--printers', 'ink,laser-*');

  expect(made.code).toBe(0);
  expect((await line.local('tokens', 'add', '--type', 'printer')).stderr).toContain('--printer NAME=TRAY');
  expect((await line.local('tokens', 'add', '--printer', 'laser')).stderr).toContain('write it like NAME=TRAY');
});

test('programs reach it by a local port where its row says how', async () => {
  const found: string[] = [];
  const find = async (name: string) => {
    found.push(name);
    throw new Error(`there is no printer '${name}'`);
  };
  const { KIND_PROXIES } = await import('./kinds.ts');
  Object.assign(KIND_PROXIES, { [SIXTH]: { summary: 'Carry every page to a printer.', example: 'laser', find } });

  expect((await line.local('proxy', '--help')).stdout).toMatch(/^ {2}printer .*Carry every page to a printer/m);
  expect((await line.local('proxy', 'printer', '--help')).stdout).toContain('$ gatehouse proxy printer laser');
  await line.run(['proxy', 'printer', 'ink', '--gateway', 'http://127.0.0.1:1'], { env: { GATEHOUSE_TOKEN: 'x' } });
  expect(found).toEqual(['ink']);
});

test('its names are seen and freed by the commands that refusals advise', async () => {
  const help = (await line.local('printers', '--help')).stdout;

  expect(help).toMatch(/^ {2}names .*List the names that belong to agents/m);
  expect(help).toMatch(/^ {2}free .*<name> /m);
  expect((await line.local('printers', 'free', '--help')).stdout).toContain('$ gatehouse printers free wiki');
});
