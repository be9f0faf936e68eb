import type { ToldEvent } from '@gatehouse/contract/audit/tell-event';
import { defineKind } from '@gatehouse/contract/kinds/kind';
import { KIND_SCHEMAS } from '@gatehouse/contract/kinds/kind-schemas';
import { KINDS, type Kind, kinds, rows } from '@gatehouse/contract/kinds/kinds';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { FlowCode } from '../shared/enrolment/flow.ts';
import type { ResourceKind } from '../shared/resource-list/resource-kind.ts';

/**
 * Puts a sixth kind into the tables, as its row would: facts and page of the contract, screen and row of the console.
 * Everything is imported afterwards, so that what is made of the tables is made with it. No words are its own: texts that
 * no screen here shows stand in.
 */
const vaultFacts = defineKind({
  noun: 'vault',
  path: 'vaults',
  acl: 'vaultServers',
  flag: 'vaults',
  sessionKind: 'vlt',
  joinRole: 'Vault',
  offered: 'named',
  installScript: 'install-vault.sh',
  offeredAt: 'addr',
  eventFamily: 'vaults',
  rules: ['vault'],
  labels: 'vault_labels',
  lockTarget: 'vault',
  principals: [{ name: 'keeper', field: 'vault_keepers', required: true, login: true, main: true }],
  recording: 'none',
  sortable: ['name'],
  testSteps: ['access', 'unseal'],
  nameField: 'vault_name',
});
const PAGE = { path: '/web/cluster/:clusterId/vaults', access: 'private' };
const ROWS = [{ name: 'crown-jewels' }, { name: 'petty-cash' }];
/** What is searched for when something joins finds what has joined. */
let joined: { name: string }[] = [];
let isEmpty = false;
const VAULTS = {
  kind: 'vault',
  page: 'vaults',
  words: 'servers',
  sortKeys: ['name'],
  rowKey: ({ name }: { name: string }) => name,
  load: async (_api: unknown, _clusterId: string, { search = '' }) => {
    const items = isEmpty ? [] : search.includes('u-1') ? joined : ROWS.filter(({ name }) => name.includes(search));
    return { items, startKey: '', totalCount: items.length };
  },
} as unknown as ResourceKind<{ name: string }>;

/** The text that stands in for a word of its own. */
const LABEL = 'pages.launch';
const VaultIcon = () => <svg data-testid="vault-icon" />;

async function addSixthKind() {
  Object.assign(KINDS, { vault: vaultFacts });
  const named = z.strictObject({ name: z.string(), addr: z.string() });
  Object.assign(KIND_SCHEMAS, { vault: { offerName: z.string(), named } });
  (kinds as string[]).push('vault');
  (rows as unknown[]).push({ ...vaultFacts, kind: 'vault' });
  const { PAGES, pageNames } = await import('@gatehouse/contract/console/pages');
  Object.assign(PAGES, { vaults: PAGE });
  (pageNames as string[]).push('vaults');
  // Those that the compiler asks for, because they are made of kinds and locks.
  const words = {
    access: { 'names-vault_keepers': 'keepers', 'locked-vault': 'The vault {name} is locked.' },
    locks: { 'kind-vault': 'Vault', 'on-vault': 'The vault {name} is locked.' },
    sessions: { 'kind-vlt': 'Vault' },
  };
  Object.assign((await import('../platform/i18n/en/access.json')).default, words.access);
  Object.assign((await import('../platform/i18n/en/locks.json')).default, words.locks);
  Object.assign((await import('../platform/i18n/en/sessions.json')).default, words.sessions);
  const { KIND_SCREENS } = await import('./screens.ts');
  const vaultScreen = {
    title: 'pages.launch',
    load: async () => VaultsScreen,
    words: ['servers', 'resource-list', 'connection-steps', 'access'],
  };
  Object.assign(KIND_SCREENS, { vaults: vaultScreen });
  const { CONSOLE_KINDS } = await import('./kinds.ts');
  Object.assign(CONSOLE_KINDS, {
    vault: {
      screen: vaultScreen,
      icon: VaultIcon,
      label: 'pages.launch',
      key: 'v',
      foundBy: 'open',
      useCount: null,
      hasTerminals: false,
      role: {
        ...{ title: 'pages.launch', labels: 'pages.cli-login', never: null },
        names: { vault_keepers: 'pages.headless' },
      },
      palette: async () => ({ useFound: useFoundVaults, actions: [] }),
    },
  });
  const { KIND_FLOWS } = await import('./flows.ts');
  const card = {
    ...{ id: 'vault', group: 'discover.group-services', resource: 'DISCOVER_RESOURCE_VAULT' },
    ...{ title: LABEL, text: LABEL, also: LABEL, icon: VaultIcon, may: () => true },
  };
  Object.assign(KIND_FLOWS, {
    vault: { cards: [card], words: ['add-server', 'joining'], load: async () => vaultFlow },
  });
  return {
    CONSOLE_KINDS,
    ...(await import('../../testing/open-page.tsx')),
    ...(await import('../../testing/fake-gateway.ts')),
  };
}

