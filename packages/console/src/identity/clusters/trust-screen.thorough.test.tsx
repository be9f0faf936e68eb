import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { EAST, HQ, KEY } from '../../../testing/fake-clusters.ts';
import { type FakeGateway, failure, fakeGateway } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const ROOTS = 'GET /v1/webapi/trustedcluster';
const PREVIEW = 'POST /v1/webapi/trustedcluster/map';
const SAVE = 'PUT /v1/webapi/trustedcluster/hq';
const TOKEN = '0f'.repeat(16);
const NOTHING = { roles: [], visitors: [], warnings: [] };

afterEach(closePage);

function withTrusts(): FakeGateway {
  const gateway = fakeGateway();
  gateway.answer(ROOTS, { body: [HQ] });
  gateway.answer('GET /v1/webapi/remoteclusters', { body: [EAST] });
  gateway.answer(PREVIEW, { body: NOTHING });
  return gateway;
}

/** What was sent last by this call. */
function lastBody(gateway: FakeGateway, call: string): Record<string, unknown> {
  return gateway.bodies[gateway.calls.lastIndexOf(call)] as Record<string, unknown>;
}

const entry = (side: 'remote' | 'local', number: number) =>
  screen.findByRole('textbox', {
    name: side === 'remote' ? `Role of the root in entry ${number}` : `Roles here in entry ${number}`,
  });
const effects = () => within(screen.getByRole('complementary', { name: 'What changes when you save' }));

test('roots and leaves are listed apart, and a leaf’s labels and removal are at hand', async () => {
  const gateway = withTrusts();
  await openPage('/web/trust', { gateway });

  const row = within((await screen.findByRole('button', { name: 'hq' })).closest('tr') as HTMLElement);
  expect(row.getByText('Connected')).toBeTruthy();
  expect(row.getByText('2 entries')).toBeTruthy();
  expect(row.getByText('7')).toBeTruthy();

  await userEvent.click(screen.getByRole('link', { name: /Leaves/ }));
  expect(await screen.findByText('region:')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Actions for east' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Remove' }));
  expect(await screen.findByRole('dialog', { name: 'Remove east?' })).toBeTruthy();
});

test('a map that is changed tells who gains and who loses before it is saved, and keeps the rest of its document', async () => {
  const gateway = withTrusts();
  const seen = '2026-11-15T03:00:00Z';
  const visitors = [
    ...['ann', 'bo', 'cem', 'dee', 'eva'].map((name) => ({
      ...{ name: `hq/${name}`, gains: ['staging'], loses: [], lastSeen: seen },
    })),
    { name: 'hq/petra', gains: [], loses: ['access'], lastSeen: seen },
  ];
  await openPage('/web/trust?open=hq', { gateway });
  await entry('local', 1);
  gateway.answer(PREVIEW, { body: { ...NOTHING, visitors } });

  await userEvent.type(await entry('local', 1), 'staging,');
  await userEvent.click(screen.getByRole('button', { name: 'Remove entry 2' }));

  expect(await effects().findByText('5 people')).toBeTruthy();
  expect(effects().getByText('hq/petra')).toBeTruthy();
  expect(effects().queryByText('hq/eva')).toBe(null);
  await userEvent.click(effects().getByRole('button', { name: 'Show' }));
  expect(effects().getByText('hq/eva')).toBeTruthy();
  expect(screen.getByText('2 unsaved changes')).toBeTruthy();
  expect(lastBody(gateway, PREVIEW)).toEqual({
    role_map: [{ remote: 'dev*', local: ['access', 'staging'] }],
    remote: [],
    trust: 'hq',
  });

  gateway.answer(SAVE, { body: { ...HQ, revision: 'r2' } });
  await userEvent.click(screen.getByRole('button', { name: 'Save map' }));

  expect(await screen.findByText('The trust in hq is saved.')).toBeTruthy();
  const { content, revision } = lastBody(gateway, SAVE) as { content: string; revision: string };
  expect(revision).toBe('r1');
  expect(content).toContain('local: [access, staging]');
  expect(content).not.toContain('contractor');
  expect(content).toContain('traits: [team]');
});

