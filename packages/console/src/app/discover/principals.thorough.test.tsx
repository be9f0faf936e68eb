/** Whom somebody may be on what they have enrolled: added by themselves where they may, otherwise with words for whom to ask. */
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway, fullAcl, node } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';
import { hearUsage, stopHearing, type Usage } from '../../platform/telemetry/usage.ts';

afterEach(async () => {
  stopHearing();
  await closePage();
  sessionStorage.clear();
});

const SITE = '/v1/webapi/sites/one';
const WHAT_IF = 'POST /v1/webapi/sites/-current-/access/what-if';
const WEB = node('web-1', { addr: '10.0.0.5:22' });
const REFUSED = {
  ...{ allowed: false, sentence: 'you have no login there', user: 'maya', roles: ['access'], asked: 'connect' },
  reasons: [],
  missing: [
    {
      ...{ type: 'empty-trait', role: 'access', field: 'logins', trait: 'logins', names: [] },
      sentence: 'the role access takes logins from a trait that is empty',
    },
  ],
  change: [{ type: 'fill-trait', trait: 'logins', sentence: "give 'maya' a login" }],
  ...{ rolesThatWould: ['oncall'], names: [] },
};
const EXTENT = { users: { gained: 1, lost: 0 }, resources: { gained: 1, lost: 0 }, names: { gained: 1, lost: 0 } };

async function open(gateway = fakeGateway()) {
  gateway.answer(`GET ${SITE}/nodes/${WEB.id}`, { body: WEB });
  gateway.answer(`POST ${SITE}/access/explain`, { body: REFUSED });
  const items = [
    { user: 'ann', roles: ['oncall'], by: ['oncall'], names: [], locked: false },
    { user: 'bo', roles: ['auditor', 'oncall', 'ops'], by: ['oncall', 'ops'], names: [], locked: false },
  ];
  const resource = { kind: 'node', id: WEB.id, name: 'web-1', labels: [] };
  gateway.answer(`POST ${SITE}/access/who`, { body: { items, startKey: '', totalCount: 2, resource } });
  gateway.answer(WHAT_IF, {
    body: {
      ...{ items: [], startKey: '', totalCount: 0, total: EXTENT, kinds: [{ kind: 'node', ...EXTENT }] },
      ...{ rights: { users: 0, items: [] }, hiddenUsers: 0 },
    },
  });
  await openPage(`/web/discover?flow=server&step=principals&id=${WEB.id}`, { gateway });
  const main = within(await screen.findByRole('main'));
  await main.findByRole('heading', { name: 'Logins on web-1' });
  return { gateway, main, user: userEvent.setup() };
}
const sent = (gateway: ReturnType<typeof fakeGateway>, call: string) => gateway.bodies[gateway.calls.indexOf(call)];

test('a login is added to the own user, beside those that are there, and what the gateway refuses is said', async () => {
  const { gateway, main, user } = await open();
  const record = { name: 'maya', roles: ['access'], traits: { logins: ['old'] }, revision: 'r-1' };
  const whole = { ...record, authType: 'local', allTraits: {}, origin: '' };
  gateway.answer('GET /v1/webapi/users/maya', { body: whole });
  gateway.answer('PUT /v1/webapi/users', {
    status: 403,
    body: failure('denied', 'you may not give more than you have'),
  });

  await user.type(await main.findByLabelText(/^Add a login/), ' root ');
  await user.click(main.getByRole('button', { name: 'Add to your logins' }));
  expect(await main.findByText('You may not give more than you have.')).toBeTruthy();
  expect(sent(gateway, 'PUT /v1/webapi/users')).toMatchObject({
    name: 'maya',
    roles: ['access'],
    traits: { logins: ['old', 'root'] },
  });

  gateway.answer('PUT /v1/webapi/users', { body: whole });
  gateway.answer(`POST ${SITE}/access/explain`, {
    body: { ...REFUSED, allowed: true, missing: [], names: [{ field: 'logins', names: ['root'] }] },
  });
  await user.click(main.getByRole('button', { name: 'Add to your logins' }));
  expect(await main.findByText('root')).toBeTruthy();
  expect(main.queryByText(/send this to somebody/i)).toBe(null);
});