const tables = await addSixthKind();
const { noGrants } = await import('@gatehouse/contract/access/acl');
const { fakeRecordings, recording } = await import('../../testing/recordings/fake-recordings.ts');
const { linksOf } = await import('../evidence/audit/details/event-links.ts');
const { t } = await import('../platform/i18n/words.ts');
const { useFoundResources } = await import('../shared/resource-list/resource-source.ts');
const { ResourceFrame } = await import('../shared/resource-list/resource-frame.tsx');
const { ResourceTable } = await import('../shared/resource-list/resource-table.tsx');
const { useResourceScreen } = await import('../shared/resource-list/use-resource-screen.ts');
const { NoResources } = await import('../shared/resource-list/no-resources.tsx');
const { useFlow } = await import('../shared/enrolment/flow-place.tsx');
const { useJoinedThings } = await import('../shared/enrolment/use-joined-things.ts');
const { toJoinToken } = await import('../shared/enrolment/join-token.ts');
const { ConnectionSteps } = await import('../shared/connection-steps/connection-steps.tsx');
const { diagnosedSteps } = await import('../shared/connection-steps/diagnosed-steps.ts');
const { CheckAccess } = await import('../shared/access-questions/check-access.tsx');
const { joinTokenRoutes, RESOURCE_ID_LABEL } = await import('@gatehouse/contract/reach/join-tokens/join-tokens');
const { connectionDiagnostic } = await import('@gatehouse/contract/sessions/diagnostics');
const { openSession } = await import('../../testing/sessions/open-session.ts');

function useFoundVaults(ask: Parameters<typeof useFoundResources>[1]) {
  return useFoundResources(
    {
      list: VAULTS,
      id: 'vault',
      one: async (_api, name) => ({ name }),
      item: ({ name }, show) => ({ title: name, enter: 'show', onSelect: show }),
    },
    ask,
  );
}

function VaultsScreen() {
  const vaults = useResourceScreen(VAULTS, { mayAdd: false });
  const columns = [{ id: 'name', title: 'name', cell: ({ name }: { name: string }) => name }];
  return (
    <ResourceFrame screen={vaults} panel={() => null}>
      <ResourceTable
        screen={vaults}
        columns={columns}
        keys={{}}
        empty={<NoResources screen={vaults} icon={VaultIcon} steps={[]} />}
      />
      <section aria-label="ask">
        <CheckAccess user="ann" resource={{ kind: SIXTH, id: 'petty-cash', name: 'petty-cash' }} />
      </section>
    </ResourceFrame>
  );
}

/** The parts of the steps by which one is enrolled, as a kind's folder has them. */
const vaultFlow: FlowCode = {
  ways: [
    {
      value: 'agents',
      label: LABEL,
      hint: LABEL,
      may: () => true,
      steps: ['describe', 'run', 'principals', 'test', 'done'],
    },
  ],
  Describe: DescribeVault,
  principals: 'pages.headless',
  joining: {
    words: 'add-server',
    make: async (api) => {
      const body = { roles: [vaultFacts.joinRole], vault: { name: 'till', addr: 'vault.inside:8200' } };
      return toJoinToken(await api(joinTokenRoutes.create, { body: body as never }), {});
    },
    command: ({ command }) => command,
    does: () => [],
    forms: () => 'none',
    useJoined: (clusterId, tokens) => useJoinedThings(VAULTS, ({ name }) => ({ id: name, name }), clusterId, tokens),
    isTheThing: true,
  },
  Test: ({ id }) => <p>try {id}</p>,
  Open: ({ id }) => <a href={`#${id}`}>unseal {id}</a>,
};

function DescribeVault() {
  const { next } = useFlow();
  return (
    <button type="button" onClick={() => next()}>
      make
    </button>
  );
}

