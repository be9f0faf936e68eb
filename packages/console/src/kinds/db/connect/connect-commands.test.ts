import { expect, test } from 'vitest';
import { database } from '../../../../testing/fake-databases.ts';
import { clientCommand, connectCommand, proxyCommand } from './connect-commands.ts';

const APP = { dbUser: 'app', dbName: 'shop' };

test.each([
  ['postgres', 'psql -h 127.0.0.1 -p 15432 -U app -d shop'],
  ['mysql', 'mariadb -h 127.0.0.1 -P 13306 -u app -D shop'],
  ['mongodb', "mongosh 'mongodb://127.0.0.1:37017/shop?directConnection=true'"],
  ['sqlserver', 'tsql -H 127.0.0.1 -p 11433 -U app -D shop'],
] as const)('the client of %s goes to where the command listens', (protocol, line) => {
  const shop = database('shop', { protocol });

  expect(clientCommand(shop, APP)).toBe(line);
  const port = /(?:-[pP] |:)(\d{5})/.exec(line)?.[1];
  expect(proxyCommand(shop, APP)).toBe(
    `gatehouse proxy db shop --db-user app --db-name shop --listen 127.0.0.1:${port}`,
  );
});

test('Redis has numbers for databases, and may be given none', () => {
  const cache = database('cache', { protocol: 'redis' });

  expect(clientCommand(cache, { dbUser: 'app', dbName: '2' })).toBe('redis-cli -h 127.0.0.1 -p 16379 -n 2');
  expect(clientCommand(cache, { dbUser: 'app', dbName: '' })).toBe('redis-cli -h 127.0.0.1 -p 16379');
});

test('one command begins the session and the client', () => {
  expect(connectCommand(database('shop'), { dbUser: "o'b", dbName: 'shop' })).toBe(
    String.raw`gatehouse db connect shop --db-user 'o'\''b' --db-name shop`,
  );
});
