/** Who sees and moves what in a session with a desktop: the connection to the host is one that only notes what it is told. */
import { directoryAnnounce } from '@gatehouse/contract/sessions/directory-messages';
import { expect, test, vi } from 'vitest';
import { CLICK, LAST_OF_GREETING, MiB, openFake as open } from '../../../testing/desktop/fake-desktop.ts';
import { clientShareData, DATA } from './engine/rdp/pdu.ts';
import { QUIET_MS, REST_EVERY_MS, STALLED_MS } from './host-pace.ts';

const NOT_LAST_OF_GREETING = clientShareData(1004, 1003, 0x1_0000, DATA.synchronize, Buffer.alloc(4));
const settle = () => vi.waitFor(() => undefined);

test('the first page greets the host, and is sent all that the host says from the first byte', () => {
  const { desktop, link, connect, come } = open();
  connect();
  const { page, viewer } = come('peer');
  expect(page.told.at(-1)).toEqual({ type: 'segment', width: 800, height: 600 });

  link.draw(Buffer.from('welcome'));
  desktop.hear(viewer, LAST_OF_GREETING);
  desktop.hear(viewer, CLICK);
  link.draw(Buffer.from('picture'));

  expect(page.pictures).toEqual(['welcome', 'picture']);
  expect(link.heard.map(({ from, mayType }) => [from, mayType])).toEqual([
    ['driver', false],
    ['driver', true],
  ]);
});

test('bytes of a page may be cut anywhere, and nothing of two pages is mixed', () => {
  const { desktop, link, begun, come } = open();
  const first = begun();
  const second = come('peer', 'bob');
  desktop.hear(first.viewer, CLICK.subarray(0, 3));
  desktop.hear(second.viewer, CLICK.subarray(0, 5));
  desktop.hear(first.viewer, CLICK.subarray(3));

  expect(link.heard.at(-1)?.bytes).toEqual(CLICK);
});

test('who comes later is sent the whole screen first; what their client says in its handshake goes nowhere', async () => {
  const { desktop, link, begun, come } = open();
  begun();
  link.draw(Buffer.from('a'));
  const { page, viewer } = come('peer', 'bob');
  await settle();
  link.draw(Buffer.from('b'));
  const before = link.heard.length;
  desktop.hear(viewer, LAST_OF_GREETING);
  expect(link.heard).toHaveLength(before);
  desktop.hear(viewer, CLICK);

  expect(page.pictures).toEqual(['screen of a', 'b']);
  expect(link.heard.at(-1)).toMatchObject({ from: 'peer', mayType: true });
});

test('who comes later sees nothing of a session that is held up while its screen is drawn for them', async () => {
  const { hosted, link, begun, come } = open();
  begun();
  hosted.session.begun = 0;
  link.draw(Buffer.from('a'));
  const { page } = come('peer', 'bob');
  hosted.suspend(true);
  await settle();
  expect(page.pictures).toEqual([]);

  hosted.suspend(false);
  await settle();
  expect(page.pictures).toEqual(['screen of a']);
});

test('where the size changes and who made the handshake is gone, another answers the host', async () => {
  const { desktop, link, begun, come } = open();
  const first = begun();
  const { page, viewer } = come('peer', 'bob');
  await settle();
  desktop.hear(viewer, LAST_OF_GREETING);
  desktop.detach(first.viewer);
  link.draw(Buffer.from('wider'));
  expect(page.told.at(-1)).toEqual({ type: 'segment', width: 900, height: 600 });
  const before = link.heard.length;
  desktop.hear(viewer, LAST_OF_GREETING);

  expect(link.heard.slice(before)).toEqual([{ bytes: LAST_OF_GREETING, from: 'driver', mayType: false }]);
});

test.each(['observer', 'moderator', 'peer'] as const)(
  'a guest (%s) who begins to answer the host does not hold up whose session it is',
  async (mode) => {
    const { desktop, link, begun, come } = open();
    const first = begun();
    const watching = come(mode, 'bob');
    await settle();
    desktop.hear(watching.viewer, LAST_OF_GREETING);
    desktop.detach(first.viewer);
    link.draw(Buffer.from('wider'));
    desktop.hear(watching.viewer, NOT_LAST_OF_GREETING);
    const back = come('peer');
    await settle();
    const before = link.heard.length;
    desktop.hear(back.viewer, LAST_OF_GREETING);

    expect(link.heard.slice(before)).toEqual([{ bytes: LAST_OF_GREETING, from: 'driver', mayType: false }]);
    desktop.hear(watching.viewer, LAST_OF_GREETING);
    expect(link.heard.slice(before)).toHaveLength(1);
  },
);

