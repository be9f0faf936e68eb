import { expect, test } from 'vitest';
import { pathWord, sshConfig, UnfitPath, withInclude } from './ssh-config.ts';
import { readSshDoor, UnfitDoor } from './ssh-door.ts';

const FOUND = { cluster: 'prod', host: 'gate.example.com', port: 3022 };
const DOOR = { ...FOUND, leaves: [] };
const folder = '~/.config/gatehouse/ssh';
const PLACE = {
  folder,
  longFolder: '/home/ann/.config/gatehouse/ssh',
  platform: 'linux',
  warnsOfExchange: false,
} as const;

test('connections are shared by a socket, except on Windows and where its path would be too long', () => {
  expect(sshConfig(DOOR, PLACE)).toContain('ControlPath ~/.config/gatehouse/ssh/%C\n');
  expect(sshConfig(DOOR, { ...PLACE, platform: 'win32' })).not.toContain('Control');
  expect(sshConfig(DOOR, { ...PLACE, longFolder: `/${'x'.repeat(60)}` })).not.toContain('Control');
});

test('servers of leaf clusters are led to in the same way, and a name that is more than one is not written', () => {
  const written = sshConfig({ ...DOOR, leaves: ['east', 'west'] }, PLACE);
  expect(written).toContain('\nHost *.prod *.east *.west\n  ProxyJump gatehouse-prod\n');
  expect(written).toContain('\nHost gatehouse-prod *.prod *.east *.west\n  IdentityFile');
  for (const leaf of ['com', 'a b', '*', 'east\n'])
    expect(() => sshConfig({ ...DOOR, leaves: [leaf] }, PLACE), leaf).toThrow(UnfitPath);
});

test('an ssh that would warn at each connection is told not to, and no other hears of it', () => {
  expect(sshConfig(DOOR, { ...PLACE, warnsOfExchange: true })).toContain('WarnWeakCrypto no\n');
  expect(sshConfig(DOOR, PLACE)).not.toMatch(/WarnWeakCrypto|IgnoreUnknown/);
});

test('paths with blanks are one word, and what ssh would take for something else is not written', () => {
  expect(sshConfig(DOOR, { ...PLACE, folder: '/home/an n/ssh' })).toContain('IdentityFile "/home/an n/ssh/prod/id"\n');
  expect(sshConfig(DOOR, { ...PLACE, folder: '/home/an n/ssh' })).toContain('ControlPath "/home/an n/ssh/%C"\n');
  for (const path of ['/a\nHost *', '/a"b', '/a%h', '/a*', '/a[b]', '/a?', `/a$${'{HOME}'}`, '/a\\b'])
    expect(() => pathWord(path), path).toThrow();
});

test('the host that ssh dials is the one meant for it, or the one this command found the gateway by', () => {
  const origin = 'https://gate.example.com';
  const read = (told: Parameters<typeof readSshDoor>[1]) => readSshDoor('Prod', told, origin);
  expect(read({})).toBeUndefined();
  expect(read({ listen_addr: '0.0.0.0:3022' })).toEqual(FOUND);
  expect(read({ listen_addr: '0.0.0.0:3022', ssh_public_addr: 'ssh.example.com:22' })).toEqual({
    ...FOUND,
    ...{ host: 'ssh.example.com', port: 22 },
  });
  expect(read({ ssh_public_addr: '[2001:DB8::1]:22' })?.host).toBe('2001:db8::1');
  expect(readSshDoor('prod', { listen_addr: '[::]:3022' }, 'https://[::1]:3080')?.host).toBe('::1');
});

test.each([
  'prod\nProxyCommand touch /tmp/x',
  'prod *',
  '*',
  'com',
  'de',
  '../prod',
  'a/b',
  '.',
  '-prod',
  'pr%h',
  'prod\u202e',
  '',
  'x'.repeat(64),
])('a gateway whose cluster is called %j is told to nobody', (name) => {
  expect(() => readSshDoor(name, { ssh_public_addr: 'gate.example.com:22' }, 'https://gate')).toThrow(UnfitDoor);
});

test.each([
  'gate\n  ProxyCommand touch /tmp/x:22',
  'gate.example.com',
  'gate:0',
  'gate:99999',
  'gate:22\n',
  '-oProxyCommand=x:22',
  '%h:22',
  'a b:22',
  '*:22',
  '[fe80::1%eth0]:22',
  ':22',
])('the address %j is dialled by nobody', (address) => {
  expect(() => readSshDoor('prod', { ssh_public_addr: address }, 'https://gate')).toThrow(UnfitDoor);
});

test('the line that leads to ours stands first, once, and every other byte stays', () => {
  const line = 'Include ~/x';
  const mine = Buffer.from('# \xe9\r\nHost *\r\n  User me', 'latin1');
  const once = withInclude(mine, line);
  expect(once).toEqual(Buffer.concat([Buffer.from(`${line}\n`), mine]));
  expect(withInclude(once, line)).toEqual(once);
  expect(withInclude(Buffer.alloc(0), line).toString()).toBe(`${line}\n`);
  // Within the settings of a host it holds for that one alone.
  const within = Buffer.from(`Host a\n${line}\n`);
  expect(withInclude(within, line).toString()).toBe(`${line}\nHost a\n${line}\n`);
});

test.each(['https://gate.example.com; id', 'https://gate.example.com/%h', 'file:///etc', "https://a'b"])(
  'over the port of browsers, %s is no gateway for a shell to read',
  (origin) => {
    expect(() => sshConfig(DOOR, PLACE, origin)).toThrow(UnfitPath);
    expect(sshConfig(DOOR, PLACE, 'https://[2001:db8::1]:8443')).toContain(
      "\n  ProxyCommand gatehouse proxy ssh --gateway 'https://[2001:db8::1]:8443' %h\n",
    );
  },
);
