import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { expect, test } from 'vitest';
import { CLUSTER, startRecordingWorld } from '../../../../testing/recordings/playback/recording-world.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

test('who is kept from a frozen session does not follow it by its recording', async () => {
  const world = await startRecordingWorld();
  const { gateway } = world;
  await world.makeRole('reader', '{allow: {rules: [{resources: [session], verbs: [list, read]}]}}');
  const people: TestBrowser[] = [];
  for (const name of ['ann', 'bob', 'aud']) {
    await gateway.addUser(name, { roles: ['reader'] });
    people.push(await gateway.signedIn(name));
  }
  const sid = await world.record({
    user: 'ann',
    participants: ['ann', 'bob'],
    running: true,
    agoMs: 10_000,
    happenings: [{ ms: 0, type: 'output', text: 'secret' }],
  });
  const freeze = (frozen: number) =>
    gateway.storage.db.updateTable('session').set({ frozen }).where('id', '=', sid).execute();
  const params = { ...CLUSTER, sid };
  const query = { seek: '0' } as never;
  const mayPlay = async ({ send }: TestBrowser) =>
    call(send, recordingRoutes.playback, { params, query }).then(
      () => true,
      () => false,
    );
  const may = () => Promise.all(people.map(mayPlay));

  expect(await may()).toEqual([true, true, true]);
  await freeze(1);
  expect(await may()).toEqual([false, false, true]);
  const [ann] = people;
  if (ann) await expect(call(ann.send, recordingRoutes.screen, { params })).rejects.toThrow();
  await freeze(0);
  expect(await may()).toEqual([true, true, true]);
  await world.close();
});