test('who may be somebody there already can be given another name, where a role takes names from the own user', async () => {
  const { gateway, main, user } = await open();
  const record = { name: 'maya', roles: ['access'], traits: { logins: ['old'] }, revision: 'r-1' };
  const whole = { ...record, authType: 'local', allTraits: {}, origin: '' };
  gateway.answer('GET /v1/webapi/users/maya', { body: whole });
  const allowed = { ...REFUSED, allowed: true, missing: [], change: [], names: [{ field: 'logins', names: ['old'] }] };
  const ask = async (answer: object) => {
    gateway.answer(`POST ${SITE}/access/explain`, { body: answer });
    gateway.answer('PUT /v1/webapi/users', { body: whole });
    await user.click(main.getByRole('button', { name: 'Add to your logins' }));
    await main.findByText('old');
  };
  await user.type(await main.findByLabelText(/^Add a login/), 'old');
  await ask({ ...allowed, fromTraits: [{ field: 'logins', trait: 'logins' }] });

  expect(main.queryByLabelText(/^Add a login/)).toBe(null);
  await user.click(await main.findByRole('button', { name: 'Another login' }));
  await user.keyboard('admin');
  expect(main.getByLabelText<HTMLInputElement>(/^Add a login/).value).toBe('admin');

  await ask(allowed);
  await waitFor(() => expect(main.queryByLabelText(/^Add a login/)).toBe(null));
  expect(main.queryByRole('button', { name: 'Another login' })).toBe(null);
});

test('roles that reach it are counted, and what one that would do changes is said', async () => {
  const { gateway, main } = await open();

  expect((await main.findByText('ops')).closest('li')?.textContent).toBe('ops 1 person');
  expect(main.queryByText('auditor')).toBe(null);
  expect(main.getAllByText('oncall')[0]?.closest('li')?.textContent).toBe('oncall 2 people');
  const give = within(await main.findByRole('region', { name: 'Give a role access' }));
  expect(give.getByLabelText<HTMLSelectElement>('A role that would let you in').value).toBe('oncall');
  await waitFor(() =>
    expect(sent(gateway, WHAT_IF)).toMatchObject({
      change: { type: 'change-users', names: ['maya'], add: ['oncall'] },
    }),
  );
});

async function openDone(gateway: ReturnType<typeof fakeGateway>, labels: readonly object[]) {
  const resource = { kind: 'node', id: WEB.id, name: 'web-1', labels };
  gateway.answer(`POST ${SITE}/access/explain`, { body: { ...REFUSED, resource } });
  const row = (name: string, asked: string) => ({
    ...{ id: `role:${name}`, kind: 'role', name, revision: 'r-1' },
    content: `kind: role\nversion: v6\nmetadata:\n  name: ${name}\nspec:\n  allow:\n    node_labels: ${asked}\n`,
  });
  const roles = [row('all', "{ '*': '*' }"), row('oncall', '{ env: [prod] }'), row('strict', '{ team: x }')];
  gateway.answer('GET /v1/webapi/roles', { body: roles });
  gateway.answer('GET /v1/webapi/users', { body: [] });
  gateway.answer(`GET ${SITE}/nodes/${WEB.id}`, { body: WEB });
  gateway.answer(WHAT_IF, {
    body: {
      ...{ items: [], startKey: '', totalCount: 0, total: EXTENT, kinds: [{ kind: 'node', ...EXTENT }] },
      ...{ rights: { users: 0, items: [] }, hiddenUsers: 0 },
    },
  });
  await openPage(`/web/discover?flow=server&step=done&id=${WEB.id}`, { gateway });
  const main = within(await screen.findByRole('main'));
  return {
    main,
    user: userEvent.setup(),
    give: within(await main.findByRole('region', { name: 'Give a role access' })),
  };
}

