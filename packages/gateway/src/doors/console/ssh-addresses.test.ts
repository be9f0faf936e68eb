import { expect, test } from 'vitest';
import { sshAddresses } from './ssh-addresses.ts';

const listen = { host: '0.0.0.0', port: 3022 };
const publicAddr = { host: 'gate.example.com', port: 443, origin: 'https://gate.example.com' };

test('no address is told while the door is shut, or its port is not known', () => {
  expect(sshAddresses({})).toBeUndefined();
  expect(sshAddresses({ ssh: {}, publicAddr })).toBeUndefined();
  expect(sshAddresses({ ssh: { listen: { ...listen, port: 0 } } })).toBeUndefined();
});

test('programs dial the address meant for them, or the host of the gateway at the port listened on', () => {
  const told = { listen: '0.0.0.0:3022' };
  expect(sshAddresses({ ssh: { listen } })).toEqual(told);
  expect(sshAddresses({ ssh: { listen }, publicAddr })).toEqual({ ...told, publicAddr: 'gate.example.com:3022' });
  const own = { host: '2001:db8::1', port: 22 };
  expect(sshAddresses({ ssh: { listen, publicAddr: own }, publicAddr })).toEqual({
    ...told,
    publicAddr: '[2001:db8::1]:22',
  });
  expect(sshAddresses({ ssh: { listen, publicAddr: { ...own, port: 0 } } })?.publicAddr).toBe('[2001:db8::1]:3022');
  expect(sshAddresses({ ssh: { listen: { ...listen, port: 0 } } }, 40_022)).toEqual({ listen: '0.0.0.0:40022' });
});
