/** Who sees what of a desktop by VNC, where each page is greeted by itself. */
import { expect, test } from 'vitest';
import { MiB, openFakePaged } from '../../../testing/desktop/fake-desktop.ts';

test('by VNC every page is greeted by itself, whenever it comes', () => {
  const { desktop, link, come } = openFakePaged();
  const [first, second] = [come('peer'), come('observer', 'bob')];
  link.show('picture');
  desktop.hear(first.viewer, Buffer.from('typed'));
  desktop.hear(second.viewer, Buffer.from('typed'));

  expect([first.page.pictures, second.page.pictures]).toEqual([
    ['greeting', 'picture'],
    ['greeting', 'picture'],
  ]);
  expect(link.pages.map(({ heard }) => heard)).toEqual([['driver true typed'], ['peer false typed']]);
  desktop.detach(first.viewer);
  expect(link.pages.map(({ isClosed }) => isClosed)).toEqual([true, false]);
});

test('by VNC the clipboard of the host is for the owner alone', () => {
  const { link, come } = openFakePaged();
  const [owner, helping] = [come('peer'), come('peer', 'bob')];
  link.show('copied', true);

  expect([owner.page.pictures, helping.page.pictures]).toEqual([['greeting', 'copied'], ['greeting']]);
});

test('by VNC nothing is shown while it is held up, and then every page begins anew', () => {
  const { hosted, link, come } = openFakePaged();
  const { page } = come('peer');
  hosted.session.begun = 0;
  hosted.suspend(true);
  link.show('hidden');
  expect([page.pictures, link.pages[0]?.isClosed]).toEqual([['greeting'], true]);

  hosted.suspend(false);
  link.show('shown');
  expect(page.pictures).toEqual(['greeting', 'greeting', 'shown']);
  expect(page.told.filter(({ type }) => type === 'segment')).toHaveLength(2);
});

test('by VNC who looks on and takes nothing misses pictures, and is greeted anew when they take them', () => {
  const { link, come } = openFakePaged();
  come('peer');
  const slow = come('observer', 'bob').page;
  slow.lying = 5 * MiB;
  link.show('a');
  link.draw(Buffer.from('a'));
  expect(link.isPaused).toBe(false);

  slow.take();
  link.show('b');
  expect(slow.pictures).toEqual(['greeting', 'greeting', 'b']);
});
