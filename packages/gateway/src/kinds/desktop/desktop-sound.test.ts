import { expect, test } from 'vitest';
import { DesktopSound } from './desktop-sound.ts';
import { DesktopViewer, type DesktopWire } from './desktop-viewer.ts';

function page(id: string) {
  const heard: Uint8Array[] = [];
  const wire = {
    ...{ picture() {}, files() {}, tell() {}, end() {} },
    unsent: () => page.lying,
    sound: (bytes) => heard.push(bytes),
  } satisfies DesktopWire;
  return { heard, viewer: new DesktopViewer({ id, mode: 'peer', wire, isOwners: true }) };
}
page.lying = 0;

test('only who asked for it hears what is played, for as long as they may look on and keep up', () => {
  const mayNot = new Set<string>();
  const sound = new DesktopSound({ mayWatch: (id) => !mayNot.has(id) }, () => {});
  const [ann, bob] = [page('ann'), page('bob')];
  const play = () => sound.played({ channels: 2, rate: 44_100, samples: Buffer.from([1, 2, 3, 4]) });
  play();
  sound.want(ann.viewer, true);
  play();
  expect([ann.heard, bob.heard]).toEqual([[Buffer.from([2, 0x44, 0xac, 0, 0, 1, 2, 3, 4])], []]);

  // As where the session is frozen, or waits for a moderator.
  mayNot.add('ann');
  play();
  mayNot.clear();
  page.lying = 1_000_000;
  play();
  page.lying = 0;
  sound.want(ann.viewer, false);
  play();
  sound.want(ann.viewer, true);
  sound.leave(ann.viewer);
  play();
  expect(ann.heard).toHaveLength(1);
});
