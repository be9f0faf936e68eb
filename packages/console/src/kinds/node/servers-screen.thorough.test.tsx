import { emptyAcl } from '@gatehouse/contract/access/acl';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { failure, fakeGateway, fullAcl, listNodes, NODES, node } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(async () => {
  vi.restoreAllMocks();
  await closePage();
});

const LIST = 'GET /v1/webapi/sites/one/nodes';
const PATH = '/web/cluster/one/nodes';
const rows = () => screen.getAllByRole('row').slice(1);
const names = () => rows().map((row) => row.querySelector('td')?.textContent);

async function open(path = PATH, gateway = fakeGateway()) {
  const page = await openPage(path, { gateway });
  await screen.findByRole('heading', { name: 'Servers' });
  return { ...page, user: userEvent.setup() };
}

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => node(`host-${String(index).padStart(5, '0')}`));

test('the list tells name, address or the way through an agent, labels and the way in', async () => {
  await open();

  expect(await screen.findByRole('row', { name: /vault-01.*10\.0\.0\.9:22.*env:.*dev.*No login/ })).toBeTruthy();
  expect(screen.getByRole('row', { name: /web-02.*Through its agent.*never used.*Connect/ })).toBeTruthy();
  expect(screen.getByRole('grid', { name: 'Servers' }).getAttribute('aria-rowcount')).toBe('4');
  expect(screen.getByText('3 you can reach')).toBeTruthy();
  const link = screen.getByRole('link', { name: 'Connect to web-01 as deploy' });
  expect(link.getAttribute('href')).toBe('/web/cluster/one/console/node/id-web-01/deploy');
  expect(link.getAttribute('target')).toBe('_blank');
});

test('a label in the table filters, joins what is searched for, and can be taken back', async () => {
  const { user } = await open(`${PATH}?search=web`);
  await waitFor(() => expect(names()).toEqual(['web-01', 'web-02']));
  const before = window.history.length;

  await user.click(within(rows()[0]!).getByRole('button', { name: /env/ }));
  await waitFor(() =>
    expect(new URLSearchParams(window.location.search).get('query')).toBe('labels["env"] == "prod" && search("web")'),
  );

  expect(window.history.length).toBe(before + 1);
  expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('web');
  expect(screen.getByRole('button', { name: 'Remove env: prod' })).toBeTruthy();
  expect(await screen.findByText('3 you can reach, 2 shown')).toBeTruthy();
});

test('a filter in the address is shown as chips and words, and can be cleared', async () => {
  const query = encodeURIComponent('labels["env"] == "dev"');
  const { user } = await open(`${PATH}?query=${query}`);
  await waitFor(() => expect(names()).toEqual(['vault-01']));

  await user.click(screen.getByRole('button', { name: 'Remove env: dev' }));

  await waitFor(() => expect(names()).toHaveLength(3));
  expect(window.location.search).toBe('');
});

test('a query is asked for when it can be read; until then its fault is shown with its place', async () => {
  const { user, gateway } = await open();
  await screen.findByRole('row', { name: /web-01/ });
  const asked = () => gateway.calls.filter((call) => call.includes('query='));

  await user.type(screen.getByRole('searchbox'), 'labels[["env"] == ');
  expect(await screen.findByText(/This query ends at character 17/)).toBeTruthy();
  expect(asked().join()).toBe('');
  expect(names()).toHaveLength(3);
  await user.type(screen.getByRole('searchbox'), '"dev"');

  await waitFor(() => expect(names()).toEqual(['vault-01']));
  expect(screen.queryByText(/This query/)).toBe(null);
});

