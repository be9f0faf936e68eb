/** Who may share a folder with a desktop, for how long, and what a page that lies about it can do. */
import type { DesktopReply } from '@gatehouse/contract/sessions/desktop-frames';
import {
  BrokenMessage,
  type DirectoryAnswer,
  directoryAnnounce,
  directoryAnswer,
  readFromGateway,
} from '@gatehouse/contract/sessions/directory-messages';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type SessionOptions, sessionOptions } from '../../../access/session-options.ts';
import { HostedSession } from '../../../sessions/host/hosted-session.ts';
import type { JoinRule } from '../../../sessions/host/moderation.ts';
import type { Session } from '../../../sessions/host/session-store.ts';
import { DesktopViewer } from '../desktop-viewer.ts';
import type { DesktopLink } from '../engine/desktop-link.ts';
import type { FileUse, FolderShare } from '../engine/shared-folder.ts';
import { DesktopFolders } from './desktop-folders.ts';
import { MAX_SUMMED, SUMMED_MS } from './file-uses.ts';
import { type FolderTeller, MAX_TAKING_MS } from './folder-teller.ts';
import { MAX_ANSWER_MS } from './page-folder.ts';

const ALLOWED = { ...sessionOptions({ roles: [] }), directorySharing: true };
const RULE = { role: 'watched' } as unknown as JoinRule;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(options: SessionOptions = ALLOWED) {
  const nothing = () => {};
  const session = { id: 'one', user: 'ann', action: { kind: 'desktop' }, participants: ['ann'] } as unknown as Session;
  const hosted = new HostedSession({
    ...{ session, options, rules: [], now: () => 0, onEnd: nothing, onEnter: nothing, onLeave: nothing },
    ...{ onRemove: nothing, onConnected: nothing, onResize: nothing, onFlow: nothing },
  });
  const shares: FolderShare[] = [];
  const takenAway: string[] = [];
  const told: unknown[] = [];
  const link = {
    hasFolders: true,
    share(share: FolderShare) {
      shares.push(share);
      return () => takenAway.push(share.name);
    },
  };
  const tell: FolderTeller = {
    shared: ({ name }, error) => told.push(error === undefined ? ['shared', name] : ['refused', name, error]),
    used: (_folder, use: FileUse) => told.push(use),
    sent: nothing,
  };
  const folders = new DesktopFolders(hosted, () => link as unknown as DesktopLink, tell, undefined);
  const come = (mode: ParticipantMode = 'peer', username = 'ann', id = `page of ${username}`) => {
    const replies: DesktopReply[] = [];
    const asked: Uint8Array[] = [];
    const wire = {
      ...{ picture: nothing, unsent: () => 0, end: nothing },
      files: (bytes: Uint8Array) => void asked.push(bytes),
      tell: (reply: DesktopReply) => void replies.push(reply),
    };
    hosted.enter({ id, username, signInId: 'one', address: '', mode, onRemoved: nothing });
    const viewer = new DesktopViewer({ id, mode, wire, isOwners: username === 'ann' });
    return { viewer, replies, asked, question: () => readFromGateway(asked.at(-1)!) };
  };
  return { hosted, folders, link, shares, takenAway, told, come };
}

const ANNOUNCE = directoryAnnounce(2, 'Docs');

/** A folder is shared, and the host has it. */
function sharing() {
  const opened = open();
  const page = opened.come();
  opened.folders.hear(page.viewer, ANNOUNCE);
  const share = opened.shares[0]!;
  share.onTaken(true);
  const answer = (answered: DirectoryAnswer) => opened.folders.hear(page.viewer, directoryAnswer(answered));
  return { ...opened, ...page, share, answer };
}

test('a folder is shared when the host has taken it, and that is told', () => {
  const { folders, shares, told, come } = open();
  const { viewer, replies, question } = come();
  folders.hear(viewer, ANNOUNCE);
  expect(replies).toEqual([]);
  shares[0]!.onTaken(true);

  expect(question()).toEqual({ type: 'acknowledge', error: 0, directory: 2 });
  expect(replies).toEqual([{ type: 'shared', is: 'on', name: 'Docs' }]);
  expect(told).toEqual([['shared', 'Docs']]);
});