test('who looks on moves nothing', async () => {
  const { desktop, link, begun, come } = open();
  begun();
  const { viewer } = come('observer', 'bob');
  await settle();
  desktop.hear(viewer, LAST_OF_GREETING);
  desktop.hear(viewer, CLICK);

  expect(link.heard.filter(({ mayType }) => mayType)).toEqual([]);
});

test('while it is held up nothing is moved nor shown, and then everybody sees all of the screen again', async () => {
  const { desktop, hosted, link, begun } = open();
  const { page, viewer } = begun();
  hosted.session.begun = 0;
  hosted.suspend(true);
  link.draw(Buffer.from('hidden'));
  desktop.hear(viewer, CLICK);
  expect(page.pictures).toEqual([]);
  expect(link.heard.at(-1)?.mayType).toBe(false);

  hosted.suspend(false);
  await settle();
  expect(page.pictures).toEqual(['screen of hidden']);
});

test('the host is not read while who works there takes nothing', () => {
  const { link, begun } = open();
  const { page } = begun();
  page.lying = 5 * MiB;
  link.draw(Buffer.from('much'));
  expect(link.isPaused).toBe(true);

  page.take();
  expect(link.isPaused).toBe(false);
});

test('what a page is asked about its folder is waited for as pictures are', () => {
  const { desktop, link, begun } = open();
  const { page, viewer } = begun();
  page.lying = 5 * MiB;
  link.draw(Buffer.from('much'));
  desktop.folders.hear(viewer, directoryAnnounce(2, 'Docs'));
  expect([link.isPaused, page.asked.length]).toEqual([true, 1]);

  page.take();
  expect(link.isPaused).toBe(false);
});

test('who looks on and takes nothing holds up nobody, and is shown the screen when they take it', async () => {
  const { link, begun, come } = open();
  begun();
  const slow = come('observer', 'bob').page;
  await settle();
  slow.lying = 5 * MiB;
  link.draw(Buffer.from('a'));
  link.draw(Buffer.from('b'));
  expect(link.isPaused).toBe(false);

  slow.take();
  await settle();
  expect(slow.pictures).toEqual(['screen of ', 'screen of a b']);
});

test('a page that goes away in the middle of the handshake ends what it began', () => {
  const { desktop, hosted, connect, come } = open();
  connect();
  const { viewer } = come('peer');
  desktop.detach(viewer);

  expect(hosted.end).toMatchObject({ cause: 'closed' });
});

test('one that goes away later ends nothing, and the host draws nothing for nobody', async () => {
  const { desktop, hosted, link, begun, come } = open();
  const { viewer } = begun();
  desktop.detach(viewer);
  expect(hosted.end).toBeUndefined();
  expect(link.isSuppressed).toBe(true);

  const { page } = come('peer');
  await settle();
  expect(link.isSuppressed).toBe(false);
  expect(page.pictures).toEqual(['screen of ']);
});

test('its end closes the host and tells everybody why', () => {
  const { hosted, link, begun } = open();
  const { page } = begun();
  hosted.finish({ cause: 'locked', message: 'the user is locked' });
  link.draw(Buffer.from('late'));

  expect(link.isClosed).toBe(true);
  expect(page.ended).toMatchObject({ cause: 'locked' });
  expect(page.pictures).toEqual([]);
});

test('what the host says as it leaves is the end of the session', () => {
  const { hosted, link, begun } = open();
  begun();
  link.end({ cause: 'closed', message: 'another connection took the desktop over' });

  expect(hosted.end).toEqual({ cause: 'exited', message: 'another connection took the desktop over' });
});

test('what passes by the clipboard is told by its length alone; what did not pass is told to the page alone', () => {
  const { hosted, link, begun, copied } = open();
  const { page } = begun();
  link.copy({ direction: 'send', length: 12 });
  link.copy({ direction: 'receive', length: 2 * MiB, refused: 'too long' });

  expect(copied).toEqual([{ direction: 'send', length: 12 }]);
  expect(page.told.filter(({ type }) => type === 'clipboard')).toEqual([
    { type: 'clipboard', direction: 'send', length: 12 },
    { type: 'clipboard', direction: 'receive', length: 2 * MiB, refused: 'too long' },
  ]);
  hosted.tellTerms({} as never);
  expect(link.mayCopy).toBe(false);
});

