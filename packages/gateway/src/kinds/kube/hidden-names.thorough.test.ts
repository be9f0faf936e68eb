/** What somebody who sees a part of a collection tries to learn of the rest: how lists are cut, and where they are said to go on, tell as much as what is in them. */
import { continueToken } from '@gatehouse/testkit/kube/kube-print';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KubeWorld, startKubeWorld } from '../../../testing/kube/kube-world.ts';
import { MIN_LIMIT } from './engine/filter/filtered-request.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SEES = "kubernetes_resources: [{kind: configmaps, namespace: default, name: 'web-*', verbs: [get, list]}]";

let world: KubeWorld;
/** Of two who see what begins with `web-`. */
let bob: string;
let eve: string;

beforeAll(async () => {
  world = await startKubeWorld();
  put('payroll', 'db-primary', 'db-replica');
  put('other', 'web-1', 'web-2');
  put('many', ...Array.from({ length: MIN_LIMIT }, (_, at) => `log-${at}`));
  const passOf = async (name: string) =>
    await world.pass(await world.person(name, `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], ${SEES}`));
  bob = await passOf('bob');
  eve = await passOf('eve');
});
afterAll(() => world?.close());

function put(team: string, ...names: string[]): void {
  for (const name of names) {
    const metadata = { name, namespace: 'default', labels: { team } };
    world.cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  }
}

interface Listed {
  status: number;
  names: string[];
  /** Empty: there is no more. */
  next: string;
}

async function listed(query: Record<string, string>, pass = bob): Promise<Listed> {
  const { status, text } = await world.send(pass, `${MAPS}?${new URLSearchParams(query)}`);
  const { metadata, items = [] } = JSON.parse(text) as {
    metadata?: { continue?: string };
    items?: { metadata: { name: string } }[];
  };
  return { status, names: items.map((item) => item.metadata.name), next: metadata?.continue ?? '' };
}

test('where a list goes on says nothing of what is not seen, and nothing to anybody else', async () => {
  const first = await listed({ limit: '1' });
  expect(first).toMatchObject({ status: 200, names: [] });
  for (const part of first.next.split('.'))
    expect(Buffer.from(part, 'base64').toString('latin1')).not.toContain('log-');

  expect(await listed({ limit: '1', continue: first.next })).toEqual({
    status: 200,
    names: ['web-1', 'web-2'],
    next: '',
  });
  expect(await listed({ limit: '1', continue: first.next }, eve)).toMatchObject({ status: 410, names: [] });
});

test('where a list goes on is not theirs to choose: whether more follows would tell the names behind it', async () => {
  const { text } = await world.send(bob, MAPS);
  const { metadata } = JSON.parse(text) as { metadata: { resourceVersion: string } };
  for (const start of ['default/db-a', 'default/log-9', 'default/zzz']) {
    const chosen = continueToken(Number(metadata.resourceVersion), start);
    expect(await listed({ limit: '1', continue: chosen })).toEqual({ status: 410, names: [], next: '' });
  }
});

test('whether more follows says nothing of labels and names that a few hidden objects have', async () => {
  const nothing = { status: 200, names: [], next: '' };
  for (const limit of ['1', '+1', '01', '499'])
    for (const labelSelector of ['team=payroll', 'team=nobody'])
      expect(await listed({ limit, labelSelector })).toEqual(nothing);
  for (const name of ['db-primary', 'db-none'])
    expect(await listed({ limit: '1', fieldSelector: `metadata.name=${name},metadata.namespace=default` })).toEqual(
      nothing,
    );
});

test('what is seen and selected comes together, however few are asked for', async () => {
  expect(await listed({ limit: '1', labelSelector: 'team=other' })).toMatchObject({
    names: ['web-1', 'web-2'],
    next: '',
  });
});