test('the list is narrowed to a state, in the address, and shows everything again', async () => {
  const gateway = fakeGateway();
  const down = node('web-09', { addr: '10.0.0.8:22' });
  const nodes = [...NODES, { ...down, gatehouse: { ...down.gatehouse!, status: 'unreachable' as const } }];
  gateway.answer(
    LIST,
    listNodes(() => nodes),
  );
  const { user } = await open(PATH, gateway);
  await waitFor(() => expect(names()).toHaveLength(4));

  await user.click(screen.getByRole('button', { name: '1 unreachable' }));
  await waitFor(() => expect(names()).toEqual(['web-09']));
  expect(window.location.search).toBe('?status=unreachable');
  expect(await screen.findByText('4 you can reach, 1 shown')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: '1 unreachable', pressed: true }));

  await waitFor(() => expect(names()).toHaveLength(4));
  expect(screen.getByRole('link', { name: 'Servers' }).textContent).toBe('Servers14');
});

test('nothing that fits says so and offers to clear the filter', async () => {
  const { user } = await open(`${PATH}?search=zzz`);

  expect(await screen.findByRole('heading', { name: 'No server fits this filter' })).toBeTruthy();
  expect(await screen.findByText('3 servers are hidden by it.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Clear filter' }));

  await waitFor(() => expect(names()).toHaveLength(3));
});

test('sorting lives in the address and is the gateway’s', async () => {
  const { user, gateway } = await open();
  await screen.findByRole('row', { name: /web-01/ });

  await user.click(screen.getByRole('button', { name: 'Name' }));

  await waitFor(() => expect(window.location.search).toBe('?sort=hostname%3Adesc'));
  await waitFor(() => expect(names()).toEqual(['web-02', 'web-01', 'vault-01']));
  expect(gateway.calls.at(-1)).toContain('sort=hostname%3Adesc');
});

test('a long list is fetched where one looks, from the nearest known place', async () => {
  const gateway = fakeGateway();
  const fleet = many(5_000);
  gateway.answer(
    LIST,
    listNodes(() => fleet),
  );
  const { user } = await open(PATH, gateway);
  await screen.findByRole('row', { name: /host-00003/ });

  await user.keyboard('j{End}');
  expect(await screen.findByRole('row', { name: /host-04999/ })).toBeTruthy();
  expect(document.activeElement?.textContent).toContain('host-04999');
  const far = new URLSearchParams(gateway.calls.at(-1)?.split('?')[1]);
  expect(far.get('startKey')).toBe('100');
  expect(Number(far.get('skip')) % 100).toBe(0);
  expect(gateway.calls.filter((call) => call.startsWith(LIST)).length).toBeLessThan(6);
  expect(rows().length).toBeLessThan(80);
  await user.keyboard('{Home}');

  expect(document.activeElement?.textContent).toContain('host-00000');
});

test('a server that joins appears by itself, is marked, and moves nothing', async () => {
  const gateway = fakeGateway();
  let nodes = many(300);
  gateway.answer(
    LIST,
    listNodes(() => nodes),
  );
  const { sockets } = await open(PATH, gateway);
  await screen.findByRole('row', { name: /host-00003/ });

  nodes = [node('host-00002b'), ...nodes];
  sockets[0]?.hear({ type: 'resources' });

  const row = await screen.findByRole('row', { name: /host-00002b/ });
  expect(row.dataset.new).toBe('true');
  expect(screen.getByText('301 you can reach')).toBeTruthy();
});