test('at the end a role is let reach it: what changes is said, and its editor opens with that change in it', async () => {
  const gateway = fakeGateway();
  const { user, give } = await openDone(gateway, [{ name: 'env', value: 'dev' }]);

  const role = await give.findByLabelText<HTMLSelectElement>('Role');
  expect(role.value).toBe('oncall');
  await waitFor(() => expect(sent(gateway, WHAT_IF)).toMatchObject({ change: { type: 'save-role' } }));
  const { change } = sent(gateway, WHAT_IF) as { change: { content: string } };
  expect(change.content).toMatch(/node_labels: \{ env: \[ ?prod, dev ?\] \}/);
  await user.selectOptions(role, 'strict');
  expect(give.getByText(/strict asks for labels that this one does not have: team/)).toBeTruthy();
  await user.selectOptions(role, 'all');
  expect(give.getByText(/all takes its labels already/)).toBeTruthy();
  expect(give.getByRole('button', { name: 'Open all' })).toBeTruthy();

  await user.selectOptions(role, 'oncall');
  await user.click(give.getByRole('button', { name: 'Open oncall with this change' }));
  expect(await screen.findByRole('heading', { name: /oncall/ })).toBeTruthy();
  expect(window.location.search).toBe('?open=oncall');
  expect((await screen.findAllByText(/1 unsaved/)).length).toBeGreaterThan(0);
});

test('at the end a new role begins with its labels; labels that are patterns go into none', async () => {
  const labels = [
    { name: 'env', value: 'dev' },
    { name: 'team', value: '*' },
  ];
  const { user, give } = await openDone(fakeGateway(), labels);

  await user.selectOptions(await give.findByLabelText('Role'), 'A new role');
  expect(give.getByText(/reach what is labelled env=dev, and nothing else/)).toBeTruthy();
  await user.click(give.getByRole('button', { name: 'Open the new role' }));
  expect(await screen.findByLabelText('Values of env')).toBeTruthy();
  expect(screen.queryByLabelText('Values of team')).toBe(null);
});

test('who may not change users is told what to ask for, and is offered nothing that would be refused', async () => {
  const acl = fullAcl();
  const none = { ...acl.users, list: false, read: false, edit: false };
  const { main, gateway } = await open(fakeGateway({ ...acl, users: none }));

  expect(await main.findByText(/Send this to somebody who manages users and roles here/)).toBeTruthy();
  expect(main.getByText("maya would like to connect to web-1: give 'maya' a login")).toBeTruthy();
  expect(main.queryByLabelText(/^Add a login/)).toBe(null);
  expect(main.queryByRole('region', { name: 'Give a role access' })).toBe(null);
  expect(gateway.calls).not.toContain(`POST ${SITE}/access/who`);
});

test('each step of a run is told under one id: what failed, what was skipped, what was left', async () => {
  const heard: Usage[] = [];
  hearUsage((usage) => heard.push(usage));
  const told = () =>
    heard.flatMap(({ said }) =>
      'eventData' in said && said.event.startsWith('tp.ui.discover.')
        ? [
            {
              event: said.event.slice('tp.ui.discover.'.length),
              ...(said.eventData as { id: string; stepStatus: string }),
            },
          ]
        : [],
    );
  const gateway = fakeGateway();
  gateway.answer('POST /v1/webapi/token', { status: 403, body: failure('denied', 'you may not make tokens') });
  await openPage('/web/discover?flow=server&step=describe', { gateway });
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText(/^Labels/), 'env=prod,');
  await user.click(screen.getByRole('button', { name: 'Make the command' }));
  await screen.findByText('You may not make tokens.');
  await user.click(screen.getByRole('button', { name: 'Choose something else' }));
  await user.click(await screen.findByRole('button', { name: 'Leave' }));
  await screen.findByRole('heading', { name: 'What do you want to reach?' });

  expect(told().map(({ event, stepStatus }) => `${event} ${stepStatus.slice('DISCOVER_STATUS_'.length)}`)).toEqual([
    'started SUCCESS',
    'resourceSelection SUCCESS',
    'deployService ERROR',
    'resourceSelection ABORTED',
  ]);
  expect(new Set(told().map(({ id }) => id)).size).toBe(1);
});
