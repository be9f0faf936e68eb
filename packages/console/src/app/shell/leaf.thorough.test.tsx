import { emptyAcl, encodeAcl } from '@gatehouse/contract/access/acl';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { CLUSTER, failure, fakeGateway } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const LEAF_CONTEXT = 'GET /v1/webapi/sites/east/context';
const ALL = { list: true, read: true, edit: true, create: true, remove: true };

afterEach(closePage);

/** A root with one leaf, in which its visitor sees servers and nothing else. */
function withLeaf() {
  const gateway = fakeGateway();
  const east = { ...CLUSTER, name: 'east', leaf: true };
  gateway.answer('GET /v1/webapi/sites', { body: [CLUSTER, east] });
  gateway.answer(LEAF_CONTEXT, {
    body: {
      authType: 'local',
      userName: 'one/maya',
      userAcl: encodeAcl({ ...emptyAcl(), nodes: ALL, tokens: ALL }),
      cluster: east,
    },
  });
  gateway.answer('GET /v1/webapi/sites/east/nodes', { body: { items: [], startKey: '', totalCount: 0 } });
  gateway.answer('GET /v1/webapi/sites/east/alerts', { body: { alerts: [] } });
  return gateway;
}

const navigation = async () => within(await screen.findByRole('navigation', { name: 'Main' }));
const picker = () => screen.findByRole('button', { name: /Switch cluster/ });

test('pages of a leaf show what somebody has there, and what is this gateway’s own besides', async () => {
  const gateway = withLeaf();
  await openPage('/web/cluster/east/nodes', { gateway });

  const entries = await navigation();
  expect((await entries.findByRole('link', { name: /Servers/ })).getAttribute('href')).toBe('/web/cluster/east/nodes');
  expect(entries.queryByRole('link', { name: /Databases/ })).toBe(null);
  expect(entries.getByRole('link', { name: /Users/ })).toBeTruthy();
  expect((await picker()).textContent).toContain('east');
  // Whoever joins by a token made here does not join the leaf.
  expect(screen.queryByRole('button', { name: /Add server/ })).toBe(null);
  // It is their name here that they are signed in by.
  expect(screen.getByRole('button', { name: /maya/ }).textContent).not.toContain('one/');
  expect(gateway.calls.filter((call) => /sites\/(one|-current-)\/(nodes|databases)/.test(call))).toEqual([]);
});

test('a page that the leaf does not let them see says so, though this gateway would', async () => {
  await openPage('/web/cluster/east/databases', { gateway: withLeaf() });

  expect(await screen.findByRole('heading', { name: 'Access Denied' })).toBeTruthy();
});

test('the leaf that was looked at last is where the next visit begins', async () => {
  const gateway = withLeaf();
  await openPage('/web/cluster/east/nodes', { gateway });
  await picker();
  await waitFor(() => expect(localStorage.getItem('cluster')).toBe('east'));

  await openPage('/web', { gateway });

  await waitFor(() => expect(window.location.pathname).toBe('/web/cluster/east/nodes'));
  await openPage('/web/support', { gateway });
  expect((await (await navigation()).findByRole('link', { name: /Servers/ })).getAttribute('href')).toBe(
    '/web/cluster/east/nodes',
  );
  await openPage('/web/users', { gateway });
  expect((await picker()).textContent).toContain('one');
});

test('one that is gone is forgotten with one line', async () => {
  localStorage.setItem('cluster', 'east');
  const gateway = withLeaf();
  gateway.answer(LEAF_CONTEXT, { status: 404, body: failure('not_found', "there is no cluster 'east'") });
  await openPage('/web', { gateway });

  expect(await screen.findByText('You are back in one')).toBeTruthy();
  expect(screen.getByText('There is no cluster east, or none of your roles shows it.')).toBeTruthy();
  await waitFor(() => expect(window.location.pathname).toBe('/web/cluster/one/nodes'));
  expect(localStorage.getItem('cluster')).toBe(null);
});

test('a page of a leaf that is away says so in its place, and leads home', async () => {
  const gateway = withLeaf();
  const words = "'east' is not connected since 13:52:07";
  gateway.answer(LEAF_CONTEXT, { status: 504, body: failure('unreachable', words) });
  await openPage('/web/cluster/east/nodes', { gateway });

  expect(await screen.findByRole('heading', { name: 'You cannot look at east now' })).toBeTruthy();
  expect(screen.getByText(`${words}.`)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Go to one' }));
  await waitFor(() => expect(window.location.pathname).toBe('/web/cluster/one/nodes'));
});

test('switching keeps the screen where the other cluster has it', async () => {
  const gateway = withLeaf();
  await openPage('/web/cluster/one/nodes', { gateway });

  await userEvent.click(await picker());
  await userEvent.click(await screen.findByRole('menuitemradio', { name: /east/ }));

  await waitFor(() => expect(window.location.pathname).toBe('/web/cluster/east/nodes'));
  await waitFor(() => expect(gateway.calls).toContain(LEAF_CONTEXT));
  await waitFor(() =>
    expect(gateway.calls.some((call) => call.startsWith('GET /v1/webapi/sites/east/nodes'))).toBe(true),
  );
});

test('what changes in a leaf is asked for again while one looks at it, and no word of it signs anybody out', async () => {
  const gateway = withLeaf();
  const { sockets, went } = await openPage('/web/cluster/east/nodes', { gateway });
  await picker();
  const line = await waitFor(() => {
    const found = sockets.find(({ path }) => path === '/v1/webapi/sites/east/changes');
    if (!found) throw new Error('nobody listens to the leaf');
    return found;
  });
  const asked = (what: string) =>
    gateway.calls.filter((call) => call.startsWith(`GET /v1/webapi/sites/east/${what}`)).length;
  await waitFor(() => expect(asked('nodes')).toBeGreaterThan(0));
  line.open();
  expect(line.sent).toEqual([{ type: 'hello', token: expect.any(String) }]);
  line.hear({ type: 'ready' });
  const before = { nodes: asked('nodes'), context: asked('context') };
  // A leaf that cries without end makes nobody ask without end.
  for (let time = 0; time < 50; time++) for (const type of ['resources', 'user', 'alerts']) line.hear({ type });
  line.hear({ type: 'ended', reason: 'ended_by_administrator' });
  line.hear({ type: 'headless' });

  await waitFor(() => expect(asked('nodes')).toBeGreaterThan(before.nodes));
  await waitFor(() => expect(asked('context')).toBeGreaterThan(before.context));
  expect(asked('nodes') - before.nodes).toBeLessThan(5);
  expect(await picker()).toBeTruthy();
  expect(went).toEqual([]);
  await userEvent.click(await picker());
  await userEvent.click(await screen.findByRole('menuitemradio', { name: /one/ }));
  await waitFor(() => expect(line.isClosed).toBe(true));
});
