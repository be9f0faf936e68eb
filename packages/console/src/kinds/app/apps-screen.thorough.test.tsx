import { emptyAcl } from '@gatehouse/contract/access/acl';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { APPS, app, appDetails, fakeGateway, fullAcl, listNamed } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(async () => {
  vi.restoreAllMocks();
  await closePage();
});

const LIST = 'GET /v1/webapi/sites/one/apps';
const PATH = '/web/cluster/one/apps';
const cards = () => within(screen.getByRole('list', { name: 'Applications' })).getAllByRole('heading');
const names = () => cards().map((card) => card.textContent);

async function open(path = PATH, gateway = fakeGateway()) {
  const page = await openPage(path, { gateway });
  await screen.findByRole('heading', { name: 'Applications' });
  await screen.findAllByText(/grafana|Add your first|No application/);
  return { ...page, user: userEvent.setup() };
}

test('each card tells what it is and opens it in a new tab', async () => {
  await open();

  expect(names()).toEqual(['aws-main', 'grafana', 'postgres', 'wiki']);
  expect(screen.getByText('4 you can open')).toBeTruthy();
  const launch = screen.getByRole('link', { name: 'Launch grafana' });
  expect(launch.getAttribute('href')).toBe('/web/launch/grafana.one.example.com/one/grafana.one.example.com');
  expect(launch.getAttribute('target')).toBe('_blank');
  expect(launch.getAttribute('rel')).toBe('noopener');
  expect(screen.getByText('Charts of everything')).toBeTruthy();
  expect(screen.getByText('https://grafana.one.example.com')).toBeTruthy();
  expect(within(screen.getByText('Insecure TLS').closest('li') as HTMLElement).getByText('wiki')).toBeTruthy();
});

test('a TCP application gives the commands to reach it', async () => {
  const { user } = await open();

  await user.click(screen.getByRole('button', { name: 'Connect to postgres' }));

  const help = within(await screen.findByRole('dialog', { name: 'Connect to postgres' }));
  expect(help.getByText('gatehouse proxy app postgres')).toBeTruthy();
  expect(help.getByText('gatehouse login http://localhost:3080')).toBeTruthy();
});

test('a console of AWS asks which role, and opens with that one', async () => {
  const opened = vi.spyOn(window, 'open').mockReturnValue(null);
  const { user } = await open();

  await user.click(screen.getByRole('button', { name: 'Launch aws-main: choose a role' }));
  const item = await screen.findByRole('menuitem', { name: /^read/ });
  const path = '/web/launch/aws-main.one.example.com/one/aws-main.one.example.com/';
  const href = `${path}arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fops%2Fread`;
  expect(item.getAttribute('href')).toBe(href);
  await user.click(item);

  expect(opened).toHaveBeenCalledWith(href, '_blank', 'noopener');
});

test('labels filter, the sort is chosen above cards, and the table is remembered', async () => {
  const { user, gateway } = await open();

  await user.click(screen.getAllByRole('button', { name: 'env: prod' })[0] as HTMLElement);
  await waitFor(() => expect(names()).toEqual(['grafana', 'postgres']));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Sort by' }), 'Name, Z to A');
  await waitFor(() => expect(names()).toEqual(['postgres', 'grafana']));
  expect(gateway.calls.at(-1)).toContain('sort=name%3Adesc');
  await user.click(screen.getByRole('radio', { name: 'Table' }));

  expect(await screen.findByRole('grid', { name: 'Applications' })).toBeTruthy();
  expect(screen.getByRole('row', { name: /postgres.*tcp:\/\/postgres\.one\.example\.com.*TCP.*Connect/ })).toBeTruthy();
  expect(localStorage.getItem('apps-view')).toBe('table');
});

test('an application that appears or goes is seen without a reload', async () => {
  const gateway = fakeGateway();
  let apps = APPS;
  gateway.answer(
    LIST,
    listNamed(() => apps),
  );
  const { sockets } = await open(PATH, gateway);

  apps = [app('books'), ...APPS.slice(1)];
  sockets[0]?.hear({ type: 'resources' });

  await waitFor(() => expect(names()).toEqual(['aws-main', 'books', 'postgres', 'wiki']));
});

test('without applications the screen leads to adding one', async () => {
  const gateway = fakeGateway();
  gateway.answer(
    LIST,
    listNamed(() => []),
  );
  const { user } = await open(PATH, gateway);

  await user.click(await screen.findByRole('button', { name: 'Add application' }));

  expect(await screen.findByRole('heading', { name: 'Web application' })).toBeTruthy();
});

test('who may add none is told whom to ask', async () => {
  const acl = { ...emptyAcl(), appServers: { ...fullAcl().appServers, create: false } };
  const poor = fakeGateway(acl);
  poor.answer(
    LIST,
    listNamed(() => []),
  );
  await open(PATH, poor);

  expect(await screen.findByRole('heading', { name: 'No application that you can open' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Add application' })).toBe(null);
});

test('the details tell how it is reached; what was entered is edited and removed', async () => {
  const gateway = fakeGateway();
  const [grafana] = APPS as [(typeof APPS)[0]];
  gateway.answer(`${LIST}/grafana`, { body: appDetails(grafana) });
  gateway.answer('DELETE /v1/webapi/sites/one/apps/grafana', { body: { message: 'ok' } });
  const { user } = await open(PATH, gateway);

  await user.click(screen.getByRole('button', { name: 'grafana' }));
  const panel = within(await screen.findByRole('complementary', { name: 'Application grafana' }));
  expect(await panel.findByText('http://grafana.inside:3000')).toBeTruthy();
  expect(panel.getByText('The gateway itself')).toBeTruthy();
  expect(panel.getByRole('button', { name: 'Edit' })).toBeTruthy();
  await user.click(panel.getByRole('button', { name: 'Remove application' }));
  const ask = within(await screen.findByRole('dialog', { name: 'Remove grafana?' }));
  await user.click(ask.getByRole('button', { name: 'Remove application' }));

  await waitFor(() => expect(gateway.calls).toContain('DELETE /v1/webapi/sites/one/apps/grafana'));
  expect(await screen.findByText('grafana was removed.')).toBeTruthy();
  expect(window.location.search).toBe('');
});

test('what an agent announces cannot be edited here', async () => {
  const gateway = fakeGateway();
  gateway.answer(`${LIST}/wiki`, { body: appDetails(app('wiki', { source: 'agent' })) });
  await open(`${PATH}?open=wiki`, gateway);

  expect(await screen.findByText(/Its agents announce it/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Edit' })).toBe(null);
});
