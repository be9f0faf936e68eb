/** Drives a real API server with both kubectl: what tests do daily with the small one, as far as no kubelet is needed for it. */
import { isDeepStrictEqual } from 'node:util';
import { startKubectlWorld } from '@gatehouse/gateway/testing/kube/kubectl-world';
import { binding, clusterRole } from '@gatehouse/testkit/kube/kube-seed';
import { KUBECTLS, kubeconfig } from '@gatehouse/testkit/kube/kubeconfig';
import { createKubectl, type Kubectl } from '@gatehouse/testkit/kube/kubectl';
import { startRealCluster } from './start-real-cluster.ts';

let failed = 0;
function check(what: string, found: unknown, wanted: unknown): void {
  const isGood = wanted instanceof RegExp ? wanted.test(String(found)) : isDeepStrictEqual(found, wanted);
  if (!isGood) failed += 1;
  process.stdout.write(
    `${isGood ? 'ok  ' : 'MISS'} ${what}${isGood ? '' : `: ${JSON.stringify(found)}, not ${String(wanted)}`}\n`,
  );
}

const map = (name: string, value: string) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { value } });

/** Leaves nothing behind. */
async function drive(label: string, kubectl: Kubectl, forbidden: RegExp): Promise<void> {
  const say = (what: string) => `${label}: ${what}`;
  check(say('lists'), await kubectl.must(['get', 'namespaces']), /^NAME +STATUS +AGE\ndefault +Active/);
  check(say('applies'), await kubectl.must(['apply', '-f', '-'], map('driven', '1')), 'configmap/driven created\n');
  check(
    say('applies again'),
    await kubectl.must(['apply', '-f', '-'], map('driven', '1')),
    'configmap/driven unchanged\n',
  );
  const watch = kubectl.start(['get', 'configmaps', '-n', 'default', '-w']);
  await watch.prints('driven');
  check(
    say('applies a change'),
    await kubectl.must(['apply', '-f', '-'], map('driven', '2')),
    'configmap/driven configured\n',
  );
  await kubectl.must(['create', 'configmap', 'watched', '-n', 'default', '--from-literal=a=1']);
  check(say('watches'), await watch.prints('watched'), /driven.*watched/s);
  await watch.stop();
  const server = (manager: string) => ['apply', '--server-side', '--field-manager', manager, '-f', '-'];
  await kubectl.must(server('one'), map('applied', '1'));
  check(
    say('finds a conflict'),
    (await kubectl.run(server('other'), map('applied', '2'))).stderr,
    /conflict with "one"/,
  );
  check(say('is refused'), (await kubectl.run(['get', 'pods', '--as', 'nobody'])).stderr, forbidden);
  check(
    say('deletes'),
    await kubectl.must(['delete', 'configmap', '-n', 'default', 'driven', 'watched', 'applied']),
    /"driven" deleted/,
  );
  check(say('misses'), (await kubectl.run(['get', 'configmap', '-n', 'default', 'driven'])).stderr, /NotFound/);
}

/** The gateway may act for people there and nothing else; their group may everything, since nobody fills the usual roles here. */
const GRANTS = [
  clusterRole('gatehouse', [{ apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] }]),
  binding('gatehouse', 'gatehouse', { kind: 'User', name: 'gateway' }),
  binding('people', 'cluster-admin', { kind: 'Group', name: 'edit' }),
];

const cluster = await startRealCluster();
const world = await startKubectlWorld();
try {
  const { url, ca, token, gatewayToken } = cluster;
  await world.add('real', { url, ca, token: gatewayToken });
  for (const version of KUBECTLS) {
    const straight = createKubectl(version, kubeconfig({ server: url, ca, token }));
    for (const grant of GRANTS) await straight.must(['apply', '-f', '-'], JSON.stringify(grant));
    await drive(`kubectl ${version} straight`, straight, /User "nobody" cannot list resource "pods"/);
    straight.remove();
    const through = await world.kubectl(version, world.ann, 'real');
    await drive(`kubectl ${version} through a gateway`, through, /nobody/);
    through.remove();
  }
} finally {
  await world.close();
  await cluster.stop();
}
process.stdout.write(failed === 0 ? 'all is as it is with the small cluster\n' : `${failed} are not\n`);
process.exit(failed === 0 ? 0 : 1);
