import { expect, test } from 'vitest';
import { readScpArgs, readSshArgs } from './ssh-args.ts';

const ssh = (...args: string[]) => readSshArgs(args, 'me');
const scp = (...args: string[]) => readScpArgs(args, 'me');

test('ssh finds the server behind its options, and comes to the gateway for it', () => {
  expect(ssh('root@web-1')).toMatchObject({ login: 'root', server: 'web-1', command: '', hasConfig: false });
  expect(ssh('web-1').login).toBe('me');
  expect(ssh('-l', 'deploy', 'web-1', 'ls', '-l').login).toBe('deploy');
  const read = ssh('-tt', '-o', 'LogLevel=ERROR', '-vF', 'mine', '-ldeploy', 'web-1', 'rsync', '--server', '-l');
  expect(read).toMatchObject({ login: 'deploy', server: 'web-1', command: 'rsync --server -l', hasConfig: true });
  expect(read.through('gate')).toEqual([
    ...['-tt', '-o', 'LogLevel=ERROR', '-vF', 'mine', '-l', 'deploy@web-1', '--', 'gate'],
    ...['rsync', '--server', '-l'],
  ]);
  expect(ssh('--', 'root@web-1', 'id').through('gate').slice(-3)).toEqual(['--', 'gate', 'id']);
});

test('the program of rsync is told of its server by -l', () => {
  const { through } = ssh('-l', 'deploy', 'web-1', 'rsync', '--server', '.', '/srv/');
  expect(through('gate')).toEqual(['-l', 'deploy@web-1', '--', 'gate', 'rsync', '--server', '.', '/srv/']);
});

test('scp finds the server among its files, on whichever side', () => {
  const up = scp('-r', '-l', '800', 'a.txt', './odd:name', 'root@web-1:/tmp/');
  expect(up).toMatchObject({
    login: 'root',
    server: 'web-1',
    command: 'scp -r -l 800 a.txt ./odd:name root@web-1:/tmp/',
  });
  expect(up.through('gate')).toEqual([...['-r', '-l', '800', '--', 'a.txt', './odd:name', 'root@web-1@gate:/tmp/']]);
  expect(scp('web-1:a', 'web-1:b', '.').through('2001:db8::1').slice(-3)).toEqual([
    ...['me@web-1@[2001:db8::1]:a', 'me@web-1@[2001:db8::1]:b', '.'],
  ]);
});

test.each([
  [() => ssh(), /which server/],
  [() => ssh('-v'), /which server/],
  [() => ssh('-p', '22', 'web-1'), /leave -p out/],
  [() => ssh('root@-oProxyCommand=x'), /is no server/],
  [() => ssh('root@a b'), /is no server/],
  [() => ssh('@web-1'), /is no server/],
  [() => scp('a', 'b'), /which server/],
  [() => scp('root@web-1:a', 'root@web-2:b'), /one server/],
  [() => scp('-P', '22', 'a', 'web-1:'), /leave -P out/],
])('what names no server, or two, is refused in words', (read, words) => {
  expect(read).toThrow(words);
});