test('an entry that was taken out stands struck, and can be put back', async () => {
  const gateway = withTrusts();
  await openPage('/web/trust?open=hq', { gateway });
  await entry('remote', 2);

  await userEvent.click(screen.getByRole('button', { name: 'Remove entry 2' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Put contractor back' }));

  expect(((await entry('remote', 2)) as HTMLInputElement).value).toBe('contractor');
  expect(screen.queryByText(/unsaved/)).toBe(null);
});

test('a role of the root is tried: what it gives here, and by which entries', async () => {
  const gateway = withTrusts();
  await openPage('/web/trust?open=hq', { gateway });
  gateway.answer(PREVIEW, { body: { ...NOTHING, roles: [{ remote: 'devops', local: ['access'] }] } });

  await userEvent.type(await screen.findByRole('textbox', { name: 'Role at hq to try' }), 'devops');

  await waitFor(() => expect(lastBody(gateway, PREVIEW).remote).toEqual(['devops']));
  expect(await screen.findByText('by dev*')).toBeTruthy();
});

test('what the gateway warns of stands at the entry and among the effects, and what it refuses at its entry', async () => {
  const gateway = withTrusts();
  await openPage('/web/trust?open=hq', { gateway });
  await entry('remote', 1);
  const warning = "'*' is every role of the root, and 'editor' may change users here";
  gateway.answer(PREVIEW, { body: { ...NOTHING, warnings: [warning] } });

  await userEvent.click(screen.getByRole('button', { name: 'Add entry' }));
  await userEvent.type(await entry('remote', 3), '*');
  await userEvent.type(await entry('local', 3), 'editor,');

  await waitFor(() => expect(screen.getAllByText(`${warning}.`)).toHaveLength(2));

  const issues = [{ path: 'role_map.2.local.0', message: "there is no role 'nobody'" }];
  gateway.answer(PREVIEW, { status: 400, body: { ...failure('bad_request', 'faults'), fields: { issues } } });
  await userEvent.type(await entry('local', 3), 'nobody,');

  expect(await screen.findByText("There is no role 'nobody'.")).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Save map' }).getAttribute('aria-disabled')).toBe('true');
});

test('disabling says that sessions end, and is saved with the map', async () => {
  const gateway = withTrusts();
  gateway.answer(SAVE, { body: { ...HQ, revision: 'r2', enabled: false, status: 'disabled' } });
  await openPage('/web/trust?open=hq', { gateway });

  await userEvent.click(await screen.findByRole('switch', { name: 'Let people of hq in' }));
  expect(await screen.findByText('Nobody comes in any more.')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Save map' }));

  await waitFor(() => expect(gateway.calls).toContain(SAVE));
  expect(lastBody(gateway, SAVE).content).toContain('enabled: false');
});

test('a root is joined by the command it gave, pasted whole', async () => {
  const gateway = withTrusts();
  gateway.answer(ROOTS, { body: [] });
  gateway.answer('POST /v1/webapi/trustedcluster', () => {
    gateway.answer(ROOTS, { body: [HQ] });
    return { body: HQ };
  });
  await openPage('/web/trust', { gateway });
  await userEvent.click(await screen.findByRole('button', { name: 'Join a root' }));

  // Nothing is sent before it can work, and what is missing is said.
  await userEvent.click(await screen.findByRole('button', { name: 'Join a root' }));
  expect(await screen.findByText('Give it a name, such as hq.')).toBeTruthy();
  expect(screen.getByText('A token has 32 characters, 0 to 9 and a to f.')).toBeTruthy();
  expect(gateway.calls).not.toContain('POST /v1/webapi/trustedcluster');

  await userEvent.click(screen.getByRole('textbox', { name: /Command of the root/ }));
  await userEvent.paste(`gatehouse clusters join https://hq.example.com --token ${TOKEN} --root-key ${KEY}`);
  expect((screen.getByRole('textbox', { name: 'Name' }) as HTMLInputElement).value).toBe('hq');
  await userEvent.click(screen.getByRole('button', { name: 'Add entry' }));
  await userEvent.type(await entry('remote', 1), 'dev*');
  await userEvent.type(await entry('local', 1), 'access,');
  await userEvent.click(screen.getByRole('button', { name: 'Join a root' }));

  expect(await screen.findByText('This cluster joined hq.')).toBeTruthy();
  const { content } = lastBody(gateway, 'POST /v1/webapi/trustedcluster') as { content: string };
  for (const said of ['name: hq', TOKEN, 'https://hq.example.com', KEY, 'dev*', 'access'])
    expect(content).toContain(said);
  expect(content).not.toContain('ca_pin');
  await waitFor(() => expect(window.location.search).toBe('?open=hq'));
});

test('a root that only its fingerprint vouches for is joined by it, and one that is none is said before', async () => {
  const gateway = withTrusts();
  gateway.answer('POST /v1/webapi/trustedcluster', { body: HQ });
  const pin = 'ab:'.repeat(31).concat('ab');
  await openPage('/web/trust?do=join', { gateway });
  await userEvent.click(await screen.findByRole('textbox', { name: /Command of the root/ }));
  await userEvent.paste(
    `gatehouse clusters join https://hq.example.com --token ${TOKEN} --root-key ${KEY} --ca-pin ${pin}`,
  );
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: /Fingerprint of its certificate/ });
  expect(field.value).toBe(pin);
  await userEvent.type(field, 'x');
  await userEvent.click(screen.getByRole('button', { name: 'Join a root' }));
  expect(await screen.findByText(/64 hexadecimal characters/)).toBeTruthy();
  expect(gateway.calls).not.toContain('POST /v1/webapi/trustedcluster');
  await userEvent.type(field, '{Backspace}');
  await userEvent.click(screen.getByRole('button', { name: 'Join a root' }));

  expect(await screen.findByText('This cluster joined hq.')).toBeTruthy();
  const { content } = lastBody(gateway, 'POST /v1/webapi/trustedcluster') as { content: string };
  expect(content).toMatch(new RegExp(`ca_pin: "?${pin}`));
});

test('what the root or the gateway says against a join is shown, and nothing typed is lost', async () => {
  const gateway = withTrusts();
  gateway.answer('POST /v1/webapi/trustedcluster', {
    status: 400,
    body: failure('bad_request', "the root's key is SHA256:x, the command says SHA256:y: somebody is in between"),
  });
  await openPage('/web/trust?do=join', { gateway });
  await userEvent.click(await screen.findByRole('textbox', { name: /Command of the root/ }));
  await userEvent.paste(`gatehouse clusters join https://hq.example.com --token ${TOKEN} --root-key ${KEY}`);

  await userEvent.click(screen.getByRole('button', { name: 'Join a root' }));

  expect(await screen.findByText(/somebody is in between/)).toBeTruthy();
  expect((screen.getByRole('textbox', { name: 'Token' }) as HTMLInputElement).value).toBe(TOKEN);
});

test('a root is removed after its name was typed', async () => {
  const gateway = withTrusts();
  gateway.answer('DELETE /v1/webapi/trustedcluster/hq', () => {
    gateway.answer(ROOTS, { body: [] });
    return { body: { message: 'ok' } };
  });
  await openPage('/web/trust?open=hq', { gateway });

  await userEvent.click(await screen.findByRole('button', { name: 'Actions for hq' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Remove' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove the root hq?' }));
  await userEvent.type(dialog.getByRole('textbox'), 'hq');
  await userEvent.click(dialog.getByRole('button', { name: 'Remove' }));

  expect(await screen.findByText('hq was removed.')).toBeTruthy();
  expect(await screen.findByText('Nobody comes in here from another cluster')).toBeTruthy();
});