test('without desktop_directory_sharing none is shared, and one that is shared ends at once when the right is taken away', async () => {
  const refused = open({ ...ALLOWED, directorySharing: false });
  const page = refused.come();
  refused.folders.hear(page.viewer, ANNOUNCE);
  expect(page.replies).toEqual([expect.objectContaining({ type: 'shared', is: 'refused' })]);
  expect(refused.shares).toEqual([]);
  expect(refused.told).toEqual([['refused', 'Docs', expect.stringContaining('a role of yours')]]);

  const { hosted, folders, share, takenAway, replies } = sharing();
  const reading = expect(share.folder.read('a', 0, 5)).rejects.toMatchObject({ fault: 'gone' });
  hosted.options = { ...ALLOWED, directorySharing: false };
  expect(share.mayPass()).toBe(false);
  folders.reconsider();
  await reading;
  expect(takenAway).toEqual(['Docs']);
  expect(replies.at(-1)).toMatchObject({ type: 'shared', is: 'off', why: expect.stringContaining('a role of yours') });
  await expect(share.folder.read('a', 0, 5)).rejects.toMatchObject({ fault: 'gone' });
});

test('none is shared where a role asks for a moderator, and one that is ends when a role comes to', () => {
  const { hosted, folders, takenAway, come, shares, told } = open();
  vi.spyOn(hosted, 'rules', 'get').mockReturnValue([RULE]);
  const { viewer } = come();
  folders.hear(viewer, ANNOUNCE);
  expect(shares).toEqual([]);
  expect(told).toEqual([['refused', 'Docs', expect.stringContaining('moderator')]]);

  vi.spyOn(hosted, 'rules', 'get').mockReturnValue([]);
  folders.hear(viewer, ANNOUNCE);
  vi.spyOn(hosted, 'rules', 'get').mockReturnValue([RULE]);
  folders.reconsider();
  expect(takenAway).toEqual(['Docs']);
});

test('who only looks on, or whose session it is not, shares nothing', () => {
  const { folders, shares, come } = open();
  for (const { viewer, replies } of [come('observer'), come('peer', 'bob'), come('moderator', 'mo')]) {
    folders.hear(viewer, ANNOUNCE);
    expect(replies).toEqual([expect.objectContaining({ is: 'refused' })]);
  }
  expect(shares).toEqual([]);
});

test.each(['..', 'a/b', 'nul', '', 'a\\b'])('no drive is called %s', (name) => {
  const { folders, shares, come } = open();
  folders.hear(come().viewer, directoryAnnounce(2, name));
  expect(shares).toEqual([]);
});

test('one folder at a time; a second is refused and the first goes on', () => {
  const { folders, viewer, replies, takenAway, share } = sharing();
  folders.hear(viewer, ANNOUNCE);
  expect(replies.at(-1)).toMatchObject({ is: 'refused', why: expect.stringContaining('already') });
  expect(takenAway).toEqual([]);
  expect(share.mayPass()).toBe(true);
});

test('another page of theirs takes its place: the line of the first may be lost without anybody knowing', async () => {
  const { folders, come, replies, takenAway, shares, share } = sharing();
  const reading = expect(share.folder.read('a', 0, 5)).rejects.toMatchObject({ fault: 'gone' });
  const second = come('peer', 'ann', 'second page');
  folders.hear(second.viewer, ANNOUNCE);
  await reading;
  expect(takenAway).toEqual(['Docs']);
  expect(replies.at(-1)).toMatchObject({ is: 'off', why: expect.stringContaining('another page') });
  shares[1]!.onTaken(true);
  expect(second.replies).toEqual([{ type: 'shared', is: 'on', name: 'Docs' }]);
  expect([share.mayPass(), shares[1]!.mayPass()]).toEqual([false, true]);
});

