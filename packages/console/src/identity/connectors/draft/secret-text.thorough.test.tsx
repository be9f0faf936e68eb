import { EditorView } from '@codemirror/view';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OKTA } from '../../../../testing/fake-connectors.ts';
import { failure, fakeGateway } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

const CHECK = 'POST /v1/webapi/sso/check';
const UPDATE = 'PUT /v1/webapi/oidc/okta';
const DOTS = '••••••••';

beforeEach(() => {
  // happy-dom lays nothing out, and the editor asks where its text stands.
  Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
});
afterEach(async () => {
  await closePage();
  vi.restoreAllMocks();
});

async function open() {
  const page = await openPage('/web/sso/oidc/okta', { gateway: fakeGateway() });
  const editor = await waitFor(() => {
    const content = document.querySelector('[data-editor]')?.shadowRoot?.querySelector<HTMLElement>('.cm-content');
    const view = content && EditorView.findFromDOM(content);
    if (!view) throw new Error('the editor is not there yet');
    return view;
  });
  const secret = await screen.findByLabelText<HTMLInputElement>('Client secret');
  return { ...page, editor, secret, user: userEvent.setup() };
}

function replace(editor: EditorView, before: string, after: string): void {
  const from = editor.state.doc.toString().indexOf(before);
  act(() => editor.dispatch({ changes: { from, to: from + before.length, insert: after } }));
}

/** happy-dom lets no event out of a shadow root: the page hears of it at the element that holds it. */
const leave = () => fireEvent.blur(document.querySelector('[data-editor]') as HTMLElement);

const lastSent = (gateway: ReturnType<typeof fakeGateway>, call: string) =>
  (gateway.bodies[gateway.calls.lastIndexOf(call)] as { content?: string } | undefined)?.content;

test('a secret typed into the form is not written out in the text, nor copied, and is sent', async () => {
  const { user, editor, secret, gateway } = await open();
  const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await user.type(secret, 'hush-hush');

  await waitFor(() => expect(editor.state.doc.toString()).toContain(`client_secret: ${DOTS}`));
  expect(editor.state.doc.toString()).not.toContain('hush');
  expect(secret.value).toBe('hush-hush');
  await waitFor(() => expect(lastSent(gateway, CHECK)).toContain('hush-hush'));
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(copied.mock.lastCall?.[0]).toContain(`client_secret: ${DOTS}`);
  expect(copied.mock.lastCall?.[0]).not.toContain('hush');
});

test('changes to other lines of the text leave a hidden secret as it is', async () => {
  const { user, editor, secret, gateway } = await open();
  await user.type(secret, 'hush-hush');
  await waitFor(() => expect(editor.state.doc.toString()).toContain(DOTS));
  replace(editor, 'display: Okta', 'display: Corporate');
  leave();

  expect(secret.value).toBe('hush-hush');
  gateway.answer(UPDATE, { body: { ...OKTA, revision: 'okta-2' } });
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await user.click(await screen.findByRole('button', { name: 'Save connector' }));
  await waitFor(() => expect(lastSent(gateway, UPDATE)).toContain('client_secret: "hush-hush"'));
  expect(lastSent(gateway, UPDATE)).toContain('display: Corporate');
});

test('a secret typed into the text goes into the field, and is hidden once the text is left', async () => {
  const { editor, secret, gateway } = await open();
  replace(editor, '  client_id: c-1\n', '  client_id: c-1\n  client_secret: from the text\n');
  expect(secret.value).toBe('from the text');
  leave();

  await waitFor(() => expect(editor.state.doc.toString()).toContain(`client_secret: ${DOTS}`));
  expect(secret.value).toBe('from the text');
  replace(editor, DOTS, 'another one');
  leave();
  await waitFor(() => expect(editor.state.doc.toString()).toContain(`client_secret: ${DOTS}`));
  expect(secret.value).toBe('another one');
  await waitFor(() => expect(lastSent(gateway, CHECK)).toContain('client_secret: "another one"'));
});

test('a text that cannot be read is not copied: it may hold a secret', async () => {
  const { editor } = await open();
  replace(editor, 'client_id: c-1', 'client_secret: "half');

  await waitFor(() => expect(screen.getByRole('button', { name: 'Copy' }).getAttribute('aria-disabled')).toBe('true'));
});

test('somebody who was quicker is compared with a text that hides the secret', async () => {
  const { user, editor, secret, gateway } = await open();
  await user.type(secret, 'hush-hush');
  await waitFor(() => expect(editor.state.doc.toString()).toContain(DOTS));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  gateway.answer(UPDATE, { status: 412, body: failure('compare_failed', 'changed meanwhile') });
  gateway.answer('GET /v1/webapi/oidc', {
    body: [{ ...OKTA, content: OKTA.content.replace('display: Okta', 'display: Oktopus'), revision: 'okta-2' }],
  });
  await user.click(await screen.findByRole('button', { name: 'Save connector' }));

  await screen.findByRole('dialog', { name: 'okta was changed by two people' });
  expect(document.body.textContent).not.toContain('hush');
  gateway.answer(UPDATE, { body: { ...OKTA, revision: 'okta-3' } });
  await user.click(screen.getByRole('button', { name: 'Keep both' }));
  await user.click(screen.getByRole('button', { name: 'Save connector' }));
  await waitFor(() => expect(lastSent(gateway, UPDATE)).toContain('Oktopus'));
  expect(lastSent(gateway, UPDATE)).toContain('hush-hush');
});
