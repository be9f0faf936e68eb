import { expect, test } from 'vitest';
import { folderOfAddress, folderOfTitle } from './shell-folder.ts';

test('a shell says where it is by an address or in the title', () => {
  expect(folderOfAddress('file://web-01/srv/my%20files')).toBe('/srv/my files');
  expect(folderOfAddress('file:///srv')).toBe('/srv');
  expect(folderOfTitle('maya@web-01: ~/notes')).toBe('~/notes');
  expect(folderOfTitle('maya@web-01:/var/log')).toBe('/var/log');
});

test.each([
  'file://web-01',
  'http://web-01/srv',
  'file://web-01/%zz',
  'file://web-01/a%00b',
  `file:///${'x'.repeat(2_000)}`,
])('what is no folder is not taken for one: %j', (data) => expect(folderOfAddress(data)).toBe(undefined));

test.each(['vim /etc/hosts', 'maya@web-01: ~root/x', 'maya@web-01', 'notes: /srv', 'maya@web-01: relative'])(
  'a title that names none: %j',
  (title) => expect(folderOfTitle(title)).toBe(undefined),
);
