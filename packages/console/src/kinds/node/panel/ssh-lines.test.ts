import { expect, test } from 'vitest';
import { pong } from '../../../../testing/fake-gateway.ts';
import { FINGERPRINT, withDoor } from '../../../../testing/fake-ssh.ts';
import { readSshDoor, type SshDoor } from '../../../shared/ssh-door/ssh-door.ts';
import { sshLines } from './ssh-lines.ts';

const DOOR: SshDoor = { cluster: 'prod', host: 'gate.example.com', port: 3022, fingerprint: undefined };
const NODE = { hostname: 'web-1', siteId: 'prod' };

const told = (ssh: object) => readSshDoor({ ...pong(), proxy: { ...pong().proxy, ssh } } as never, '[::1]');

test('each way in is one line', () => {
  expect(sshLines(NODE, DOOR, 'root')).toEqual({
    configured: { ssh: 'ssh root@web-1.prod', host: 'root@web-1.prod' },
    jump: 'ssh -J gate.example.com:3022 root@web-1',
    direct: 'ssh -p 3022 root@web-1@gate.example.com',
  });
  expect(sshLines(NODE, { ...DOOR, host: '::1' }, 'root')).toMatchObject({
    jump: `ssh -J '[::1]:3022' root@web-1`,
    direct: 'ssh -p 3022 root@web-1@::1',
  });
});

test('a login is one word to the shell, and to VS Code as it is', () => {
  const lines = sshLines(NODE, DOOR, String.raw`CORP\bo$`);

  expect(lines?.configured).toEqual({
    ssh: String.raw`ssh 'CORP\bo$@web-1.prod'`,
    host: String.raw`CORP\bo$@web-1.prod`,
  });
  expect(lines?.direct).toBe(String.raw`ssh -p 3022 'CORP\bo$@web-1@gate.example.com'`);
});

test('what gatehouse config ssh refuses is not offered, what no ssh takes for a host neither', () => {
  const called = (cluster: string) => sshLines({ ...NODE, siteId: cluster }, { ...DOOR, cluster }, 'root');
  expect(called('com')).toMatchObject({ configured: undefined, direct: 'ssh -p 3022 root@web-1@gate.example.com' });
  expect(called('Prod')?.configured?.host).toBe('root@web-1.prod');
  expect(sshLines({ ...NODE, hostname: '-oProxyCommand=x' }, DOOR, 'root')).toBeUndefined();
  expect(sshLines({ ...NODE, siteId: 'leaf' }, DOOR, 'root')).toBeUndefined();
});

test('the door is where the gateway says, else where the browser found it', () => {
  expect(told({})).toBeUndefined();
  expect(told({ listen_addr: '0.0.0.0:3022' })).toMatchObject({ cluster: 'one', host: '::1', port: 3022 });
  expect(told({ listen_addr: '0.0.0.0:3022', ssh_public_addr: '[2001:db8::1]:22' })).toMatchObject({
    host: '2001:db8::1',
    port: 22,
  });
  expect(told({ ssh_public_addr: 'nothing' })).toBeUndefined();
  expect(readSshDoor(withDoor(pong()) as never, 'localhost')?.fingerprint).toBe(FINGERPRINT);
});