test('Enter connects as Connect does; L chooses a login: the one used last first, found by typing, and remembered', async () => {
  const { user } = await open();
  await screen.findByRole('row', { name: /web-01/ });
  const opened: string[] = [];
  document.addEventListener('click', (event) => {
    const { target } = event;
    const link = target instanceof Element ? target.closest('a[target=_blank]') : null;
    if (link) opened.push(link.getAttribute('href') ?? '');
    if (link) event.preventDefault();
  });

  await user.keyboard('jj{Enter}');
  expect(opened.splice(0)).toEqual(['/web/cluster/one/console/node/id-web-01/deploy']);
  expect(screen.queryByRole('combobox', { name: 'Login' })).toBe(null);
  await user.keyboard('l');
  const field = await screen.findByRole('combobox', { name: 'Login' });
  expect(document.activeElement).toBe(field);
  expect(screen.getAllByRole('option').map((option) => option.querySelector('code')?.textContent)).toEqual([
    'deploy',
    'root',
  ]);
  await user.keyboard('{ArrowDown}{Enter}');
  expect(opened).toEqual(['/web/cluster/one/console/node/id-web-01/root']);
  expect(screen.queryByRole('combobox', { name: 'Login' })).toBe(null);

  expect(await screen.findByRole('link', { name: 'Connect to web-01 as root' })).toBeTruthy();
  expect(document.activeElement?.closest('[data-index]')?.textContent).toContain('web-01');
  await user.keyboard('{ArrowDown}{Enter}adm in');
  expect(await screen.findByText(/A login has no spaces/)).toBeTruthy();
  await user.keyboard('{Escape}{Enter}admin{Enter}');

  expect(opened.at(-1)).toBe('/web/cluster/one/console/node/id-web-02/admin');
});

test('a login one does not have, or none at all, says so and leads to the reason', async () => {
  const { user, gateway } = await open();
  gateway.answer('POST /v1/webapi/sites/-current-/access/explain', {
    body: {
      allowed: false,
      sentence: '',
      user: 'maya',
      roles: ['access'],
      asked: 'see',
      reasons: [],
      change: [],
      rolesThatWould: [],
      names: [],
    },
  });
  await user.click(await screen.findByRole('button', { name: 'No login' }));
  expect(await screen.findByText(/None of your roles gives you a login here/)).toBeTruthy();

  await user.click(screen.getByRole('button', { name: 'Why?' }));
  expect(await screen.findByText('No role of theirs allows it.')).toBeTruthy();
  expect(gateway.bodies.at(-1)).toEqual({ user: 'maya', kind: 'node', resource: 'id-vault-01', anyName: true });
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Choose a login for web-01' }));
  await user.keyboard('oracle');

  expect(await screen.findByText(/You cannot use oracle on web-01/)).toBeTruthy();
});

test('quick connect completes names and opens the terminal', async () => {
  const tab = vi.spyOn(window, 'open').mockReturnValue({} as Window);
  const { user, gateway } = await open();
  await screen.findByRole('row', { name: /web-01/ });

  await user.keyboard('@');
  await user.keyboard('root@web');
  expect((await screen.findAllByRole('option')).map((option) => option.textContent)).toEqual([
    'web-01root',
    'web-02root',
  ]);
  await user.keyboard('{ArrowDown}{Enter}');
  expect(tab.mock.calls.at(-1)?.[0]).toBe('/web/cluster/one/console/node/id-web-01/root');

  gateway.answer('GET /v1/webapi/sites/one/nodes/nope', { status: 404, body: failure('not_found', 'no') });
  await user.keyboard('nope{Enter}');
  expect(await screen.findByText('No server that you can see is called nope.')).toBeTruthy();
  await user.keyboard('{Escape}oracle@web-01');
  await screen.findByRole('option', { name: /web-01/ });
  await user.keyboard('{Enter}');

  expect(await screen.findByText(/You cannot use oracle on web-01/)).toBeTruthy();
  expect(tab).toHaveBeenCalledTimes(1);
});

test('what quick connect lists can be taken while more is asked for, and only where it fits the word', async () => {
  const tab = vi.spyOn(window, 'open').mockReturnValue({} as Window);
  const gateway = fakeGateway();
  const answer = gateway.fetch;
  const unanswered: string[] = [];
  gateway.fetch = (input, init) => {
    const word = new URL(String(input), window.location.origin).searchParams.get('search');
    if (word !== 'web-01' && word !== 'zz') return answer(input, init);
    unanswered.push(word);
    return new Promise(() => {});
  };
  const { user } = await open(PATH, gateway);
  await screen.findByRole('row', { name: /web-01/ });

  await user.keyboard('@');
  await user.keyboard('root@web');
  await screen.findByRole('option', { name: /web-02/ });
  await user.keyboard('-01');
  await waitFor(() => expect(unanswered).toEqual(['web-01']));
  expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual(['web-01root']);
  await user.keyboard('{Enter}');
  expect(tab.mock.calls.at(-1)?.[0]).toBe('/web/cluster/one/console/node/id-web-01/root');

  await user.keyboard('root@zz');
  await waitFor(() => expect(unanswered).toEqual(['web-01', 'zz']));
  expect(screen.queryByRole('option')).toBeNull();
});

