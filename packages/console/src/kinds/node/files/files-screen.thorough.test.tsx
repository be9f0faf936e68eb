import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { failure, fakeGateway, node } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

const PAGE = '/web/cluster/one/files/s-1/root';
const FILES = '/v1/webapi/sites/one/files';
const LIST = `GET ${FILES}/f-1/list`;

afterEach(closePage);

const entry = (name: string, over: object = {}) => ({
  ...{ name, type: 'file', size: 10, modified: 0, mode: 0o644, owner: 'root', group: 'root' },
  ...over,
});
const listing = (...entries: object[]) => ({ body: { path: '/root', entries, complete: true } });
const shownNames = () =>
  [...document.querySelectorAll<HTMLElement>('[data-file]')].map(({ textContent }) => textContent);

test('folders come first, hidden files only when they are wanted, and hostile names are harmless', async () => {
  const gateway = fakeGateway();
  gateway.answer(
    LIST,
    listing(entry('b10'), entry('b9'), entry('.profile'), entry('a\u202egnp.exe'), entry('zoo', { type: 'folder' })),
  );
  await openPage(PAGE, { gateway });

  await screen.findByText('b9');
  expect(shownNames()).toEqual(['zoo', 'a\\u{202e}gnp.exe', 'b9', 'b10']);
  await userEvent.click(screen.getByRole('button', { name: 'More' }));
  await userEvent.click(screen.getByRole('menuitem', { name: /Show hidden files/ }));

  expect(shownNames()).toContain('.profile');
});

test('the server is told by its name, though the address has its id', async () => {
  const gateway = fakeGateway();
  gateway.answer(LIST, listing(entry('a')));
  gateway.answer('GET /v1/webapi/sites/one/nodes/s-1', { body: node('web-01') });
  await openPage(PAGE, { gateway });

  expect(await screen.findByText('root@web-01')).toBeTruthy();
});

test('what is selected is deleted together, after a question', async () => {
  const gateway = fakeGateway();
  gateway.answer(LIST, listing(entry('one'), entry('two'), entry('three')));
  gateway.answer(`POST ${FILES}/f-1/delete`, { body: { removed: 2 } });
  await openPage(PAGE, { gateway });

  await userEvent.click(await screen.findByRole('checkbox', { name: 'Select one' }));
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select two' }));
  await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
  const dialog = await screen.findByRole('dialog', { name: 'Delete 2 files and folders?' });
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));

  const at = gateway.calls.indexOf(`POST ${FILES}/f-1/delete`);
  expect(gateway.bodies[at]).toEqual({ paths: ['/root/one', '/root/two'], recursive: true });
});

test('what is typed right behind F2 is the new name, without waiting for a frame', async () => {
  const gateway = fakeGateway();
  gateway.answer(LIST, listing(entry('by-keys.txt')));
  await openPage(PAGE, { gateway });
  const row = (await screen.findByText('by-keys.txt')).closest('tr');
  row?.focus();

  fireEvent.keyDown(row as HTMLElement, { key: 'F2' });

  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'New name of by-keys.txt' });
  expect(document.activeElement).toBe(field);
  expect([field.selectionStart, field.selectionEnd]).toEqual([0, 'by-keys'.length]);
});

test('a menu that gives the focus back late does not end the new name that was asked for by it, and whoever goes on ends it', async () => {
  const gateway = fakeGateway();
  gateway.answer(LIST, listing(entry('slow.txt')));
  await openPage(PAGE, { gateway });
  const actions = await screen.findByRole('button', { name: 'Actions for slow.txt' });
  await userEvent.click(actions);
  await userEvent.click(await screen.findByRole('menuitem', { name: /^Rename/ }));
  const field = await screen.findByRole('textbox', { name: 'New name of slow.txt' });
  const later = performance.now() + 60_000;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => later);
  onTestFinished(() => clock.mockRestore());

  actions.focus();

  await waitFor(() => expect(document.activeElement).toBe(field));
  await userEvent.tab();
  await waitFor(() => expect(screen.queryByRole('textbox', { name: 'New name of slow.txt' })).toBe(null));
});