const PATH = '/web/cluster/one/vaults';

const SIXTH = 'vault' as Kind;

afterEach(() => {
  joined = [];
  isEmpty = false;
  tables.closePage();
});

test('its entry is in the navigation with its icon, and leads to its list', async () => {
  await tables.openPage('/web/settings');

  const [entry] = await screen.findAllByRole('link', { name: t(LABEL) });
  expect(entry?.getAttribute('href')).toBe(PATH);
  expect(within(entry as HTMLElement).getByTestId('vault-icon')).toBeTruthy();
  await userEvent.click(entry as HTMLElement);

  expect(await screen.findByText('crown-jewels')).toBeTruthy();
});

test('who may not list it has no entry', async () => {
  const acl = tables.fullAcl();
  Object.assign(acl, { vaultServers: noGrants() });
  await tables.openPage('/web/settings', { gateway: tables.fakeGateway(acl) });
  await screen.findAllByRole('link', { name: 'Servers' });

  expect(screen.queryByRole('link', { name: t(LABEL) })).toBeNull();
});

test('some of it is found in the palette under its heading, and shown on its screen', async () => {
  const user = userEvent.setup();
  await tables.openPage('/web/settings');
  await screen.findByRole('heading', { name: 'Settings' });
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox', { name: 'Search or jump to' }), 'petty');

  // The letters that fit are marked, so that the name of the option comes in pieces.
  const found = await waitFor(() => {
    const option = screen.getAllByRole('option').find(({ textContent }) => textContent?.includes('petty-cash'));
    if (!option) throw new Error('not found yet');
    return option;
  });
  expect(within(found).getByTestId('vault-icon')).toBeTruthy();
  await user.click(found);

  expect(window.location.pathname + window.location.search).toBe(`${PATH}?open=petty-cash`);
});

test('the form of a role has its section: labels, and the names one connects by', async () => {
  await tables.openPage('/web/roles?open=access');

  const heading = await screen.findByRole('heading', { name: t(LABEL) });
  const section = within(heading.closest('section') as HTMLElement);
  expect(section.getAllByText(t('pages.cli-login')).length).toBeGreaterThan(0);
  expect(section.getAllByText(t('pages.headless')).length).toBeGreaterThan(0);
});

test('its recordings have its icon, and events about it lead to it', async () => {
  const gateway = fakeRecordings([recording('s-1', { kind: 'vlt' })]);
  await tables.openPage('/web/cluster/one/recordings', { gateway });
  const item = await screen.findByRole('article');
  expect(within(item).getAllByTestId('vault-icon').length).toBeGreaterThan(0);

  const told = { user: '', subject: { kind: 'vault', name: 'petty cash' }, session: '', event: 'vault.open' };
  const reader = { clusterId: 'one', isOwn: true, table: tables.CONSOLE_KINDS, mayOpen: () => true };
  expect(linksOf(told as ToldEvent, {}, reader).subject).toBe(`${PATH}?open=petty%20cash`);
});

test('nobody who has none is shown another kind: its own icon stands in their place', async () => {
  isEmpty = true;
  await tables.openPage(PATH);

  const title = await screen.findByText(t('servers.empty-not-yours'));
  expect(within(title.parentElement as HTMLElement).getByTestId('vault-icon')).toBeTruthy();
});

async function goTo(path: string) {
  await act(async () => {
    history.pushState({}, '', path);
    window.dispatchEvent(new PopStateEvent('popstate'));
  });
}