test('a name that several servers have is not guessed: they are listed to choose from', async () => {
  const tab = vi.spyOn(window, 'open').mockReturnValue({} as Window);
  const gateway = fakeGateway();
  const twins = [node('twin', { addr: '10.0.0.1:22' }), { ...node('twin', { addr: '10.0.0.2:22' }), id: 'other' }];
  gateway.answer(
    LIST,
    listNodes(() => twins),
  );
  gateway.answer('GET /v1/webapi/sites/one/nodes/twin', { status: 409, body: failure('conflict', 'several') });
  const { user } = await open(PATH, gateway);
  await screen.findByText('2 you can reach');

  await user.keyboard('@');
  await user.keyboard('twin');
  await screen.findByRole('option', { name: /10\.0\.0\.2/ });
  await user.keyboard('{Enter}');
  expect(await screen.findByText(/Several servers are called twin/)).toBeTruthy();
  expect(tab).not.toHaveBeenCalled();
  await user.click(screen.getByRole('option', { name: /10\.0\.0\.2/ }));

  expect(tab.mock.calls.at(-1)?.[0]).toBe('/web/cluster/one/console/node/other/root');
});

test('the palette finds servers and connects as somebody', async () => {
  const tab = vi.spyOn(window, 'open').mockReturnValue({} as Window);
  const { user } = await open();
  await screen.findByRole('row', { name: /web-01/ });

  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox', { name: 'Search or jump to' }), 'root@web-01');
  expect(await screen.findByRole('option', { name: /web-01.*Connect as root/ })).toBeTruthy();
  await user.keyboard('{Enter}');

  expect(tab.mock.calls.at(-1)?.[0]).toBe('/web/cluster/one/console/node/id-web-01/root');
});

test('without servers it leads those who may to adding one, and tells the others whom to ask', async () => {
  const empty = fakeGateway();
  empty.answer(
    LIST,
    listNodes(() => []),
  );
  const { user } = await open(PATH, empty);
  await screen.findByRole('heading', { name: 'Add your first server' });
  // What filters is out of reach and keeps its room: the page would jump where it is drawn before it is known that there are none.
  expect(screen.queryByRole('combobox', { name: 'Search servers' })).toBeNull();
  expect(document.querySelector('[data-away][inert] input')).not.toBeNull();
  await user.click(screen.getByRole('button', { name: 'Add server' }));
  expect(await screen.findByRole('heading', { name: 'Linux server' })).toBeTruthy();
  await closePage();

  const acl = { ...emptyAcl(), nodes: { ...fullAcl().nodes } };
  const reader = fakeGateway(acl);
  reader.answer(
    LIST,
    listNodes(() => []),
  );
  await open(PATH, reader);

  expect(await screen.findByRole('heading', { name: 'No server that you can reach' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Add server' })).toBe(null);
});

test('a list that cannot be had is the whole screen, with another try', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const gateway = fakeGateway();
  gateway.answer(LIST, { status: 400, body: failure('bad_request', 'the disk is full') });
  await openPage(PATH, { gateway });
  expect(await screen.findByText('the disk is full')).toBeTruthy();

  gateway.answer(
    LIST,
    listNodes(() => NODES),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));

  expect(await screen.findByRole('row', { name: /web-01/ })).toBeTruthy();
});
