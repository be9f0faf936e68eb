import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { PageLink, useCurrentPage, usePageParams, useSearch } from './routing.tsx';

afterEach(cleanup);

const textIn = ({ as }: Record<string, string>) => as;

function Shell() {
  return (
    <>
      <h1>{`at ${useCurrentPage()?.name}`}</h1>
      <Outlet />
    </>
  );
}

function ClusterScreen() {
  const { clusterId, name } = usePageParams('kube');
  const [as] = useSearch(textIn);
  return (
    <>
      <p>{`in ${clusterId}, ${name} as ${as}`}</p>
      <PageLink page="kube" params={{ clusterId, name }}>
        itself
      </PageLink>
    </>
  );
}

test('a screen that is left is about what it was until the next one is there', async () => {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const root = createRootRoute({ component: Shell });
  const kube = createRoute({
    ...{ getParentRoute: () => root, path: '/web/cluster/$clusterId/kubernetes/$name', component: ClusterScreen },
    staticData: { page: 'kube' },
  });
  const settings = createRoute({
    ...{ getParentRoute: () => root, path: '/web/settings', component: () => <p>settings</p>, loader: () => arrived },
    staticData: { page: 'settings' },
  });
  const router = createRouter({
    routeTree: root.addChildren([kube, settings]),
    history: createMemoryHistory({ initialEntries: ['/web/cluster/one/kubernetes/prod?as=ann'] }),
    defaultPendingMs: 600_000,
  });
  render(<RouterProvider router={router as never} />);
  await screen.findByText('in one, prod as ann');

  await router.navigate({ to: '/web/cluster/one/kubernetes/lab', search: { as: 'bob' } } as never);
  await screen.findByText('in one, lab as bob');

  const left = router.navigate({ to: '/web/settings' });
  await screen.findByRole('heading', { name: 'at settings' });
  expect(screen.getByText('in one, lab as bob')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'itself' }).getAttribute('href')).toBe('/web/cluster/one/kubernetes/lab');

  arrive();
  await left;
  await screen.findByText('settings');
});
