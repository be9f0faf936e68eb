import { expect, test } from 'vitest';
import { storeAddress } from './store-address.ts';

test.each([
  ['postgres://u:p@db.example/gatehouse', { host: 'db.example', port: 5432 }],
  ['postgresql://u:p@db.example:6543/gatehouse', { host: 'db.example', port: 6543 }],
  ['postgres://u:p@[2001:db8::1]/gatehouse', { host: '2001:db8::1', port: 5432 }],
  ['postgres://u:p@ignored/gatehouse?host=db.example&port=7', { host: 'db.example', port: 7 }],
  ['postgres://u:p@%2Fvar%2Frun/gatehouse?host=/var/run', undefined],
  [undefined, undefined],
])('%s listens at %o', (url, address) => {
  expect(storeAddress(url === undefined ? url : { reveal: () => url })).toEqual(address);
});