test('who is told that they can share one can, and nobody else', () => {
  const { hosted, folders, link, come } = open();
  const pages = () => [come(), come('observer'), come('peer', 'bob')].map(({ viewer }) => folders.isFor(viewer));
  expect(pages()).toEqual([true, false, false]);
  link.hasFolders = false;
  expect(pages()).toEqual([false, false, false]);
  link.hasFolders = true;
  const rules = vi.spyOn(hosted, 'rules', 'get').mockReturnValue([RULE]);
  expect(pages()).toEqual([false, false, false]);
  rules.mockRestore();
  hosted.options = { ...ALLOWED, directorySharing: false };
  expect(pages()).toEqual([false, false, false]);
});

test('who did not share it neither ends it nor answers for it', async () => {
  const { folders, come, takenAway, share, answer } = sharing();
  for (const { viewer } of [come('observer', 'olga'), come('peer', 'bob'), come('moderator', 'mo')])
    folders.end(viewer);
  expect(takenAway).toEqual([]);
  const reading = share.folder.read('a', 0, 5);
  const other = come('peer', 'ben').viewer;
  folders.hear(other, directoryAnswer({ id: 1, error: 0, type: 'read', bytes: Uint8Array.of(6) }));
  answer({ id: 1, error: 0, type: 'read', bytes: Uint8Array.of(7) });
  expect([...(await reading)]).toEqual([7]);
});

test('a host that does not take it, or never answers, is told to the page and to the audit log', () => {
  const first = open();
  const page = first.come();
  first.folders.hear(page.viewer, ANNOUNCE);
  first.shares[0]!.onTaken(false);
  expect(page.replies).toEqual([expect.objectContaining({ is: 'refused' })]);
  expect(page.question()).toMatchObject({ error: 1 });

  first.folders.hear(page.viewer, ANNOUNCE);
  vi.advanceTimersByTime(MAX_TAKING_MS);
  expect(first.takenAway).toEqual(['Docs', 'Docs']);
  expect(first.told).toHaveLength(2);
});

test('a question is answered by its own page, and what it gives is passed on', async () => {
  const { share, question, answer, folders, come } = sharing();
  const info = share.folder.info('sub/a.txt');
  const asked = question();
  expect(asked).toEqual({ type: 'request', request: { id: 1, directory: 2, type: 'info', path: 'sub/a.txt' } });
  const file = { path: 'sub/a.txt', modified: 5, size: 7, isDirectory: false, isEmpty: false };
  const other = come('peer', 'bob');
  folders.hear(other.viewer, directoryAnswer({ id: 1, error: 0, type: 'info', file: { ...file, size: 9 } }));
  answer({ id: 1, error: 0, type: 'info', file });

  expect(await info).toEqual({ name: 'a.txt', modified: 5, size: 7, isDirectory: false, isEmpty: false });
});

test('answers to nothing are passed over; one to another question is no message', async () => {
  const { share, answer } = sharing();
  answer({ id: 99, error: 0, type: 'delete' });
  const reading = share.folder.read('a', 0, 5);
  expect(() => answer({ id: 1, error: 0, type: 'delete' })).toThrow(BrokenMessage);
  answer({ id: 1, error: 0, type: 'read', bytes: Uint8Array.of(1) });
  answer({ id: 1, error: 0, type: 'read', bytes: Uint8Array.of(2) });
  expect([...(await reading)]).toEqual([1]);
});

test('a page that does not answer is not waited for, and may answer later in vain', async () => {
  const { share, answer } = sharing();
  const reading = expect(share.folder.read('a', 0, 5)).rejects.toMatchObject({ fault: 'late' });
  await vi.advanceTimersByTimeAsync(MAX_ANSWER_MS);
  await reading;
  answer({ id: 1, error: 0, type: 'read', bytes: Uint8Array.of(1) });
});

