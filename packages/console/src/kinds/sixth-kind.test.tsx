import type { ToldEvent } from '@gatehouse/contract/audit/tell-event';
import { defineKind } from '@gatehouse/contract/kinds/kind';
import { KINDS, kinds, rows } from '@gatehouse/contract/kinds/kinds';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
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
  eventFamily: 'vaults',
  rules: ['vault'],
  labels: 'vault_labels',
  principals: [{ name: 'keeper', field: 'vault_keepers', required: true, login: true, main: true }],
  recording: 'none',
  sortable: ['name'],
  nameField: 'vault_name',
});
const PAGE = { path: '/web/cluster/:clusterId/vaults', access: 'private' };
const ROWS = [{ name: 'crown-jewels' }, { name: 'petty-cash' }];
const VAULTS = {
  kind: 'vault',
  page: 'vaults',
  words: 'servers',
  sortKeys: ['name'],
  rowKey: ({ name }: { name: string }) => name,
  load: async (_api: unknown, _clusterId: string, { search = '' }) => {
    const items = ROWS.filter(({ name }) => name.includes(search));
    return { items, startKey: '', totalCount: items.length };
  },
} as unknown as ResourceKind<{ name: string }>;

const VaultIcon = () => <svg data-testid="vault-icon" />;

async function addSixthKind() {
  Object.assign(KINDS, { vault: vaultFacts });
  (kinds as string[]).push('vault');
  (rows as unknown[]).push({ ...vaultFacts, kind: 'vault' });
  const { PAGES, pageNames } = await import('@gatehouse/contract/console/pages');
  Object.assign(PAGES, { vaults: PAGE });
  (pageNames as string[]).push('vaults');
  const { KIND_SCREENS } = await import('./screens.ts');
  const vaultScreen = {
    title: 'pages.launch',
    load: async () => VaultsScreen,
    words: ['servers', 'resource-list'],
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
      role: { title: 'pages.launch', labels: 'pages.cli-login', names: { vault_keepers: 'pages.headless' } },
      palette: async () => ({ useFound: useFoundVaults, actions: [] }),
    },
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
    <ResourceFrame screen={vaults} tools={null} panel={null}>
      <ResourceTable screen={vaults} columns={columns} keys={[]} empty={null} />
    </ResourceFrame>
  );
}

/** The text that stands in for a word of its own. */
const LABEL = 'pages.launch';
const PATH = '/web/cluster/one/vaults';

afterEach(() => tables.closePage());

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
  await user.type(await screen.findByRole('combobox', { name: 'Search or jump to' }, { timeout: 10_000 }), 'petty');

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

  const heading = await screen.findByRole('heading', { name: t(LABEL) }, { timeout: 10_000 });
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
  const reader = { clusterId: 'one', table: tables.CONSOLE_KINDS, mayOpen: () => true };
  expect(linksOf(told as ToldEvent, reader).subject).toBe(`${PATH}?open=petty%20cash`);
});
