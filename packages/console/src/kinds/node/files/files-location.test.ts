import { expect, test } from 'vitest';
import { failure, fakeGateway } from '../../../../testing/fake-gateway.ts';
import { createConnection } from '../../../platform/api/connection.ts';
import { createSend } from '../../../platform/api/send.ts';
import { createFilesLocation } from './files-location.ts';

const FILES = '/v1/webapi/sites/one/files';

function openPlace() {
  const gateway = fakeGateway();
  gateway.answer(`POST ${FILES}`, {
    body: { id: 'f-1', server: { id: 's-1', name: 's-1' }, login: 'root', home: '/root' },
  });
  gateway.answer(`GET ${FILES}/f-1/list`, (query) => {
    const path = query.get('path') ?? '';
    return path === '/gone'
      ? { status: 404, body: failure('not_found', 'no such folder') }
      : { body: { path, entries: [], complete: true } };
  });
  const connection = createConnection({ ping: async () => true });
  const send = createSend({
    fetch: gateway.fetch,
    csrfToken: 'csrf-1',
    bearerToken: () => 'token-1',
    restedMs: () => 0,
    connection,
    onNotSignedIn: () => {},
  });
  const sendBytes = async () => ({ status: 200, text: '' });
  return createFilesLocation({ send, sendBytes }, { clusterId: 'one', server: 's-1', login: 'root' });
}

test('files begin where the shell is, and later where it has gone', async () => {
  const place = openPlace();

  await place.follow('~/notes');
  expect(place.view.get().listing?.path).toBe('/root/notes');
  await place.go('/etc');
  await place.follow('~/notes');
  expect(place.view.get().listing?.path).toBe('/etc');
  await place.follow('/var/log');
  expect(place.view.get().listing?.path).toBe('/var/log');
});

test('a shell that does not say where it is, or is where nobody can look, leaves the home folder', async () => {
  const silent = openPlace();
  await silent.follow(undefined);
  expect(silent.view.get()).toMatchObject({ path: '/root', listing: { path: '/root' } });

  const elsewhere = openPlace();
  await elsewhere.follow('/gone');
  expect(elsewhere.view.get()).toMatchObject({ path: '/root', listing: { path: '/root' } });
  expect(elsewhere.view.get().error).toBe(undefined);
});