test('who goes on in the place of the first has channels again, and nobody else hears what is said on them', async () => {
  const { desktop, link, come, begun } = open();
  const first = begun();
  link.draw(Buffer.from('one'));
  desktop.detach(first.viewer);
  const [second, third] = [come('peer'), come('peer', 'bob')];
  await vi.waitFor(() => expect(third.page.pictures).toEqual(['screen of one']));
  desktop.hear(third.viewer, LAST_OF_GREETING);
  desktop.hear(second.viewer, LAST_OF_GREETING);
  desktop.hear(second.viewer, CLICK);
  link.say(Buffer.from('copied'));

  expect(second.page.pictures).toEqual(['screen of one', 'channels', 'copied']);
  expect(third.page.pictures).toEqual(['screen of one']);
});

test('who looks on answers a host that waits, and has no channels by that', async () => {
  const { desktop, link, begun, come } = open();
  const first = begun();
  const watching = come('observer', 'bob');
  await settle();
  desktop.hear(watching.viewer, LAST_OF_GREETING);
  desktop.detach(first.viewer);
  link.draw(Buffer.from('wider'));
  const before = link.heard.length;
  desktop.hear(watching.viewer, LAST_OF_GREETING);
  desktop.hear(watching.viewer, CLICK);
  link.say(Buffer.from('copied'));

  expect(link.heard.slice(before).map(({ from, mayType }) => [from, mayType])).toEqual([
    ['driver', false],
    ['peer', false],
  ]);
  expect(watching.page.pictures).toEqual(['screen of ', 'wider']);
});

test("a colleague who types there while its owner is away hears nothing of the owner's clipboard", async () => {
  const { desktop, link, begun, come } = open();
  const first = begun();
  const helping = come('peer', 'bob');
  await settle();
  desktop.hear(helping.viewer, LAST_OF_GREETING);
  desktop.detach(first.viewer);
  desktop.hear(helping.viewer, CLICK);
  link.say(Buffer.from('copied'));

  expect(link.heard.at(-1)).toMatchObject({ from: 'peer', mayType: true });
  expect(helping.page.pictures).toEqual(['screen of ']);
});

test('a colleague who is there first does not greet the host: its owner does', () => {
  const { connect, come } = open();
  const [helping, owner] = [come('peer', 'bob'), come('peer')];
  connect();

  const segments = ({ page }: typeof owner) => page.told.filter(({ type }) => type === 'segment');
  expect([segments(helping), segments(owner)]).toMatchObject([[], [{ type: 'segment' }]]);
});

test('who hides their page and types is drawn, and for a while after that: nothing they do goes unrecorded', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const { desktop, link, begun } = open();
    const { viewer } = begun();
    desktop.hide(viewer, true);
    expect(link.isSuppressed).toBe(true);
    desktop.hear(viewer, CLICK);
    expect(link.isSuppressed).toBe(false);
    desktop.hide(viewer, true);
    expect(link.isSuppressed).toBe(false);
    vi.advanceTimersByTime(QUIET_MS);
    expect(link.isSuppressed).toBe(true);

    desktop.hear(viewer, CLICK);
    desktop.detach(viewer);
    expect(link.isSuppressed).toBe(false);
    vi.advanceTimersByTime(QUIET_MS);
    expect(link.isSuppressed).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('a page that looks away and back without end wakes the host once a second at most', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const { desktop, link, begun } = open();
    const { viewer } = begun();
    for (let times = 0; times < 500; times += 1) {
      desktop.hide(viewer, true);
      desktop.hide(viewer, false);
    }
    expect(link.wakings).toBe(1);
    desktop.hide(viewer, true);
    expect(link.isSuppressed).toBe(false);
    vi.advanceTimersByTime(REST_EVERY_MS);
    expect(link.isSuppressed).toBe(true);
    desktop.hide(viewer, false);
    expect([link.isSuppressed, link.wakings]).toEqual([false, 2]);
  } finally {
    vi.useRealTimers();
  }
});

test('a colleague who takes nothing holds up nobody, whatever they may do there', async () => {
  const { link, begun, come } = open();
  begun();
  const slow = come('peer', 'bob').page;
  await settle();
  slow.lying = 5 * MiB;
  link.draw(Buffer.from('a'));
  link.draw(Buffer.from('b'));
  expect(link.isPaused).toBe(false);
});

test('who takes no picture for long types nothing either: nobody would see it', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const { desktop, link, begun } = open();
    const { page, viewer } = begun();
    page.lying = 5 * MiB;
    link.draw(Buffer.from('much'));
    page.lying = 3 * MiB;
    desktop.hear(viewer, CLICK);
    expect(link.heard.at(-1)?.mayType).toBe(true);
    vi.advanceTimersByTime(STALLED_MS);
    desktop.hear(viewer, CLICK);
    expect(link.heard.at(-1)?.mayType).toBe(false);
    page.take();
    desktop.hear(viewer, CLICK);
    expect(link.heard.at(-1)?.mayType).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