test('somebody who may not is told why, and can try again', async () => {
  const gateway = fakeGateway();
  const message = 'a role of yours does not let files be copied';
  gateway.answer(`POST ${FILES}`, { status: 403, body: failure('denied', message) });
  await openPage(PAGE, { gateway });

  expect(await screen.findByRole('heading', { name: 'These files are not for you' })).toBeTruthy();
  expect(screen.getByText('A role of yours does not let files be copied.')).toBeTruthy();
  gateway.answer(`POST ${FILES}`, {
    body: { id: 'f-1', server: { id: 's-1', name: 's-1' }, login: 'root', home: '/root' },
  });
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));

  expect(await screen.findByText('This folder is empty')).toBeTruthy();
});

test('a second factor is asked for where a role wants one', async () => {
  const gateway = fakeGateway();
  gateway.answer(`POST ${FILES}`, { status: 403, body: failure('mfa_required', 'a second factor is needed') });
  gateway.answer('POST /v1/webapi/mfa/authenticatechallenge', {
    body: { webauthn_challenge: null, totp_challenge: true },
  });
  await openPage(PAGE, { gateway });

  const dialog = await screen.findByRole('dialog', { name: 'Confirm that it is you' });
  gateway.answer(`POST ${FILES}`, {
    body: { id: 'f-1', server: { id: 's-1', name: 's-1' }, login: 'root', home: '/root' },
  });
  await userEvent.type(within(dialog).getByRole('textbox'), '123456');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Confirm' }));

  expect(await screen.findByText('This folder is empty')).toBeTruthy();
  expect(gateway.bodies[gateway.calls.lastIndexOf(`POST ${FILES}`)]).toEqual({
    ...{ server: 's-1', login: 'root', factor: { code: '123456' } },
  });
});

test('a folder that is not all listed says so', async () => {
  const gateway = fakeGateway();
  gateway.answer(LIST, { body: { path: '/root', entries: [entry('one')], complete: false } });
  await openPage(PAGE, { gateway });

  expect(await screen.findByText('This folder holds more than the 1 that are shown here.')).toBeTruthy();
});

test('hidden files are shown from where they are told of', async () => {
  const gateway = fakeGateway();
  gateway.answer(LIST, listing(entry('.profile'), entry('.bashrc')));
  await openPage(PAGE, { gateway });

  await userEvent.click(await screen.findByRole('button', { name: 'Show them' }));
  expect(shownNames()).toEqual(['.bashrc', '.profile']);
  await userEvent.click(screen.getByRole('button', { name: 'More' }));
  await userEvent.click(screen.getByRole('menuitem', { name: /Show hidden files/ }));
  await userEvent.click(await screen.findByRole('button', { name: '2 hidden' }));
  expect(shownNames()).toEqual(['.bashrc', '.profile']);
});

test('where to go is typed in place of where one is', async () => {
  const gateway = fakeGateway();
  gateway.answer(LIST, listing());
  await openPage(PAGE, { gateway });

  await userEvent.click(await screen.findByRole('button', { name: 'More' }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Go to a folder' }));
  const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Path' });
  await waitFor(() => expect([field.selectionStart, field.selectionEnd]).toEqual([0, '/root'.length]));
});

test('the path of a file can be copied; only what may be text is offered to be edited', async () => {
  const gateway = fakeGateway();
  gateway.answer(
    LIST,
    listing(
      entry('notes'),
      entry('disk.IMG'),
      entry('huge.log', { size: 300_000_000 }),
      entry('sub', { type: 'folder' }),
    ),
  );
  const user = userEvent.setup();
  await openPage(PAGE, { gateway });
  const offered = async (name: string) => {
    await user.click(await screen.findByRole('button', { name: `Actions for ${name}` }));
    const words = (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent);
    await user.keyboard('{Escape}');
    return words.filter((word) => /Edit|Copy/.test(word ?? ''));
  };

  expect(await offered('notes')).toEqual(['Edit text', 'Copy path']);
  for (const name of ['disk.IMG', 'huge.log', 'sub']) expect(await offered(name)).toEqual(['Copy path']);
  await user.click(await screen.findByRole('button', { name: 'Actions for disk.IMG' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Copy path' }));
  expect(await screen.findByText('Copied /root/disk.IMG')).toBeTruthy();
  expect(await navigator.clipboard.readText()).toBe('/root/disk.IMG');
});