test.each([
  [1, 'failed'],
  [2, 'absent'],
  [3, 'exists'],
  [77, 'failed'],
])('the error %d of a page is %s', async (error, fault) => {
  const { share, answer } = sharing();
  const removing = expect(share.folder.remove('a')).rejects.toMatchObject({ fault });
  answer({ id: 1, error, type: 'delete' });
  await removing;
});

test('a message of a page cut at any byte ends nothing but its page', () => {
  const { folders, viewer, share } = sharing();
  void share.folder.list('').catch(() => {});
  const file = { path: 'a', modified: 5, size: 7, isDirectory: false, isEmpty: false };
  const whole = directoryAnswer({ id: 1, error: 0, type: 'list', files: [file, file] });
  for (let at = 0; at < whole.length; at += 1)
    expect(() => folders.hear(viewer, whole.subarray(0, at))).toThrow(BrokenMessage);
  expect(share.mayPass()).toBe(true);
});

test('what nobody asked for is not even read: it may be long, and there may be much of it', () => {
  const { folders, viewer, share } = sharing();
  const unasked = Uint8Array.of(26, 0, 0, 0, 99, ...Array(20).fill(0xff));
  expect(() => folders.hear(viewer, unasked)).not.toThrow();
  void share.folder.list('').catch(() => {});
  unasked[4] = 1;
  expect(() => folders.hear(viewer, unasked)).toThrow(BrokenMessage);
});

test('it ends with one word of the page, with the page, and with the session', () => {
  for (const end of ['word', 'session'] as const) {
    const { folders, viewer, takenAway, replies, share } = sharing();
    if (end === 'word') folders.end(viewer);
    else folders.close();
    expect(takenAway).toEqual(['Docs']);
    expect(replies.at(-1)).toEqual({ type: 'shared', is: 'off', name: 'Docs' });
    expect(share.mayPass()).toBe(false);
  }
});

test('while the session is held up nothing is read or written', () => {
  const { hosted, share } = sharing();
  hosted.suspend(true);
  expect(share.mayPass()).toBe(false);
  hosted.suspend(false);
  expect(share.mayPass()).toBe(true);
});

test('what is done with a file is told once a second, and what is left when it ends', () => {
  const { share, told, folders, viewer } = sharing();
  told.length = 0;
  share.onUse({ what: 'read', path: 'a', offset: 10, length: 10 });
  share.onUse({ what: 'read', path: 'a', offset: 0, length: 10 });
  share.onUse({ what: 'write', path: 'a', offset: 0, length: 1 });
  share.onUse({ what: 'read', path: 'a', offset: 20, length: 0, error: 'no' });
  expect(told).toEqual([]);
  vi.advanceTimersByTime(SUMMED_MS);
  expect(told).toEqual([
    { what: 'read', path: 'a', offset: 0, length: 20 },
    { what: 'write', path: 'a', offset: 0, length: 1 },
    { what: 'read', path: 'a', offset: 20, length: 0, error: 'no' },
  ]);
  share.onUse({ what: 'write', path: 'b', offset: 0, length: 4 });
  folders.end(viewer);
  expect(told.at(-1)).toEqual({ what: 'write', path: 'b', offset: 0, length: 4 });
});

test('a host that uses more files in a second than are told of waits for the next', async () => {
  const { share, told } = sharing();
  told.length = 0;
  for (let at = 0; at < MAX_SUMMED; at += 1) share.onUse({ what: 'read', path: `f${at}`, offset: 0, length: 1 });
  let passed = 0;
  const pass = () => {
    passed += 1;
  };
  void share.turn({ what: 'read', path: 'one more' }).then(pass);
  void share.turn({ what: 'write', path: 'f1' }).then(pass);
  await share.turn({ what: 'read', path: 'f1' });
  expect(passed).toBe(0);
  await vi.advanceTimersByTimeAsync(SUMMED_MS);
  expect([told.length, passed]).toEqual([MAX_SUMMED, 2]);
});