test('one joins by the command of its token, and is there when it has joined', async () => {
  const gateway = tables.fakeGateway();
  const command = 'sudo sh -c "$(curl \'https://one/scripts/t/install-vault.sh?name=till&addr=vault.inside:8200\')"';
  const expiry = new Date(Date.now() + 3_600_000).toISOString();
  const suggestedLabels = [{ name: RESOURCE_ID_LABEL, value: 'u-1' }];
  gateway.answer('POST /v1/webapi/token', {
    body: { id: 'a'.repeat(32), expiry, method: 'token', suggestedLabels, gatehouse: { command, tokenId: 't-1' } },
  });
  const progress = { uses: 0, fetched: [], joined: [], refused: [], expires: expiry };
  gateway.answer('GET /v1/webapi/tokens/t-1/progress', { body: progress });
  await tables.openPage('/web/discover?kind=vault', { gateway });
  const user = userEvent.setup();
  const card = await screen.findByRole('button', { name: new RegExp(t(LABEL)) });
  expect(within(card).getByTestId('vault-icon')).toBeTruthy();
  await user.click(card);
  await user.click(await screen.findByRole('button', { name: 'make' }));

  expect(await screen.findByText(command)).toBeTruthy();
  expect(gateway.bodies[gateway.calls.indexOf('POST /v1/webapi/token')]).toEqual({
    roles: ['Vault'],
    vault: { name: 'till', addr: 'vault.inside:8200' },
  });
  const story = within(screen.getByRole('complementary', { name: t('discover.story') }));
  expect(story.getByTestId('vault-icon')).toBeTruthy();
  joined = [{ name: 'till' }];
  expect(await story.findByText(t('discover.joined-one', { name: 'till' }))).toBeTruthy();

  // Each of the steps that follow is the kind's own, with what has joined.
  await goTo('/web/discover?flow=vault&step=test&id=till');
  expect(await screen.findByText('try till')).toBeTruthy();
  await goTo('/web/discover?flow=vault&step=done&id=till');
  expect(await screen.findByText('unseal till')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'till' }).getAttribute('href')).toBe(`${PATH}?open=till`);
});

test('a test of a way to it tells its own steps', () => {
  const said = connectionDiagnostic.parse({
    ...{ id: 'd-1', success: false, message: 'it is sealed' },
    traces: [
      { status: 'SUCCESS', details: 'allowed', gatehouse: { step: 'access', durationMs: 2 } },
      { status: 'FAILED', error: 'it is sealed', gatehouse: { step: 'unseal', durationMs: 3 } },
    ],
  });
  const named = vaultFacts.testSteps.map((step) => ({ step, title: `the ${step}` }));
  render(<ConnectionSteps steps={diagnosedSteps(t, named, said)} />);

  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('the access'),
    expect.stringContaining('It is sealed.'),
  ]);
});

test('whether somebody reaches one is asked by the name its row gives', async () => {
  const gateway = tables.fakeGateway();
  const EXPLAIN = 'POST /v1/webapi/sites/-current-/access/explain';
  const missing = [{ type: 'none', role: 'clerk', field: 'vault_keepers', names: [], sentence: '' }];
  gateway.answer(EXPLAIN, {
    body: {
      ...{ allowed: false, sentence: '', user: 'ann', roles: ['clerk'], asked: 'connect as joe', reasons: [], missing },
      ...{ change: [], rolesThatWould: [], names: [] },
      resource: { kind: SIXTH, id: 'petty-cash', name: 'petty-cash', labels: [] },
    },
  });
  await tables.openPage(PATH, { gateway });
  const ask = within(await screen.findByRole('region', { name: 'ask' }));
  await userEvent.type(ask.getByLabelText(new RegExp(`^${t('access.as')}`)), 'joe');
  await userEvent.click(ask.getByRole('button', { name: t('access.check') }));

  expect(await ask.findByText(/^Role clerk reaches it and names no keepers/)).toBeTruthy();
  const asked = gateway.bodies.filter((_, at) => gateway.calls[at] === EXPLAIN);
  expect(asked.at(-1)).toMatchObject({ kind: SIXTH, resource: 'petty-cash', keeper: 'joe' });
});

test('a lock on it is listed with its icon', async () => {
  const gateway = tables.fakeGateway();
  gateway.answer('GET /v1/webapi/sites/-current-/locks', {
    body: [{ ...tables.LOCK, targets: { vault: 'petty-cash' } }],
  });
  await tables.openPage('/web/locks', { gateway });

  const row = await screen.findByRole('row', { name: /petty-cash/ });
  expect(within(row).getByTestId('vault-icon')).toBeTruthy();
});

test('an open session with it is listed with its icon', async () => {
  const gateway = tables.fakeGateway();
  const session = openSession({ kind: 'vlt', resource_kind: 'vault', resource_name: 'petty-cash' } as never);
  gateway.answer('GET /v1/webapi/sites/one/sessions', {
    body: { sessions: [{ ...session, vault_name: 'petty-cash' }] },
  });
  await tables.openPage('/web/cluster/one/sessions', { gateway });

  const card = await screen.findByRole('listitem', { name: /petty-cash/ });
  expect(within(card).getAllByTestId('vault-icon').length).toBeGreaterThan(0);
});
