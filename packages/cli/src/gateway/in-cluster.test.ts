import { expect, test } from 'vitest';
import { inCluster, urlIn } from './in-cluster.ts';

test('calls of the own cluster are asked of the leaf that is named', async () => {
  const asked: string[] = [];
  const { send, open } = inCluster(
    {
      send: async ({ url }) => {
        asked.push(url);
        return { status: 200, text: '{}' };
      },
      open: async (url) => {
        asked.push(url);
        return { status: 200, bytes: new Blob().stream() };
      },
    },
    'east/1',
  );

  await send({ method: 'GET', url: '/v1/webapi/sites/-current-/nodes?limit=1' });
  await open('/v1/webapi/sites/-current-/recordings/1/file');

  expect(asked).toEqual(['/v1/webapi/sites/east%2F1/nodes?limit=1', '/v1/webapi/sites/east%2F1/recordings/1/file']);
});

test.each([
  '/v1/webapi/users',
  '/v1/webapi/sites',
  '/v1/webapi/sites/home/nodes',
  '/v1/webapi/users?x=/v1/webapi/sites/-current-/',
])('%s names no cluster: nothing is asked, of anybody', (url) => {
  expect(() => urlIn('east', url)).toThrow('this is not asked of other clusters');
});
