/** Two gateways on one database without a bucket: neither says of the other's recordings that they are missing. */
import { expect, onTestFinished, test } from 'vitest';
import { startRecordingWorld } from '../../../testing/recordings/recording-world.ts';
import { silentLog } from '../../platform/std/log.ts';
import { createRecordingStates } from './playback/recording-status.ts';
import { findRecording } from './recording-status-store.ts';
import { NO_STORE } from './stores/recording-store.ts';
import { createReconciler } from './upkeep/reconcile.ts';

test('a gateway leaves what another keeps in its own folder to that one, and lists and coverage agree', async () => {
  const world = await startRecordingWorld();
  onTestFinished(() => world.close());
  const { session } = await world.recorded();
  await world.reconciler.look();
  const other = createReconciler({
    db: world.db,
    store: NO_STORE,
    clusterName: 'main',
    keys: [world.signer.publicKey],
    place: 'gateway-0123456789ab',
    isWriting: () => false,
    noted: async () => {},
    log: silentLog,
    now: world.now,
  });
  onTestFinished(() => other.close());

  await other.look();
  await other.lookAtAll();
  const known = await findRecording(world.db, session.id);
  const place = { place: 'gateway-0123456789ab', hasBucket: false };
  const states = createRecordingStates({ store: NO_STORE, keys: [], ...place, now: world.now });
  const told = await states.of({ ...session, connected: world.now(), ended: { at: world.now() } } as never, known);

  expect(known).toMatchObject({ state: 'complete', gap: '' });
  expect(await world.coverage()).toMatchObject({ sessions: 1, recorded: 1 });
  expect(told).toMatchObject({
    state: 'complete',
    playable: false,
    reason: expect.stringContaining('another gateway'),
  });
});
